package lint

import (
	"bytes"
	"strings"
	"testing"
)

// lineBudgets has the most lines of Go without tests of each folder, those below it included.
// They only go down, to what the architecture aims at; a change that needs more lines
// somewhere lowers another budget, and says why.
var lineBudgets = []struct {
	folder     string
	lines, aim int
}{
	{"gen", 8622, 9200},
	{"sim", 43770, 36500},
	{"sim/slicc/syntax", 3882, 2700}, {"sim/slicc/types", 1251, 1200}, {"sim/slicc/compiler", 2718, 2000}, {"sim/slicc/mutate", 2350, 2000},
	{"sim/ruby", 12811, 11100}, {"sim/builtin", 6047, 5350}, {"sim/explore", 5048, 4800}, {"sim/gem5", 5161, 4275}, {"sim/sandbox", 1974, 1500},
	{"parse", 10945, 7000},
	{"check", 28481, 24500},
	{"check/saturate", 4683, 4300}, {"check/search", 2718, 2500}, {"check/procedures", 1997, 1500}, {"check/witness", 4416, 3350},
	{"check/picture", 1821, 900}, {"check/serial", 4834, 4400},
	{"campaigns", 53934, 44000},
	{"campaigns/config", 3250, 2500}, {"campaigns/run", 3503, 2300}, {"campaigns/engine", 5652, 3800}, {"campaigns/cluster", 1377, 700},
	{"campaigns/diagnose", 2966, 2400}, {"campaigns/audit", 4065, 3000}, {"campaigns/mutation", 1723, 1700}, {"campaigns/litmus", 1513, 1300},
	{"campaigns/report", 7225, 5600}, {"campaigns/lab", 7340, 4500}, {"campaigns/cli", 11733, 8000},
}

// TestBudgets holds each folder to its budget.
func TestBudgets(t *testing.T) {
	lines := map[string]int{}
	for _, s := range load(t) {
		if s.test {
			continue
		}
		n := bytes.Count(s.text, []byte("\n"))
		for folder := s.path; ; {
			at := strings.LastIndexByte(folder, '/')
			if at < 0 {
				break
			}
			folder = folder[:at]
			lines[folder] += n
		}
	}
	for _, b := range lineBudgets {
		switch n := lines[b.folder]; {
		case n == 0:
			t.Errorf("%s: no Go files", b.folder)
		case n > b.lines:
			t.Errorf("%s has %d lines without tests, its budget is %d (and its aim %d): remove what the change replaces", b.folder, n, b.lines, b.aim)
		}
	}
}
