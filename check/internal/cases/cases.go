// Package cases reads the named histories of check/testdata/cases: litmus
// shapes and figures of the papers, with the verdicts that those state.
package cases

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// Case is a named history with the verdicts that the literature states.
type Case struct {
	Name    string // the file's name without .axe
	History *parse.History
	// Allowed maps the names of models to whether they allow the history.
	Allowed map[string]bool
}

// Load reads all cases of a folder, in order of their names. A file holds one
// trace in the notation of package axe; comment lines "# expect: sc=forbidden …"
// state verdicts.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.axe"))
	if err != nil {
		return nil, fmt.Errorf("load cases: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("load cases: %s: %w", dir, fs.ErrNotExist)
	}
	out := make([]Case, len(files))
	for i, file := range files {
		if out[i], err = load(file); err != nil {
			return nil, fmt.Errorf("load cases: %w", err)
		}
	}
	return out, nil
}

func load(file string) (Case, error) {
	c := Case{Name: strings.TrimSuffix(filepath.Base(file), ".axe")}
	text, err := os.ReadFile(file)
	if err != nil {
		return c, err
	}
	if c.Allowed, err = expectations(string(text)); err != nil {
		return c, fmt.Errorf("%s:%w", file, err)
	}
	c.History, err = one(text, file)
	return c, err
}

// Parse reads one history in the notation of package axe. It panics for
// anything else.
func Parse(text string) *parse.History {
	h, err := one([]byte(text), "text")
	if err != nil {
		panic("cases: " + err.Error())
	}
	return h
}

func one(text []byte, name string) (*parse.History, error) {
	traces := axe.NewReader(bytes.NewReader(text), name)
	t, err := traces.Next()
	if err := errors.Join(err, t.Err); err != nil {
		return nil, err
	}
	if _, err := traces.Next(); err != io.EOF {
		return nil, fmt.Errorf("%s: more than one trace", name)
	}
	return t.History, nil
}

func expectations(text string) (map[string]bool, error) {
	allowed := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		verdicts, ok := strings.CutPrefix(line, "# expect:")
		if !ok {
			continue
		}
		for _, v := range strings.Fields(verdicts) {
			m, answer, _ := strings.Cut(v, "=")
			if _, twice := allowed[m]; twice || answer != "allowed" && answer != "forbidden" {
				return nil, fmt.Errorf("%d: verdict %q", i+1, v)
			}
			allowed[m] = answer == "allowed"
		}
	}
	return allowed, nil
}
