// Package cases reads the named histories of check/testdata/cases: litmus
// shapes and figures of the papers, with the verdicts that those state.
package cases

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"ordeal/parse"
)

// Case is a named history with the verdicts that the literature states.
type Case struct {
	Name    string // the file's name without .axe
	History *parse.History
	// Allowed maps the names of models to whether they allow the history.
	Allowed map[string]bool
}

// Load reads all cases of a folder, in order of their names.
func Load(dir string) ([]Case, error) {
	files, err := filepath.Glob(filepath.Join(dir, "*.axe"))
	if err != nil {
		return nil, fmt.Errorf("load cases: %w", err)
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("load cases: %s: %w", dir, fs.ErrNotExist)
	}
	var out []Case
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, fmt.Errorf("load cases: %w", err)
		}
		c, err := parseCase(string(text))
		if err != nil {
			return nil, fmt.Errorf("load cases: %s:%w", file, err)
		}
		c.Name = strings.TrimSuffix(filepath.Base(file), ".axe")
		out = append(out, c)
	}
	return out, nil
}

// parseCase reads comment lines, of which "# expect: sc=forbidden …" states
// verdicts, and a history.
func parseCase(text string) (Case, error) {
	c := Case{Allowed: map[string]bool{}}
	for i, line := range strings.Split(text, "\n") {
		verdicts, ok := strings.CutPrefix(line, "# expect:")
		if !ok {
			continue
		}
		for _, v := range strings.Fields(verdicts) {
			m, answer, _ := strings.Cut(v, "=")
			if _, twice := c.Allowed[m]; twice || answer != "allowed" && answer != "forbidden" {
				return c, fmt.Errorf("%d: verdict %q", i+1, v)
			}
			c.Allowed[m] = answer == "allowed"
		}
	}
	var err error
	c.History, err = Parse(text)
	return c, err
}
