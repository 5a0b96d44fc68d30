package protocols

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim/slicc/compiler"
)

// TestUnreachableRowsExist wants the rows that are called unreachable to be
// rows of the protocols. That no run takes them is a matter of the tests of
// coverage.
func TestUnreachableRowsExist(t *testing.T) {
	for _, name := range Names() {
		rows, err := Unreachable(name)
		if err != nil {
			t.Error(err)
		}
		tree, err := Load(name)
		if err != nil {
			t.Fatal(err)
		}
		protocol, err := compiler.Check(tree)
		if err != nil {
			t.Fatal(err)
		}
		known := map[string]bool{}
		for _, m := range protocol.Machines {
			for _, tr := range m.Transitions {
				known[m.Name+" "+m.State.Enums[tr.State].Name+" "+m.Event.Enums[tr.Event].Name] = true
			}
		}
		for _, r := range rows {
			if row := r.Machine + " " + r.State + " " + r.Event; !known[row] {
				t.Errorf("%s has no transition %s", name, row)
			}
		}
	}
	if _, err := Unreachable("none"); err == nil {
		t.Error("rows of a protocol that does not exist")
	}
}

func TestParseRows(t *testing.T) {
	rows, err := parseRows("f", "// why\n\nL1Cache IM Load: the core waits\n  Directory I GETX :  a: b\n")
	want := []Row{{"L1Cache", "IM", "Load", "the core waits"}, {"Directory", "I", "GETX", "a: b"}}
	if err != nil || !cmp.Equal(rows, want) {
		t.Errorf("%v, %v", rows, err)
	}
	_, err = parseRows("f", "L1Cache IM Load\nL1Cache IM: reason\nA B C:\n")
	if err == nil || strings.Count(err.Error(), "want") != 3 || !strings.Contains(err.Error(), "f:2:") {
		t.Errorf("error %v", err)
	}
}
