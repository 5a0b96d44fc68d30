package explore

import (
	"slices"
	"strings"
	"testing"
)

// TestCounters gives the caches of MI a variable that counts their requests: kept as it is,
// it makes infinitely many states. What the protocol does not read makes none, and what it
// compares makes as many as it tells apart, with the same faults.
func TestCounters(t *testing.T) {
	const before, action = "  void set_cache_entry(", "    enqueue(requests, RequestMsg, request_latency) {\n      out_msg.addr := address;\n      out_msg.Type := RequestKind:GETX;\n"
	plain := visit(t, tiny(compiled(t, "mi"), 2, 1), 5_000)
	for _, c := range []struct {
		statements string
		states     int // 0: more than those of the protocol
		fault      string
	}{
		{"count := count + 1;", plain.states, ""},
		{"count := count + 1; if (count == 3) { none := true; }", 0, ""},
		{"count := count + 1; assert(count < 6);", 0, "assertion: "},
	} {
		p := edited(t, "MI_example-cache.sm", before, "  int count, default=\"0\";\n  bool none, default=\"false\";\n"+before, action, c.statements+"\n"+action)
		config := tiny(p, 2, 1)
		v := visit(t, config, 5_000)
		if !v.complete || c.states > 0 && v.states != c.states || c.states == 0 && v.states <= plain.states {
			t.Errorf("%q: %d states, complete %v; the protocol has %d", c.statements, v.states, v.complete, plain.states)
		}
		if got := len(v.titles) > 0; got != (c.fault != "") || got && !strings.HasPrefix(v.titles[0], c.fault) {
			t.Errorf("%q: %q, want %q", c.statements, v.titles, c.fault)
		}
		config.counters = true
		whole := visit(t, config, 5_000)
		if whole.complete != (c.fault != "") || !slices.Equal(whole.titles, v.titles) {
			t.Errorf("%q, all kept: complete %v, %q, want %q", c.statements, whole.complete, whole.titles, v.titles)
		}
		for i := range whole.rows {
			if whole.rows[i].Count > 0 != (v.rows[i].Count > 0) {
				t.Errorf("%q: row (%s, %s)", c.statements, v.rows[i].State, v.rows[i].Event)
			}
		}
	}
}

// TestTreeCounters compares gem5's protocols that have such numbers with those that keep
// them.
func TestTreeCounters(t *testing.T) {
	for _, name := range []string{"mem/ruby/protocol/MOESI_AMD_Base", "mem/ruby/protocol/chi/CHI"} {
		config := tiny(inTree(t, name), 2, 1)
		config.Symmetry = true
		v := visit(t, config, 200_000)
		config.counters = true
		whole := visit(t, config, 200_000)
		if !v.complete || !whole.complete || v.orbits > whole.orbits || v.depth != whole.depth || !slices.Equal(v.titles, whole.titles) {
			t.Errorf("%s: %d orbits, depth %d, %q; all kept: %d, %d, %q", name, v.orbits, v.depth, v.titles, whole.orbits, whole.depth, whole.titles)
		}
		t.Logf("%s: %d orbits of %d", name, v.orbits, whole.orbits)
		for i := range whole.rows {
			if whole.rows[i].Count > 0 != (v.rows[i].Count > 0) {
				t.Errorf("%s: row (%s, %s)", name, v.rows[i].State, v.rows[i].Event)
			}
		}
	}
}
