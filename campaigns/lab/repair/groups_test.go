package repair

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// machine is one of states A, B and C and of events Load, Data and Ack, with rows as
// "STATE EVENT NEXT ACTION…".
func machine(actions string, rows ...string) *table {
	enums := func(names string) *types.Type {
		t := new(types.Type)
		for i, name := range strings.Fields(names) {
			t.Enums = append(t.Enums, &types.Enumerator{Name: name, Ordinal: i})
		}
		return t
	}
	m := &types.Machine{Name: "M", State: enums("A B C"), Event: enums("Load Data Ack")}
	named := map[string]*types.Action{}
	for _, name := range strings.Fields(actions) {
		named[name] = &types.Action{Name: name}
		m.Actions = append(m.Actions, named[name])
	}
	for _, r := range rows {
		parts := strings.Fields(r)
		tr := &types.Transition{State: int(parts[0][0] - 'A'), NextState: int(parts[2][0] - 'A')}
		tr.Event = slices.IndexFunc(m.Event.Enums, func(e *types.Enumerator) bool { return e.Name == parts[1] })
		for _, a := range parts[3:] {
			tr.Actions = append(tr.Actions, named[a])
		}
		m.Transitions = append(m.Transitions, tr)
	}
	return &table{Machine: m, protocol: "P"}
}

// lists are what is added, without the names of the protocol and the machine.
func lists(of func(add func(ids ...string))) (got []string) {
	of(func(ids ...string) { got = append(got, strings.ReplaceAll(strings.Join(ids, " + "), "P/M/", "")) })
	return got
}

// TestWaking requires a wake-up in the rows that leave a state in which messages wait, all of
// them together and those of each event, and none where there is one.
func TestWaking(t *testing.T) {
	m := machine("z_stall w kd_wakeUp", "A Load A z_stall", "A Data B w", "A Ack B kd_wakeUp", "B Ack C w", "A Ack C w")
	want := []string{"(A,Data)/insert:kd_wakeUp + (A,Ack)/insert:kd_wakeUp", "(A,Data)/insert:kd_wakeUp", "(A,Ack)/insert:kd_wakeUp"}
	if got := lists(m.waking); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := lists(machine("z_stall w", "A Load A z_stall", "A Data B w").waking); len(got) > 0 {
		t.Errorf("without an action that wakes: %q", got)
	}
}

// TestOtherPort requires a message to be taken off another port, or to wait there, with the likeliest
// edits.
func TestOtherPort(t *testing.T) {
	m := machine("i_popRequest l_popAnswer z_stallRequest y_stallAnswer w", "A Load B z_stallRequest w")
	var got []string
	m.edits(m.Transitions[0], func(kind int, edit string) {
		if strings.HasPrefix(edit, "replace:") {
			got = append(got, fmt.Sprint(kind, edit))
		}
	})
	if want := []string{fmt.Sprint(insertEdit, "replace:z_stallRequest>y_stallAnswer")}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestLosing requires the notice to be put into all rows at which a line is lost, where a load is
// not repeated.
func TestLosing(t *testing.T) {
	const row = "MI_example/L1Cache/(M,"
	_, p := edited(t, row+"Replacement)/drop:forward_eviction_to_cpu + "+row+"Fwd_GETX)/drop:forward_eviction_to_cpu")
	list := candidates(p, nil, sim.Failure{Kind: sim.KindNotRepeated, Row: sim.Row{Machine: "L1Cache", State: "M", Event: "Fwd_GETX"}}, &outcome{})
	i := slices.IndexFunc(list, func(c candidate) bool {
		return strings.Contains(c.id, row+"Replacement)/insert:forward") && strings.Contains(c.id, row+"Fwd_GETX)/insert:forward")
	})
	if i < 0 || list[i].edits != 1 || list[i].rank != insertEdit {
		t.Errorf("candidate %d", i)
	}
}

// TestScore requires an edit whose audit went on twice as long to make up for one edit, tries in
// vain to count against one, and one edit of each title to be likelier the more have it.
func TestScore(t *testing.T) {
	a := &node{candidate: candidate{edits: 1}, value: 10, depth: 1}
	b := &node{candidate: candidate{edits: 2}, value: 11, depth: 2}
	if a.score() != b.score() {
		t.Errorf("%g and %g", a.score(), b.score())
	}
	b.at = 2 * turn
	if a.score() != b.score()+1 {
		t.Errorf("after tries: %g and %g", a.score(), b.score())
	}
	on := &node{value: 10, others: map[string]int{"often": 4, "seldom": 1}}
	first, second := &node{of: on, title: "often"}, &node{of: on, title: "often", nth: 1}
	if other := (&node{of: on, title: "seldom"}); first.score() != 11 || second.score() != 10 || other.score() != 9 {
		t.Errorf("%g, %g, %g", first.score(), second.score(), other.score())
	}
}

// TestHides requires three different edits to show a title, not one in three rows.
func TestHides(t *testing.T) {
	const title = "invalid transition (I, Ack) of M"
	s := &search{o: Options{Finding: finding("another")}, comes: map[string]map[string]bool{}}
	s.learn(absent("I", "Ack", "M"))
	for _, c := range []struct {
		id   string
		want bool
	}{
		{"P/M/(A,Ack)/drop:w", false}, {"P/M/(B,Ack)/drop:w", false}, {"P/M/(C,Ack)/drop:w", false},
		{"P/M/(A,Ack)/insert:w@pop", false}, {"P/M/(B,Ack)/insert:w", false},
		{"P/M/(A,Ack)/drop:k_pop", false}, {"P/M/(A,Ack)/replace:k_pop>w", false}, // the message is there again
		{"P/M/(A,Ack)/next:B", true},
	} {
		s.note(&node{candidate: candidate{id: c.id}, depth: 1, title: title})
		if got := s.hides(&node{}, title); got != c.want {
			t.Errorf("after %s: %v", c.id, got)
		}
	}
	for id, want := range map[string]bool{"P/M/(B,Load)/drop:w + P/M/(A,I)/drop:w": true, "P/M/(B,Load)/drop:w + P/M/(I,Load)/drop:w": false, "P/N/(I,Load)/drop:w": true} {
		if got := s.hides(&node{candidate: candidate{id: id}}, title); got != want {
			t.Errorf("with %s: %v", id, got)
		}
	}
}

// TestLacks requires an event that is missing in two other states of the protocol, in its audit or in
// runs of findings, and a state whose rows the edit leaves as they are.
func TestLacks(t *testing.T) {
	const title = "invalid transition (C, Ack) of M"
	s := &search{o: Options{Finding: finding("M has a transaction in E")}, stock: &audit.Report{}, shown: map[string]bool{}}
	s.learn(absent("A", "Ack", "M"), absent("C", "Ack", "M"), absent("D", "Ack", "M"), absent("D", "Ack", "N"), absent("B", "Nack", "M"), absent("E", "Nack", "N"),
		sim.Failure{Kind: sim.KindDeadlock, Row: sim.Row{Machine: "M", State: "C"}, Text: "is busy"}, sim.Failure{Row: sim.Row{Machine: "M", State: "D"}, Text: "has a transaction"})
	for _, c := range []struct {
		audited, ran string
		want         bool
	}{
		{"invalid transition (A, Ack) of M", "", false}, {"invalid transition (A, Ack) of M", "invalid transition (A, Ack) of M", false},
		{"invalid transition (C, Ack) of M", "invalid transition (B, Nack) of M", false}, {"invalid transition (D, Ack) of N", "M has a transaction in D", false},
		{"", "invalid transition (D, Ack) of M", true},
	} {
		if c.audited != "" {
			s.stock.Findings = append(s.stock.Findings, finding(c.audited))
		}
		if c.ran != "" {
			s.shown[c.ran] = true
		}
		if got := s.hides(&node{candidate: candidate{id: "P/M/(A,Load)/drop:w"}}, title); got != c.want {
			t.Errorf("with %q, %q: %v", c.audited, c.ran, got)
		}
	}
	for id, title := range map[string]string{"P/M/(C,Load)/drop:w": title, "P/M/(A,Load)/drop:w": "deadlock: M is busy in C"} {
		if s.hides(&node{candidate: candidate{id: id}}, title) {
			t.Errorf("%s hides %q", id, title)
		}
	}
	s.o.Finding = finding("invalid transition (E, Nack) of N")
	if s.hides(&node{candidate: candidate{id: "P/M/(A,Load)/drop:w"}}, title) {
		t.Error("a missing row counts as hidden by another one")
	}
}

// TestRanked requires repairs of different places first, and those that were audited twice once.
func TestRanked(t *testing.T) {
	list := []*Repair{{ID: "P/M/a/x", Edits: 1, rank: 1}, {ID: "P/M/a/y", Edits: 1}, {ID: "P/M/a/x + P/M/b/x", Edits: 2}, {ID: "P/M/b/z", Edits: 1, Lost: 3}}
	names := func(list []*Repair) string {
		var ids []string
		for _, r := range list {
			ids = append(ids, r.ID)
		}
		return strings.Join(ids, ", ")
	}
	if got, want := names(ranked(list)), "P/M/a/y, P/M/b/z, P/M/a/x + P/M/b/x, P/M/a/x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
	failed := []*Repair{{ID: "P/M/c/x", Steps: 1}, {ID: "P/M/d/x", Steps: 5}, {ID: "P/M/a/x", Steps: 9}, {ID: "P/M/d/x", Steps: 3}}
	if got, want := names(longest(failed, list)), "P/M/d/x, P/M/c/x"; got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// TestLate requires a title that comes up in the second half of an audit not to count any more,
// unless the edit was to take it away.
func TestLate(t *testing.T) {
	s := &search{o: Options{Steps: 100}}
	for _, c := range []struct {
		title string
		steps uint64
		want  bool
	}{{"b", 50, true}, {"b", 49, false}, {"a", 99, false}} {
		n := &node{findings: []*audit.Finding{finding("a")}}
		if got := s.late(n, c.title, c.steps); got != c.want || got != slices.Equal(n.rare, []string{c.title}) {
			t.Errorf("%s after %d steps: %v, rare %v", c.title, c.steps, got, n.rare)
		}
	}
}

// TestAgain requires edits that make the same protocol to be tried once, until other failures are
// hidden.
func TestAgain(t *testing.T) {
	const row = "MI_example/Directory/(I,GETX)/"
	c, _ := edited(t, row+"dup:i_popRequest")
	s := &search{made: map[[sha256.Size]byte]bool{}}
	tried := func(id string) bool {
		m, err := c.Find(row + id)
		must.Succeed(t, err)
		return s.again(c.Tree(m))
	}
	if tried("next:stay") || !tried("next:stay") || tried("drop:r_readMemory") {
		t.Error("the same edit is tried twice, or another one not at all")
	}
	if _, _, err := s.retry(t.Context(), nil); err != nil || tried("next:stay") {
		t.Errorf("an edit is not tried again: %v", err)
	}
}

// TestDisables requires an edit to fail with which more than a tenth of the rows is not taken.
func TestDisables(t *testing.T) {
	s := &search{stock: &audit.Report{Coverage: make(sim.Coverage, 40)}}
	for i := range s.stock.Coverage {
		s.stock.Coverage[i].Count = 1
	}
	for lost, want := range map[int]bool{0: false, 4: false, 5: true} {
		if got := s.disables(&Repair{Lost: lost}); got != want {
			t.Errorf("%d of 40 rows: %v", lost, got)
		}
	}
}

// TestDistinct requires repairs whose audits do not differ once, and those without an audit by name.
func TestDistinct(t *testing.T) {
	audited := func(id string, lost int, steps uint64, at uint64) *Repair {
		return &Repair{ID: id, Lost: lost, Steps: steps, Findings: []*audit.Finding{{Title: "left", Steps: at}}}
	}
	got := ""
	for _, r := range distinct([]*Repair{audited("a", 0, 9, 5), audited("b", 0, 9, 5), audited("c", 1, 9, 5), audited("d", 0, 9, 6), audited("e", 0, 8, 5), {ID: "f"}, {ID: "g"}, {ID: "f"}}) {
		got += r.ID
	}
	if got != "acdefg" {
		t.Errorf("kept %s", got)
	}
}

// absent is the failure of a missing row.
func absent(state, event, machine string) sim.Failure {
	return sim.Failure{Kind: sim.KindInvalidTransition, Row: sim.Row{Machine: machine, State: state, Event: event}}
}

func finding(title string) *audit.Finding { return &audit.Finding{Title: title} }

// TestGroups requires a row that is missing to be copied into all states without it that stand
// together with its state in a declaration.
func TestGroups(t *testing.T) {
	m := machine("w z_stall", "A Data B w", "B Data B w", "C Load C z_stall")
	together := &syntax.Transition{States: []syntax.Ident{{Name: "A"}, {Name: "B"}}, Events: []syntax.Ident{{Name: "Data"}}}
	m.Transitions[0].Decl, m.Transitions[1].Decl = together, together
	m.Transitions[2].Decl = &syntax.Transition{States: []syntax.Ident{{Name: "C"}}, Events: []syntax.Ident{{Name: "Load"}, {Name: "Ack"}}}
	got := lists(func(add func(ids ...string)) {
		m.missing(sim.Row{Machine: "M", State: "A", Event: "Load"}, func(_, _ int, ids ...string) { add(ids...) })
	})
	if want := "(A,Load)/copy:C + (B,Load)/copy:C"; !slices.Contains(got, want) {
		t.Errorf("%q, want %q among them", got, want)
	}
}

// TestDeclared requires an edit of all rows of a declaration where a title names one of them.
func TestDeclared(t *testing.T) {
	const load, store = "MI_example/L1Cache/(MI,Load)/", "MI_example/L1Cache/(II,Store)/"
	_, p := edited(t, "MI_example/L1Cache/(M,Load)/dup:r_load_hit")
	for f, want := range map[sim.Failure]bool{absent("MI", "Load", "L1Cache"): true, {Kind: sim.KindDeadlock}: false} {
		list := candidates(p, nil, f, &outcome{last: []sim.Row{{Machine: "L1Cache", State: "MI", Event: "Load"}}})
		got := slices.ContainsFunc(list, func(c candidate) bool {
			return c.edits == 1 && strings.Contains(c.id, load+"copy:M") && strings.Contains(c.id, store+"copy:M")
		})
		if got != want {
			t.Errorf("%s: %v", f.Title(), got)
		}
	}
}
