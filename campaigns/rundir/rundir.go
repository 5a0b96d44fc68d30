package rundir

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
)

// The files of a run directory that this package writes.
const (
	ProgramFile = "program.txt"
	RecordFile  = "run.json"
	LogFile     = "log.bin"
	VerdictFile = "verdict.json"
)

// executableFile is what simulators that execute a file call it.
const executableFile = "program.elf"

// errUsed says that a run directory is not a new one.
var ErrUsed = errors.New("it holds a run already")

// RunDir is a run directory on disk. Its layout is in the package comment.
type Dir string

// Create makes the directory, which must not hold a run yet, and writes what
// is known before the run.
func (d Dir) Create(p *gen.Program, r *Spec) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(d.Path(RecordFile)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create run directory %s: %w", d, ErrUsed)
	}
	text := p.Text()
	r.Version, r.Program = RecordVersion, Sum256(text)
	if err := WriteFile(d.Path(ProgramFile), text, false); err != nil {
		return err
	}
	return WriteJSON(d.Path(RecordFile), r, false)
}

// Finish writes what is known after the run. Findings reach the disk before
// it returns.
func (d Dir) Finish(c *Case) error {
	if data, err := os.ReadFile(d.Path(executableFile)); err == nil {
		c.Executable = Sum256(data)
	}
	flush := c.Finding()
	if _, err := os.Lstat(d.Path(LogFile)); err == nil {
		if flush {
			if err := Flush(d.Path(LogFile)); err != nil {
				return err
			}
		}
	} else if len(c.RawLog) > 0 {
		if err := WriteFile(d.Path(LogFile), c.RawLog, flush); err != nil {
			return err
		}
	}
	for i := range c.Verdicts {
		if c.Verdicts[i].Answer != check.Forbidden {
			continue
		}
		var text bytes.Buffer
		if err := Explain(&text, c.History, c.Models[i], &c.Verdicts[i]); err != nil {
			return err
		}
		if err := WriteFile(d.Path("witness-"+c.Verdicts[i].Model+".txt"), text.Bytes(), flush); err != nil {
			return err
		}
	}
	return WriteJSON(d.Path(VerdictFile), &c.Result, flush)
}

// Recorded reads the program of the run and refuses one that is not what the
// record r of the run says.
func (d Dir) Recorded(r *Spec) (*gen.Program, error) {
	p, err := d.Program()
	if err != nil {
		return nil, err
	}
	if got := Sum256(p.Text()); got != r.Program {
		return nil, fmt.Errorf("%s is not the recorded program: its hash is %s, recorded is %s", d.Path(ProgramFile), got, r.Program)
	}
	return p, nil
}

// Program reads the program of the run.
func (d Dir) Program() (*gen.Program, error) {
	data, err := os.ReadFile(d.Path(ProgramFile))
	if err != nil {
		return nil, err
	}
	return gen.Parse(d.Path(ProgramFile), data)
}

// Record reads run.json.
func (d Dir) Record() (*Spec, error) {
	r := new(Spec)
	if err := ReadJSON(d.Path(RecordFile), r); err != nil {
		return nil, err
	}
	if r.Version != RecordVersion {
		return nil, fmt.Errorf("read %s: version %d, want %d", d.Path(RecordFile), r.Version, RecordVersion)
	}
	return r, nil
}

// Judgement reads verdict.json.
func (d Dir) Judgement() (*Result, error) {
	j := new(Result)
	if err := ReadJSON(d.Path(VerdictFile), j); err != nil {
		return nil, err
	}
	return j, nil
}

// Log reads the log of the run.
func (d Dir) Log() (sim.Log, error) {
	data, err := os.ReadFile(d.Path(LogFile))
	return sim.Log(data), err
}

// Path is the path of a file of the run directory.
func (d Dir) Path(file string) string { return filepath.Join(string(d), file) }

// sum256 is the SHA-256 of data in hexadecimal.
func Sum256(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}

// intact looks at the files of a run that ended.
func (d Dir) Intact() error {
	record, err := d.Record()
	if err != nil {
		return err
	}
	if _, err := d.Recorded(record); err != nil {
		return err
	}
	_, err = d.Judgement()
	return err
}
