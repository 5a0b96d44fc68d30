package merge

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
)

// TestMergeExamples merges shards that each have replaced the directory of a
// larger program by that of a smaller one, and requires the directories of the
// campaign in one go.
func TestMergeExamples(t *testing.T) {
	const text = "name: sizes\nsim: builtin\nseed: 6\nworkers: 2\nkeep-per-finding: 2\nconfigs:\n" +
		"  - &c {name: large, runs: 8, threads: 3, ops: 30, locations: 3, rounds: 4, core: tso, protocol: mi, expect: sc, classify: [tso]}\n" +
		"  - {<<: *c, name: middle, rounds: 3}\n  - {<<: *c, name: small, rounds: 2}\n"
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	directories := func(dir string) []int {
		a, err := journal.Open(dir)
		must.Succeed(t, err)
		var kept []int
		for e, err := range a.Entries() {
			must.Succeed(t, err)
			if e.Kept {
				must.Succeed(t, e.Dir.Verify())
				kept = append(kept, e.Number)
			}
		}
		runs, err := a.Runs()
		must.Succeed(t, err)
		if diff := cmp.Diff(kept, runs); diff != "" {
			t.Errorf("%s: directories (-recorded +there):\n%s", dir, diff)
		}
		return runs
	}
	want := directories(makeOf(t, text, at("whole"), ""))
	first, second := makeOf(t, text, at("1"), "1/2"), makeOf(t, text, at("2"), "2/2")
	if raw := bytesOf(t, at("whole"))[filepath.Join(at("whole"), journal.RunsFile)]; !strings.Contains(raw, `"replaces":`) {
		t.Error("no run replaces another: the test would hold for nothing")
	}
	directories(first)
	directories(second)
	mergeTo(t, at("once"), second, first)
	if diff := cmp.Diff(want, directories(at("once"))); diff != "" {
		t.Errorf("directories (-whole +merged):\n%s", diff)
	}
	mergeTo(t, at("slowly"), first)
	mergeTo(t, at("slowly"), second)
	if diff := cmp.Diff(want, directories(at("slowly"))); diff != "" {
		t.Errorf("directories (-whole +merged in two steps):\n%s", diff)
	}
}
