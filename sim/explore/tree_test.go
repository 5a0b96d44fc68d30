package explore

import (
	"os"
	"path/filepath"
	"testing"

	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
)

// treeProtocols are gem5's, by their files below src.
var treeProtocols = []string{
	"mem/ruby/protocol/MI_example", "mem/ruby/protocol/MESI_Two_Level", "mem/ruby/protocol/MESI_Three_Level",
	"mem/ruby/protocol/MESI_Three_Level_HTM", "mem/ruby/protocol/MOESI_hammer", "mem/ruby/protocol/MOESI_AMD_Base",
	"mem/ruby/protocol/MOESI_CMP_directory", "mem/ruby/protocol/MOESI_CMP_token", "mem/ruby/protocol/chi/CHI",
	"learning_gem5/part3/MSI",
}

// inTree compiles a protocol of the gem5 tree that ORDEAL_GEM5_TREE names.
func inTree(t testing.TB, name string) *ruby.Protocol {
	t.Helper()
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		t.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	file, err := protocols.LoadFile(filepath.Join(tree, "src", name+".slicc"))
	if err != nil {
		t.Fatal(err)
	}
	p, err := ruby.Compile(file)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// TestTree compares the machine with the reference explorer on gem5's own
// protocols, all of which can be explored.
func TestTree(t *testing.T) {
	if !*soak {
		t.Skip("only with -soak")
	}
	const limit = 100_000
	for _, name := range treeProtocols {
		t.Run(filepath.Base(name), func(t *testing.T) {
			p := inTree(t, name)
			for _, size := range []struct{ cores, lines int }{{1, 1}, {2, 1}, {1, 2}} {
				c := tiny(p, size.cores, size.lines)
				if filepath.Base(name) == "MOESI_CMP_token" {
					c.Depth = 1 // it sends to all
				}
				want, err := Reference(c, limit)
				if err != nil {
					t.Fatal(err)
				}
				c.Symmetry = true
				got := visit(t, c, limit)
				t.Logf("%d cores, %d lines: %d orbits, %d states, complete %v, %d findings", size.cores, size.lines, got.orbits, got.states, got.complete, len(got.titles))
				if want.Complete && (!got.complete || got.states != want.States || got.steps != want.Steps || got.depth != want.Depth || len(got.titles) != len(want.Findings)) {
					t.Errorf("%d cores, %d lines: complete %v, %d states, %d steps, depth %d, %q; want %d, %d, %d, %v",
						size.cores, size.lines, got.complete, got.states, got.steps, got.depth, got.titles, want.States, want.Steps, want.Depth, want.Findings)
				}
			}
		})
	}
}
