package compiler

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/slicc/types"
)

// treeVariable names the environment variable that points at a gem5 tree.
const treeVariable = "ORDEAL_GEM5_TREE"

// shape is what a machine amounts to: states, events, actions, transitions,
// those of them that stall, the slots its transitions demand as gem5 counts
// them, the actions of all transitions, its functions and its in_ports.
func shape(p *types.Protocol, m *types.Machine) string {
	stalls, demand, steps := 0, 0, 0
	for _, t := range m.Transitions {
		if t.Stall {
			stalls++
		}
		for _, d := range t.Demands {
			demand += d.Slots
		}
		steps += len(t.Actions)
	}
	return fmt.Sprintln(p.Name, m.Name, len(m.State.Enums), len(m.Event.Enums), len(m.Actions),
		len(m.Transitions), stalls, demand, steps, len(m.Funcs), len(m.InPorts))
}

// Every protocol of a gem5 tree checks without a fault. The machines of
// v24.0.0.1 have the shapes that gem5's own compiler counts, which
// testdata/gem5-shapes.txt lists in the order of shape; those of other versions
// may differ.
func TestGem5Protocols(t *testing.T) {
	tree := os.Getenv(treeVariable)
	if tree == "" {
		t.Skip("set " + treeVariable + " to a gem5 tree to check its protocols")
	}
	fsys := os.DirFS(filepath.Join(tree, "src/mem/ruby/protocol"))
	names, err := fs.Glob(fsys, "*.slicc")
	if err != nil {
		t.Fatal(err)
	}
	var got strings.Builder
	for _, name := range names {
		if name == "RubySlicc_interfaces.slicc" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p := load(t, fsys, name)
			for _, m := range p.Machines {
				got.WriteString(shape(p, m))
			}
		})
	}
	t.Run("chi/CHI.slicc", func(t *testing.T) {
		machines := len(load(t, fsys, "chi/CHI.slicc").Machines)
		if machines != 3 {
			t.Errorf("%d machines, want 3", machines)
		}
	})
	version, err := os.ReadFile(filepath.Join(tree, "src/base/version.cc"))
	if err != nil || !strings.Contains(string(version), `"24.0.0.1"`) {
		t.Log("the tree is not gem5 v24.0.0.1: shapes are not compared")
		return
	}
	want, err := os.ReadFile("testdata/gem5-shapes.txt")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("shapes differ (-want +got):\n%s", diff)
	}
}
