package run

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"ordeal/check"
	"ordeal/check/witness/certificate"
	"ordeal/gen"
	"ordeal/sim"
)

// The files of a run directory that this package writes.
const (
	ProgramFile = "program.txt"
	SpecFile    = "run.json"
	LogFile     = "log.bin"
	ResultFile  = "result.json"
	// CertificateFile holds the evidence of the verdicts, as ordeal check
	// --json prints it.
	CertificateFile = "certificate.json"
	// DiagnosisFile has what a simulator said about a failure, where it is more
	// than a log that models evaluate: a crash, a deadlock, a corrupt log.
	DiagnosisFile = "diagnosis.txt"
)

// executableFile is what simulators that execute a file call it.
const executableFile = "program.elf"

// ErrUsed is the error of Create for a directory that is not empty.
var ErrUsed = errors.New("it holds a run already, or other files")

// Dir is the path of a run directory.
type Dir string

// Create makes the directory, which must be empty or missing, and writes the
// program and the specification. A simulator would write through a link that
// is in it already.
func (d Dir) Create(p *gen.Program, s *Spec) error {
	if err := d.make(); err != nil {
		return err
	}
	text := s.SetProgram(p)
	if err := WriteFile(d.Path(ProgramFile), text, false); err != nil {
		return err
	}
	return WriteJSON(d.Path(SpecFile), s, false)
}

// make makes the directory unless it is there and empty.
func (d Dir) make() error {
	err := Mkdir(string(d))
	if errors.Is(err, fs.ErrNotExist) {
		err = MkdirAll(string(d))
	}
	if !errors.Is(err, fs.ErrExist) {
		return err
	}
	names, err := Names(string(d))
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("create run directory %s: %w", d, ErrUsed)
	}
	return err
}

// Finish writes the result of the run. A failed run is on the disk before it
// returns: all of its directory, and the directory's name.
func (d Dir) Finish(r *Evaluation) error {
	if data, err := ReadFile(d.Path(executableFile)); err == nil {
		r.ExecutableHash = Hash(data)
	}
	if err := d.finishLog(r.Log); err != nil {
		return err
	}
	for i := range r.Verdicts {
		v := &r.Verdicts[i]
		if v.Answer != check.Forbidden {
			continue
		}
		var text bytes.Buffer
		if err := check.Explain(&text, r.History, r.Models[i], v); err != nil {
			return err
		}
		if err := WriteFile(d.Path("witness-"+v.Model+".txt"), text.Bytes(), false); err != nil {
			return err
		}
	}
	if err := d.certify(r); err != nil {
		return err
	}
	if r.Diagnosed() {
		if err := WriteText(d.Path(DiagnosisFile), r.Title+"\n\n"+strings.TrimRight(r.Detail, "\n")+"\n", false); err != nil {
			return err
		}
	}
	if err := WriteJSON(d.Path(ResultFile), r.Result, false); err != nil || !r.Failed() {
		return err
	}
	return FlushTree(string(d))
}

// certify writes the evidence of the verdicts, without paths and times: runs that
// do the same have the same file. The times are in the result.
func (d Dir) certify(r *Evaluation) error {
	if r.History == nil || len(r.Verdicts) == 0 {
		return nil
	}
	verdicts := slices.Clone(r.Verdicts)
	for i := range verdicts {
		s := &verdicts[i].Stats
		s.Search, s.Proof, s.Evidence = 0, 0, 0
	}
	data, err := certificate.New(".", r.History, verdicts).Marshal()
	if err != nil {
		return fmt.Errorf("write %s: %w", d.Path(CertificateFile), err)
	}
	return WriteFile(d.Path(CertificateFile), append(data, '\n'), false)
}

// finishLog writes the log unless the simulator has left it.
func (d Dir) finishLog(log sim.Log) error {
	if len(log) == 0 || Exists(d.Path(LogFile)) {
		return nil
	}
	return WriteFile(d.Path(LogFile), log, false)
}

// Program reads the program of the run. The error may be that it is not the
// one that the specification names.
func (d Dir) Program(s *Spec) (*gen.Program, error) {
	path := d.Path(ProgramFile)
	info, err := Lstat(path)
	if err != nil {
		return nil, err
	}
	if limit := gen.TextLimit(int64(s.Memory)); limit > 0 && info.Size() > limit {
		return nil, fmt.Errorf("%s: %d bytes, more than the %d that can be read in the memory of the run, %s", path, info.Size(), limit, s.Memory)
	}
	if err := fits(path, info.Size(), gen.TextLimit); err != nil {
		return nil, err
	}
	data, err := ReadFile(path)
	if err != nil {
		return nil, err
	}
	p, err := gen.Parse(path, data)
	if err != nil {
		return nil, err
	}
	if got := Hash(p.Text()); got != s.Program {
		return nil, fmt.Errorf("%s is not the recorded program: its hash is %s, recorded is %q", path, got, s.Program)
	}
	return p, nil
}

// Spec reads run.json.
func (d Dir) Spec() (*Spec, error) {
	s := new(Spec)
	if err := ReadJSON(d.Path(SpecFile), s); errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s is no run directory: %w", d, err)
	} else if err != nil {
		return nil, err
	}
	if s.Version != FormatVersion {
		return nil, fmt.Errorf("read %s: version %d, want %d", d.Path(SpecFile), s.Version, FormatVersion)
	}
	return s, nil
}

// Result reads result.json.
func (d Dir) Result() (*Result, error) {
	r := new(Result)
	if err := ReadJSON(d.Path(ResultFile), r); err != nil {
		return nil, err
	}
	return r, nil
}

// Recorded reads a run that ended.
func (d Dir) Recorded() (s *Spec, p *gen.Program, r *Result, err error) {
	if s, err = d.Spec(); err != nil {
		return nil, nil, nil, err
	}
	if p, err = d.Program(s); err != nil {
		return nil, nil, nil, err
	}
	if r, err = d.Result(); errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("%s: the recorded run did not end", d)
	}
	return s, p, r, err
}

// Log reads the log of the run.
func (d Dir) Log() (sim.Log, error) {
	data, err := ReadFile(d.Path(LogFile))
	return sim.Log(data), err
}

// Verify returns an error unless the files of a finished run can be read and
// the program is the recorded one.
func (d Dir) Verify() error {
	s, err := d.Spec()
	if err != nil {
		return err
	}
	if _, err := d.Program(s); err != nil {
		return err
	}
	_, err = d.Result()
	return err
}

// Whole is Verify for a run that a crash of the machine may have ended: the log and
// the executable have to be those of the result, too.
func (d Dir) Whole() error {
	if err := d.Verify(); err != nil {
		return err
	}
	r, err := d.Result()
	if err != nil {
		return err
	}
	for _, f := range []struct{ name, hash string }{{LogFile, r.LogHash}, {executableFile, r.ExecutableHash}} {
		if f.hash == "" {
			continue
		}
		data, err := ReadFile(d.Path(f.name))
		if err != nil {
			return err
		}
		if got := Hash(data); got != f.hash {
			return fmt.Errorf("%s: its hash is %s, recorded is %s", d.Path(f.name), got, f.hash)
		}
	}
	return nil
}

// Path is the path of a file of the run directory.
func (d Dir) Path(file string) string { return filepath.Join(string(d), file) }

// Sub is a run directory below d.
func (d Dir) Sub(names ...string) Dir {
	return Dir(filepath.Join(append([]string{string(d)}, names...)...))
}

// Hash is the SHA-256 of data in hexadecimal.
func Hash(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// Base is the name of the directory.
func (d Dir) Base() string { return filepath.Base(string(d)) }
