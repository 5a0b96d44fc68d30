package repair

import (
	"slices"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
)

// TestAside requires a failure to which nothing can be added not to count after other runs
// passed, but for the first ones of an edit and for what the edit is to take away.
func TestAside(t *testing.T) {
	const assertion, row = "failed assertion in T.f: x", "invalid transition (A, Ack) of M"
	n := &node{findings: []*audit.Finding{finding("use of a stale pointer")}}
	for _, c := range []struct {
		title  string
		passed int
		want   bool
	}{
		{assertion, asideRuns - 1, false},
		{row, asideRuns, false},
		{"use of a stale pointer", asideRuns, false},
		{assertion, asideRuns, true},
		{"peek of an empty port", asideRuns, true},
		{"dequeue of an empty port", asideRuns, false}, // too many
	} {
		if got := n.aside(c.title, c.passed); got != c.want {
			t.Errorf("%s after %d runs: %v", c.title, c.passed, got)
		}
	}
	if want := []string{assertion, "peek of an empty port"}; !slices.Equal(n.rare, want) {
		t.Errorf("put aside: %q, want %q", n.rare, want)
	}
	list := ranked([]*Repair{{ID: "P/M/a/x", Edits: 1, New: []string{assertion}}, {ID: "P/M/b/x", Edits: 1, Lost: 4}, {ID: "P/M/c/x", Edits: 1, Lost: 6}})
	if list[0].ID != "P/M/b/x" || list[1].ID != "P/M/a/x" {
		t.Errorf("%s, %s, %s", list[0].ID, list[1].ID, list[2].ID)
	}
}

// TestMissingTogether requires the rows of all states that lack an event to be added at once, and
// those of the states of a declaration of the same state.
func TestMissingTogether(t *testing.T) {
	m := machine("z w", "A Load A z", "B Data B w")
	states := func(names ...string) (list []syntax.Ident) {
		for _, n := range names {
			list = append(list, syntax.Ident{Name: n})
		}
		return list
	}
	for i, tr := range m.Transitions {
		tr.Decl = []*syntax.Transition{{States: states("A"), Events: states("Load", "Ack")}, {States: states("B"), Events: states("Data")}}[i]
	}
	requireAll := func(want ...string) {
		t.Helper()
		got := lists(func(add func(ids ...string)) {
			m.missing(sim.Row{Machine: "M", State: "B", Event: "Load"}, func(_, _ int, ids ...string) { add(ids...) })
		})
		for _, w := range want {
			if !slices.Contains(got, w) {
				t.Errorf("no %s among %q", w, got)
			}
		}
	}
	requireAll("(B,Load)/copy:A", "(B,Load)/copy:A + (C,Load)/copy:A", "(B,Load)/copy:A + (B,Ack)/copy:A + (C,Load)/copy:A + (C,Ack)/copy:A")
	m = machine("z w", "A Load A z", "B Data B w", "C Data C w")
	both := &syntax.Transition{States: states("B", "C"), Events: states("Data")}
	m.Transitions[0].Decl, m.Transitions[1].Decl, m.Transitions[2].Decl = &syntax.Transition{States: states("A"), Events: states("Load")}, both, both
	requireAll("(B,Load)/copy:B@Data", "(B,Load)/copy:B@Data + (C,Load)/copy:B@Data")
}
