package mutation

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"ordeal/campaigns/lab"
	"ordeal/campaigns/run"
)

// The files of results in a directory: what programs kill, and what exploration does.
const (
	MatrixFile   = "matrix.jsonl"
	ExploredFile = "explored.jsonl"
)

// Recorded returns the results of a mutant in a directory. One of the files may be missing.
func Recorded(dir, id string) ([]Result, []Proof, error) {
	results, err := readStored(filepath.Join(dir, MatrixFile), func(r *Result) bool { return r.Mutant == id })
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	proofs, missing := readStored(filepath.Join(dir, ExploredFile), func(p *Proof) bool { return p.Mutant == id })
	if missing != nil && (err != nil || !errors.Is(missing, fs.ErrNotExist)) {
		return nil, nil, missing
	}
	return results, proofs, nil
}

func readStored[R any](path string, wanted func(*R) bool) (list []R, err error) {
	data, err := run.ReadFile(path)
	if err != nil {
		return nil, err
	}
	entries, err := lab.Parse[R](path, data)
	for _, e := range entries {
		if wanted(&e.Result) {
			list = append(list, e.Result)
		}
	}
	return list, err
}

// ParseResults parses results: a JSON list, or the lines that Options.Stored has. Name is
// the file's, for errors.
func ParseResults(name string, data []byte) (results []Result, err error) {
	if bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
		if err := json.Unmarshal(data, &results); err != nil {
			return nil, fmt.Errorf("read %s: %w", name, err)
		}
		return results, nil
	}
	entries, err := lab.Parse[Result](name, data)
	for _, e := range entries {
		results = append(results, e.Result)
	}
	return results, err
}

// depends is a hash of what the results of a target's mutants depend on.
func (o *Options) depends(t *Target) (string, error) {
	return lab.Hash(struct {
		Protocol, Text       string
		Seed                 uint64
		Budget, Seeds, Runs  int
		Generators, Machines any
	}{t.Name, t.text(), o.Seed, o.Budget, o.Seeds, o.Runs, o.Generators, o.Machines})
}
