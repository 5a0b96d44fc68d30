package bugs

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/protocols"
)

var truth = flag.Duration("truth", 0, "TestTruth audits each protocol for this much CPU time")

// TestTruth audits protocols that are believed correct: our own, two from textbooks, and those of
// the gem5 tree that ORDEAL_GEM5_TREE names with the repairs of the known defects. Whatever it finds
// without a condition is false, or a defect that is not known. Without -truth it is a sample.
func TestTruth(t *testing.T) {
	list, err := KnownDefects()
	must.Succeed(t, err)
	believed := map[string]audit.Options{}
	for _, name := range protocols.Names() {
		believed[name] = audit.Options{Machine: config.Machine{Protocol: name}}
	}
	own := []string{filepath.FromSlash("../../../sim/protocols/slicc")}
	for _, name := range []string{"MSI", "MESI"} {
		believed[name] = audit.Options{Machine: config.Machine{SLICC: filepath.Join("testdata", "truth", name+".slicc"), SLICCPath: own}}
	}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" && *truth > 0 {
		for i := range list.Bugs {
			name := list.Bugs[i].Protocol
			if _, ok := believed[name]; !ok {
				believed[name] = audit.Options{Machine: config.Machine{SLICC: repairedTree(t, list, tree, name)}}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(believed)) {
		t.Run(name, func(t *testing.T) {
			o := believed[name]
			if o.Seed, o.CPU = 1, *truth; o.CPU == 0 {
				o.Steps = 400_000
			} else {
				o.Seed = uint64(time.Now().Unix())
			}
			r, err := audit.Run(t.Context(), o)
			must.Succeed(t, err)
			t.Logf("seed %d, %d steps, %d operations, %d findings", o.Seed, r.Steps, r.Operations, len(r.Findings))
			r.Findings = slices.DeleteFunc(r.Findings, func(f *audit.Finding) bool {
				e := list.says(name, f.Title)
				known := slices.ContainsFunc(e.bugs, func(b *Bug) bool { return b.Repair == nil || b.Base != "" })
				return len(f.Conditions) > 0 || known || len(e.accepted) > 0
			})
			if len(r.Findings) == 0 {
				return
			}
			dir, err := os.MkdirTemp("", "truth-")
			must.Succeed(t, err)
			must.Succeed(t, r.Record(t.Context(), dir, os.Args))
			for _, f := range r.Findings {
				t.Errorf("%s (%s), %d times, seed %d, needs %q: %s", f.Title, f.Outcome, f.Count, o.Seed, f.Needs, f.Dir)
			}
		})
	}
}

// repairedTree writes the protocols of a tree with the proposed repairs of one, and returns its root file.
func repairedTree(t *testing.T, list *List, tree, protocol string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "protocol")
	folder := filepath.Join(tree, filepath.FromSlash(protocols.Folder))
	must.Succeed(t, os.CopyFS(dir, os.DirFS(folder)))
	read := func(name string) ([]byte, error) { return os.ReadFile(filepath.Join(folder, name)) }
	proposed := slices.DeleteFunc(list.Proposed("*"), func(b *Bug) bool {
		_, err := Patch([]*Bug{b}, read)
		return b.Protocol != protocol || b.Base != "" || err != nil // of another version
	})
	files, err := proposal(proposed, read)
	must.Succeed(t, err)
	for _, f := range files {
		must.Succeed(t, os.WriteFile(filepath.Join(dir, f.Name), f.New, 0o666))
	}
	return filepath.Join(dir, protocol+".slicc")
}
