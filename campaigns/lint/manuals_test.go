package lint

import (
	"os"
	"path"
	"regexp"
	"strings"
	"testing"
)

// manualBudgets has the most lines of the manuals of some folders, together. A new section
// begins with removing another one.
var manualBudgets = []struct {
	folders string // joined by a space
	lines   int
}{
	{".", 162},
	{"campaigns", 150},
	{"campaigns/audit", 83},
	{"campaigns/lab", 104},
	{"campaigns/mutation", 120},
	{"campaigns/reduction", 88},
	{"campaigns/report campaigns/cluster campaigns/config campaigns/litmus", 381},
	{"sim", 116},
	{"sim/builtin", 220},
	{"sim/explore", 140},
	{"sim/gem5", 190},
	{"sim/slicc sim/protocols", 200},
	{"gen parse", 308},
	{"check", 240},
	{"check/witness check/serial", 251},
	{"scripts", 80},
}

// notes are marks of a laboratory notebook: years of this project, loads of a machine, and, outside
// of examples, commits. Papers are cited by earlier years.
var (
	notes  = regexp.MustCompile(`\b20(2[4-9]|3\d)\b|\bload of \d|\bat commit\b`)
	commit = regexp.MustCompile(`\b[0-9a-f]{7,12}\b`)
)

// manuals lists the README files but those of results, which commands write.
func manuals(t *testing.T) []string {
	var list []string
	for _, file := range files(t, ".md") {
		if path.Base(file) == "README.md" && !strings.Contains(file, "/results/") {
			list = append(list, file)
		}
	}
	return list
}

// TestManuals holds the manuals to their budgets, and keeps measurements out of them: those
// are in campaigns/lab/results, or in the messages of commits.
func TestManuals(t *testing.T) {
	lines := map[string]int{}
	for _, file := range manuals(t) {
		text, err := os.ReadFile(root + "/" + file)
		if err != nil {
			t.Fatal(err)
		}
		fenced := false
		for n, line := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
			lines[path.Dir(file)]++
			if strings.HasPrefix(line, "```") {
				fenced = !fenced
			}
			if m := notes.FindString(line); m != "" {
				t.Errorf("%s:%d: %q: measurements belong in campaigns/lab/results or in a commit message", file, n+1, m)
			}
			if m := commit.FindString(line); !fenced && !strings.HasPrefix(line, "    ") && strings.ContainsAny(m, "0123456789") && strings.ContainsAny(m, "abcdef") {
				t.Errorf("%s:%d: %s: commits belong in campaigns/lab/results or in a commit message", file, n+1, m)
			}
		}
	}
	for _, b := range manualBudgets {
		sum := 0
		for folder := range strings.FieldsSeq(b.folders) {
			if lines[folder] == 0 {
				t.Errorf("%s: no manual", folder)
			}
			sum += lines[folder]
			delete(lines, folder)
		}
		if sum > b.lines {
			t.Errorf("the manuals of %s have %d lines, their budget is %d", b.folders, sum, b.lines)
		}
	}
	for folder := range lines {
		t.Errorf("%s/README.md has no budget", folder)
	}
}
