package amend

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// row names a row of a transition table, with "" for any state or event.
type row struct{ machine, state, event string }

// The forms in which titles name rows: "invalid transition (S, E) of M",
// "M(S,E)", "M(S)" and "after E in M".
var (
	pairOf  = lazyregexp.New(`\((\w+), ?(\w+)\) of (\w+)`)
	ofPair  = lazyregexp.New(`(\w+)\((\w+),(\w+)\)`)
	ofState = lazyregexp.New(`(\w+)\((\w+)\)`)
	eventIn = lazyregexp.New(`after (\w+) in (\w+)`)
	busyIn  = lazyregexp.New(`(\w+) (?:is busy|holds back .*) in (\w+)`)
)

// named are the rows that a title names.
func named(title string) []row {
	var list []row
	for _, m := range pairOf().FindAllStringSubmatch(title, -1) {
		list = append(list, row{m[3], m[1], m[2]})
	}
	for _, m := range ofPair().FindAllStringSubmatch(title, -1) {
		list = append(list, row{m[1], m[2], m[3]})
	}
	for _, m := range ofState().FindAllStringSubmatch(title, -1) {
		list = append(list, row{m[1], m[2], ""})
	}
	for _, m := range eventIn().FindAllStringSubmatch(title, -1) {
		list = append(list, row{m[2], "", m[1]})
	}
	for _, m := range busyIn().FindAllStringSubmatch(title, -1) {
		list = append(list, row{m[1], m[2], ""})
	}
	return list
}

// candidate is an edit that may repair a protocol: a mutant by name.
type candidate struct {
	id    string
	rank  int // 0 is the most likely
	edits int // of declarations
}

// table is a machine's transitions.
type table struct {
	*types.Machine
	protocol string
}

func (t *table) state(n int) string { return t.State.Enums[n].Name }

// names are those of a row: its actions, and its next state.
func (t *table) names(tr *types.Transition) (actions []string, next string) {
	for _, a := range tr.Actions {
		actions = append(actions, a.Name)
	}
	if tr.NextState < 0 {
		return actions, ""
	}
	return actions, t.state(tr.NextState)
}

// candidates lists edits for a failure with a title, the most likely first:
// those of rows that the title names, then those of rows that the failing run took,
// the rarest first. In each row an action that it lacks, as it stands in rows of
// the same event or state; the actions and the next state of such a row in place
// of its own; an action less; two actions exchanged. Where the row is missing, that
// of another state, alone, with all that its declaration says of other events, or
// with another next state.
func candidates(p *types.Protocol, title string, taken sim.Coverage) []candidate {
	var list []candidate
	seen := map[string]bool{}
	add := func(rank, edits int, ids ...string) {
		id := strings.Join(ids, " + ")
		if !seen[id] {
			seen[id] = true
			list = append(list, candidate{id, rank, edits})
		}
	}
	rows := named(title)
	taken = slices.DeleteFunc(slices.Clone(taken), func(c sim.Transition) bool { return c.Count == 0 })
	slices.SortStableFunc(taken, func(a, b sim.Transition) int { return cmp.Compare(a.Count, b.Count) })
	for i := range taken {
		rows = append(rows, row{taken[i].Machine, taken[i].State, taken[i].Event})
	}
	first := len(named(title))
	for i, r := range rows {
		for _, m := range p.Machines {
			if m.Name != r.machine {
				continue
			}
			t := &table{m, p.Name}
			rank := min(i, first+i/rareRows)
			known := false
			for _, tr := range m.Transitions {
				at := row{m.Name, t.state(tr.State), m.Event.Enums[tr.Event].Name}
				if r.state != "" && at.state != r.state || r.event != "" && at.event != r.event {
					continue
				}
				known = true
				if r.event == "" || r.state == "" { // the title names many: those that were taken
					if !slices.ContainsFunc(taken, func(c sim.Transition) bool {
						return c.Machine == at.machine && c.State == at.state && c.Event == at.event
					}) {
						continue
					}
				}
				t.notices(tr, func(edit string) { add(kinds*rank, 1, t.id(at, edit)) })
				t.edits(tr, func(kind int, edit string) { add(kinds*rank+kind, 1, t.id(at, edit)) })
			}
			if !known && r.state != "" && r.event != "" {
				t.missing(r, func(kind, edits int, ids ...string) { add(kinds*rank+kind, edits, ids...) })
			}
		}
	}
	slices.SortStableFunc(list, func(a, b candidate) int { return cmp.Compare(a.rank, b.rank) })
	return list
}

const (
	// kinds is the number of kinds of edit.
	kinds = 6
	// rareRows rows that a run took count as equally likely.
	rareRows = 4
)

// id names an edit of a row.
func (t *table) id(r row, edit string) string {
	return fmt.Sprintf("%s/%s/(%s,%s)/%s", t.protocol, t.Name, r.state, r.event, edit)
}

// missing lists what a row that is missing may do: what other states do with the
// event, those whose names are most alike first, one of each declaration.
func (t *table) missing(r row, add func(kind, edits int, ids ...string)) {
	var column []*types.Transition
	has := map[string]bool{} // events of the state
	var nexts []string       // where rows of the event and of the state lead
	for _, tr := range t.Transitions {
		event := t.Event.Enums[tr.Event].Name
		if t.state(tr.State) == r.state {
			has[event] = true
		}
		if event == r.event {
			column = append(column, tr)
		}
		if _, next := t.names(tr); next != "" && (event == r.event || t.state(tr.State) == r.state) && !slices.Contains(nexts, next) {
			nexts = append(nexts, next)
		}
	}
	slices.SortStableFunc(column, func(a, b *types.Transition) int {
		return cmp.Compare(alike(t.state(b.State), r.state), alike(t.state(a.State), r.state))
	})
	declared := map[*syntax.Transition]bool{}
	for _, tr := range column {
		if declared[tr.Decl] {
			continue
		}
		declared[tr.Decl] = true
		kind, edit := min(len(declared)/2, kinds-1), "copy:"+t.state(tr.State)
		add(kind, 1, t.id(r, edit))
		var ids []string
		for _, e := range tr.Decl.Events {
			if !has[e.Name] {
				ids = append(ids, t.id(row{r.machine, r.state, e.Name}, edit))
			}
		}
		add(kind, 1, ids...)
		for _, next := range nexts {
			if _, own := t.names(tr); next != own {
				add(kinds-1, 2, t.id(r, edit), t.id(r, "next:"+next))
			}
		}
	}
}

// alike is the length of what two names have in common at both ends.
func alike(a, b string) int {
	n := 0
	for n < min(len(a), len(b)) && a[n] == b[n] {
		n++
	}
	k := 0
	for k < min(len(a), len(b))-n && a[len(a)-1-k] == b[len(b)-1-k] {
		k++
	}
	return n + k
}

// notices lists insertions of the actions that notify a core of a lost line, which
// gem5's protocols name alike: where one is missing, rows of the same event and
// state may lack it as well.
func (t *table) notices(tr *types.Transition, add func(edit string)) {
	own, _ := t.names(tr)
	for _, a := range t.Actions {
		if !strings.Contains(a.Name, "forward_eviction") || slices.Contains(own, a.Name) {
			continue
		}
		for _, b := range own {
			if strings.Contains(strings.ToLower(b), "dealloc") {
				add("insert:" + a.Name + "@" + b)
			}
		}
		add("insert:" + a.Name)
	}
}

// edits lists what a row may do instead, the most likely first: kinds 0 to 5.
func (t *table) edits(tr *types.Transition, add func(kind int, edit string)) {
	own, next := t.names(tr)
	for _, other := range t.Transitions {
		if other == tr || other.Event != tr.Event && other.State != tr.State {
			continue
		}
		actions, to := t.names(other)
		for i, a := range actions {
			if slices.Contains(own, a) || idle(a) {
				continue
			}
			add(0, "insert:"+a+before(own, actions[i+1:]))
			for _, b := range own {
				if !slices.Contains(actions, b) {
					add(2, "replace:"+b+">"+a)
				}
			}
		}
		if to != "" && to != next && other.Event == tr.Event {
			add(1, "next:"+to)
		}
		if other.Event == tr.Event {
			add(4, "copy:"+t.state(other.State))
		}
	}
	for i, a := range own {
		add(3, "drop:"+a)
		if i+1 < len(own) {
			add(3, "swap:"+a+","+own[i+1])
		}
	}
}

// idle reports whether an action is one that no repair inserts: it makes the message
// wait, takes one more off a queue, or only counts.
func idle(action string) bool {
	lower := strings.ToLower(action)
	return slices.ContainsFunc([]string{"stall", "recycle", "pop", "profile", "observe"}, func(word string) bool { return strings.Contains(lower, word) })
}

// before is where an action goes that stands before others in a sibling: before the
// first of them that the row has, else at the end.
func before(own, following []string) string {
	for _, a := range following {
		if slices.Contains(own, a) {
			return "@" + a
		}
	}
	return ""
}
