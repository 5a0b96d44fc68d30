package compiler

import (
	"strings"
	"testing"
	"testing/fstest"

	"ordeal/sim/slicc/syntax"
)

// TestLacks has a machine without callbacks of cores and with transitions that spin, and one
// that has them all.
func TestLacks(t *testing.T) {
	for _, c := range []struct {
		body string
		want []string
	}{
		{`action(stall, "z") { } transition(I, Data) { stall; } transition(S, Data) { } transition(S, Load) { p_pop; }`, []string{
			"never calls sequencer.readCallback: no load of a core ends", "never calls sequencer.writeCallback", "never calls sequencer.evictionCallback",
			"(I, Data) of L1Cache has actions that do nothing (stall)", "(S, Data) of L1Cache has no actions", "no machine has a DMASequencer",
		}},
		{`action(z_stall, "z") { } action(h, "h") { sequencer.readCallback(address, cache_entry.DataBlk); sequencer.writeCallback(address, cache_entry.DataBlk); }
			transition(I, Data) { z_stall; } transition(S, Data, I) { } transition(S, Load) { h; p_pop; }`, []string{"sequencer.evictionCallback", "no machine has a DMASequencer"}},
	} {
		fsys := tree(t)
		fsys["in.sm"] = &fstest.MapFile{Data: []byte(c.body)}
		file, err := syntax.Load(fsys, "machine.slicc")
		if err != nil {
			t.Fatal(err)
		}
		p, err := Check(file)
		if err != nil {
			t.Fatal(err)
		}
		lacks := Lacks(p)
		for _, want := range c.want {
			if !strings.Contains(lacks.Error(), want) {
				t.Errorf("%s: got\n%v\nwant %s", c.body, lacks, want)
			}
		}
		if len(lacks) != len(c.want) {
			t.Errorf("%s: %d, want %d:\n%v", c.body, len(lacks), len(c.want), lacks)
		}
	}
}
