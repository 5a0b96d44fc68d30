package mutation

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Journal is a file of results, a line of JSON each, behind a line that says
// which options they belong to. A campaign that was interrupted, or killed,
// goes on from it.
type Journal struct {
	file *os.File
	Done []Result
}

// journalHead is the first line of a journal.
type journalHead struct {
	Version int `json:"version"`
	// Options is a hash of what the results depend on.
	Options string `json:"options"`
}

const journalVersion = 1

// OpenJournal opens the journal at path, or makes it. An existing one must be
// of the same options; a last line that was cut short is dropped.
func OpenJournal(path string, o *Options) (*Journal, error) {
	head := journalHead{journalVersion, o.hash()}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	j := &Journal{}
	whole, err := j.read(path, data, head)
	if err != nil {
		return nil, err
	}
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	if err := j.start(int64(whole), head); err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), j.file.Close())
	}
	return j, nil
}

// start cuts what is no whole line off, and writes the head of a new journal.
func (j *Journal) start(whole int64, head journalHead) error {
	if err := j.file.Truncate(whole); err != nil {
		return err
	}
	if _, err := j.file.Seek(whole, 0); err != nil {
		return err
	}
	if whole > 0 {
		return nil
	}
	return j.line(head)
}

// read reads the whole lines of a journal and gives their length.
func (j *Journal) read(path string, data []byte, head journalHead) (int, error) {
	whole, n := 0, 0
	lines := bufio.NewScanner(bytes.NewReader(data))
	lines.Buffer(nil, len(data)+1)
	for lines.Scan() {
		n++
		end := whole + len(lines.Bytes()) + 1
		if end > len(data) {
			break // without its line end: cut short
		}
		if n == 1 {
			var found journalHead
			if err := json.Unmarshal(lines.Bytes(), &found); err != nil || found.Version != journalVersion {
				return 0, fmt.Errorf("%s:1: not the journal of a mutation campaign", path)
			}
			if found != head {
				return 0, fmt.Errorf("%s: it belongs to a campaign with other options or other protocols: use another directory", path)
			}
		} else {
			var r Result
			if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
				return 0, fmt.Errorf("%s:%d: %w", path, n, err)
			}
			j.Done = append(j.Done, r)
		}
		whole = end
	}
	return whole, lines.Err()
}

// Add appends a result.
func (j *Journal) Add(r Result) error { return j.line(r) }

func (j *Journal) line(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(append(text, '\n'))
	return err
}

// Close flushes the journal to the disk.
func (j *Journal) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }

// hash is that of everything that results depend on but the mutants chosen.
func (o *Options) hash() string {
	h := sha256.New()
	for _, t := range o.Targets {
		fmt.Fprintln(h, t.Name, t.text())
	}
	fmt.Fprintln(h, o.Seed, o.Budget, o.Seeds, o.Runs, o.Generators, o.Machines)
	return hex.EncodeToString(h.Sum(nil))
}
