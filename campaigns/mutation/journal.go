package mutation

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ordeal/campaigns/rundir"
)

// Journal is a file of results, a sealed line of JSON each (rundir.Seal), after
// a line with the options that they belong to. A campaign that was interrupted or killed
// continues from it.
type Journal[T any] struct {
	file *os.File
	Done []T
}

// journalHead is the first line of a journal.
type journalHead struct {
	Version int `json:"version"`
	// Options is a hash of what the results depend on.
	Options string `json:"options"`
}

const journalVersion = 1

var errNoJournal = errors.New("1: not the journal of a mutation campaign")

// OpenJournal opens or creates the journal at path. An existing one must be of
// the same options; an incomplete last line is dropped.
func OpenJournal(path string, o *Options) (*Journal[Result], error) {
	return openJournal[Result](path, o.hash())
}

// OpenProofs is OpenJournal for what Prove finds.
func OpenProofs(path string, o *ProveOptions) (*Journal[Proof], error) {
	return openJournal[Proof](path, hashOf(o.Targets, o.MaxStates))
}

func openJournal[T any](path, options string) (*Journal[T], error) {
	head := journalHead{journalVersion, options}
	data, err := rundir.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	found, results, size, err := parseJournal[T](data)
	if err != nil {
		return nil, fmt.Errorf("read %s:%w", path, err)
	}
	if size > 0 && found != head {
		return nil, fmt.Errorf("%s: it belongs to a campaign with other options or other protocols: use another directory", path)
	}
	file, err := rundir.Append(path)
	if err != nil {
		return nil, err
	}
	j := &Journal[T]{file, results}
	if err = file.Truncate(size); err == nil && size == 0 {
		err = j.write(head)
	}
	if err != nil {
		return nil, errors.Join(fmt.Errorf("write %s: %w", path, err), file.Close())
	}
	return j, nil
}

// parseJournal returns the head and the results of a journal, and the size of
// its complete lines. An error begins with the number of the line.
func parseJournal[T any](data []byte) (head journalHead, results []T, size int64, err error) {
	n := 0
	for line, err := range rundir.Lines(bytes.NewReader(data)) {
		if err != nil {
			return head, nil, 0, err // not of memory
		}
		n++
		if err := rundir.Unseal(line); err != nil {
			return head, nil, 0, fmt.Errorf("%d: %w", n, err)
		}
		if n == 1 {
			if err := json.Unmarshal(line, &head); err != nil || head.Version != journalVersion {
				return head, nil, 0, errNoJournal
			}
		} else {
			var r T
			if err := json.Unmarshal(line, &r); err != nil {
				return head, nil, 0, fmt.Errorf("%d: %w", n, err)
			}
			results = append(results, r)
		}
		size += int64(len(line))
	}
	return head, results, size, nil
}

// The journals of a directory: what programs kill, and what exploration does.
const (
	MatrixJournal   = "matrix.jsonl"
	ExploredJournal = "explored.jsonl"
)

// Recorded reads what the journals of a directory have of a mutant. One of them may be
// missing.
func Recorded(dir, id string) ([]Result, []Proof, error) {
	results, err := readJournal(filepath.Join(dir, MatrixJournal), func(r *Result) bool { return r.Mutant == id })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	proofs, missing := readJournal(filepath.Join(dir, ExploredJournal), func(p *Proof) bool { return p.Mutant == id })
	if missing != nil && (err != nil || !errors.Is(missing, fs.ErrNotExist)) {
		return nil, nil, missing
	}
	return results, proofs, nil
}

func readJournal[T any](path string, wanted func(*T) bool) ([]T, error) {
	data, err := rundir.ReadFile(path)
	if err != nil {
		return nil, err
	}
	_, all, _, err := parseJournal[T](data)
	if err != nil {
		return nil, fmt.Errorf("read %s:%w", path, err)
	}
	return slices.DeleteFunc(all, func(v T) bool { return !wanted(&v) }), nil
}

// ParseResults parses results: a JSON list, or a journal. Name is that of the
// file, for errors.
func ParseResults(name string, data []byte) ([]Result, error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		var results []Result
		if err := json.Unmarshal(data, &results); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return results, nil
	}
	_, results, size, err := parseJournal[Result](data)
	if err == nil && size == 0 && len(data) > 0 {
		err = errNoJournal
	}
	if err != nil {
		return nil, fmt.Errorf("read %s:%w", name, err)
	}
	return results, nil
}

// Add appends a result.
func (j *Journal[T]) Add(r T) error { return j.write(r) }

func (j *Journal[T]) write(v any) error {
	text, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = j.file.Write(rundir.Seal(text))
	return err
}

// Close flushes the journal to the disk.
func (j *Journal[T]) Close() error { return errors.Join(j.file.Sync(), j.file.Close()) }

// hash is that of everything that results depend on but the mutants chosen.
func (o *Options) hash() string {
	return hashOf(o.Targets, o.Seed, o.Budget, o.Seeds, o.Runs, o.Generators, o.Machines)
}

// hashOf is a hash of protocols and options.
func hashOf(targets []Target, options ...any) string {
	h := sha256.New()
	for _, t := range targets {
		fmt.Fprintln(h, t.Name, t.text())
	}
	fmt.Fprintln(h, options...)
	return hex.EncodeToString(h.Sum(nil))
}
