package campaigns

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
var errUsed = errors.New("it holds a run already")

// RunDir is a run directory on disk. Its layout is in the package comment.
type RunDir string

// Create makes the directory, which must not hold a run yet, and writes what
// is known before the run.
func (d RunDir) Create(p *gen.Program, r *Record) error {
	if err := os.MkdirAll(string(d), 0o755); err != nil {
		return err
	}
	if _, err := os.Lstat(d.path(RecordFile)); !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("create run directory %s: %w", d, errUsed)
	}
	text := p.Text()
	r.Version, r.Program = RecordVersion, sum256(text)
	if err := writeFile(d.path(ProgramFile), text, false); err != nil {
		return err
	}
	return writeJSON(d.path(RecordFile), r, false)
}

// Finish writes what is known after the run. Findings reach the disk before
// it returns.
func (d RunDir) Finish(c *Case) error {
	if data, err := os.ReadFile(d.path(executableFile)); err == nil {
		c.Executable = sum256(data)
	}
	flush := c.Finding()
	if _, err := os.Lstat(d.path(LogFile)); err == nil {
		if flush {
			if err := flushPath(d.path(LogFile)); err != nil {
				return err
			}
		}
	} else if len(c.RawLog) > 0 {
		if err := writeFile(d.path(LogFile), c.RawLog, flush); err != nil {
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
		if err := writeFile(d.path("witness-"+c.Verdicts[i].Model+".txt"), text.Bytes(), flush); err != nil {
			return err
		}
	}
	return writeJSON(d.path(VerdictFile), &c.Judgement, flush)
}

// Recorded reads the program of the run and refuses one that is not what the
// record r of the run says.
func (d RunDir) Recorded(r *Record) (*gen.Program, error) {
	p, err := d.Program()
	if err != nil {
		return nil, err
	}
	if got := sum256(p.Text()); got != r.Program {
		return nil, fmt.Errorf("%s is not the recorded program: its hash is %s, recorded is %s", d.path(ProgramFile), got, r.Program)
	}
	return p, nil
}

// Program reads the program of the run.
func (d RunDir) Program() (*gen.Program, error) {
	data, err := os.ReadFile(d.path(ProgramFile))
	if err != nil {
		return nil, err
	}
	return gen.Parse(d.path(ProgramFile), data)
}

// Record reads run.json.
func (d RunDir) Record() (*Record, error) {
	r := new(Record)
	if err := readJSON(d.path(RecordFile), r); err != nil {
		return nil, err
	}
	if r.Version != RecordVersion {
		return nil, fmt.Errorf("read %s: version %d, want %d", d.path(RecordFile), r.Version, RecordVersion)
	}
	return r, nil
}

// Judgement reads verdict.json.
func (d RunDir) Judgement() (*Judgement, error) {
	j := new(Judgement)
	if err := readJSON(d.path(VerdictFile), j); err != nil {
		return nil, err
	}
	return j, nil
}

// Log reads the log of the run.
func (d RunDir) Log() (sim.Log, error) {
	data, err := os.ReadFile(d.path(LogFile))
	return sim.Log(data), err
}

func (d RunDir) path(file string) string { return filepath.Join(string(d), file) }

// sum256 is the SHA-256 of data in hexadecimal.
func sum256(data []byte) string {
	h := sha256.Sum256(data)
	return hex.EncodeToString(h[:])
}
