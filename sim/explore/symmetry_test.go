package explore

import (
	"fmt"
	"slices"
	"testing"
)

// TestRanked has a directory that treats one cache otherwise than the others: then
// only lines are renamed, and the states are those without symmetry.
func TestRanked(t *testing.T) {
	p := edited(t, "MI_example-dir.sm", "out_msg.Type := RequestKind:WB_ACK;\n      out_msg.Requestor := entryOf(address).Owner;",
		"out_msg.Type := RequestKind:WB_ACK;\n      out_msg.Requestor := createMachineID(MachineType:L1Cache, intToID(0));")
	config := tiny(p, 2, 2)
	plain := visit(t, config, 100_000)
	config.Symmetry = true
	m, err := New(config)
	if err != nil {
		t.Fatal(err)
	}
	if m.Symmetry() != "lines" || !m.Ranked() {
		t.Errorf("symmetry %s, ranked %v", m.Symmetry(), m.Ranked())
	}
	if got := visit(t, config, 100_000); !got.complete || got.states != plain.states || got.orbits >= plain.orbits {
		t.Errorf("complete %v, %d states in %d orbits, want %d states", got.complete, got.states, got.orbits, plain.states)
	}
}

// TestSpin has a directory that waits in a transition which does nothing, as
// gem5's MSI does: that is the same as to stall.
func TestSpin(t *testing.T) {
	const action, use = "action(z_waitForMemory, desc=\"put the request aside until memory has answered\") {\n    stall_and_wait(requests, address);\n",
		"    z_waitForMemory;\n"
	variant := func(name string) visited {
		p := edited(t, "MI_example-dir.sm", action, "action("+name+", desc=\"\") {\n", use, "    "+name+";\n")
		return visit(t, tiny(p, 2, 2), 100_000)
	}
	spin, stall := variant("z_nothing"), variant("z_stall")
	if !spin.complete || spin.states != stall.states || spin.steps != stall.steps || len(spin.titles) > 0 || spin.states < 1000 {
		t.Errorf("complete %v, %d states, %d steps, %q; want %d, %d", spin.complete, spin.states, spin.steps, spin.titles, stall.states, stall.steps)
	}
}

// TestUnordered has the messages of one buffer overtake each other: that makes
// more states, as many as the reference explorer finds.
func TestUnordered(t *testing.T) {
	c := tiny(compiled(t, "mi"), 1, 2)
	ordered := visit(t, c, 100_000)
	c.Unordered = []string{"Directory.requestBuffer"}
	want, err := Reference(c, 100_000)
	if err != nil {
		t.Fatal(err)
	}
	got := visit(t, c, 100_000)
	if !want.Complete || got.states != want.States || got.states <= ordered.states {
		t.Errorf("%d states, want %d, and more than %d", got.states, want.States, ordered.states)
	}
	c.Unordered = []string{"L1Cache.mandatoryQueue"}
	if _, err := New(c); err == nil {
		t.Error("a buffer that no other controller sends to is accepted")
	}
}

// TestPermutations counts the renamings of machines: of cores times those of the lines of each directory. Of
// many cores and lines there are a few, which are a group all the same.
func TestPermutations(t *testing.T) {
	for _, c := range []struct{ cores, lines, dirs, want int }{
		{1, 1, 1, 1}, {3, 2, 1, 6 * 2}, {2, 4, 2, 2 * 2 * 2}, {5, 3, 1, 120 * 6},
		{6, 2, 1, 720},         // no room for lines
		{5, 4, 1, 120 * 6},     // for three lines
		{11, 2, 1, 720},        // for six cores
		{64, 16, 1, 120},       // for five cores
		{1, 16, 1, 720},        // for six lines
		{2, 16, 2, 2 * 24 * 6}, // for seven lines, four of one directory and three of the other
	} {
		config := Config{Lines: c.lines}
		config.System.Cores, config.System.Directories = c.cores, c.dirs
		list := config.permutations(c.cores, true)
		if len(list) != c.want {
			t.Errorf("%d cores, %d lines, %d directories: %d permutations, want %d", c.cores, c.lines, c.dirs, len(list), c.want)
		}
		key := func(cores, lines []int) string { return fmt.Sprint(cores, lines) }
		known := map[string]bool{}
		for _, p := range list {
			known[key(p.Cores, p.Lines)] = true
		}
		if len(known) != len(list) || !slices.IsSorted(list[0].Cores) || !slices.IsSorted(list[0].Lines) {
			t.Errorf("%+v: %d different permutations of %d, the first %v", c, len(known), len(list), list[0])
		}
		then := func(a, b []int) []int {
			var list []int
			for i := range a {
				list = append(list, a[b[i]])
			}
			return list
		}
		for i := 0; i < len(list); i += 7 {
			for k := 0; k < len(list); k += 5 {
				if a, b := list[i], list[k]; !known[key(then(a.Cores, b.Cores), then(a.Lines, b.Lines))] {
					t.Fatalf("%+v: %v behind %v is not among them", c, a, b)
				}
			}
		}
	}
}
