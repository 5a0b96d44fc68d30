package repair

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/slicc/syntax"
	"ordeal/sim/slicc/types"
)

// missing lists what a row that is missing may do: what other states do with the
// event, and what the state does with other events, those whose names are most alike
// first, one of each declaration.
func (t *table) missing(r sim.Row, add func(kind, edits int, ids ...string)) {
	var column, same []*types.Transition
	has := make(map[sim.Row]bool, len(t.Transitions))
	var nexts []string // where rows of the event and of the state lead
	for _, tr := range t.Transitions {
		event := t.Event.Enums[tr.Event].Name
		has[sim.Row{Machine: r.Machine, State: t.state(tr.State), Event: event}] = true
		if t.state(tr.State) == r.State {
			same = append(same, tr)
		}
		if event == r.Event {
			column = append(column, tr)
		}
		if _, next := t.names(tr); next != "" && (event == r.Event || t.state(tr.State) == r.State) && !slices.Contains(nexts, next) {
			nexts = append(nexts, next)
		}
	}
	byLikeness(column, r.State, func(tr *types.Transition) string { return t.state(tr.State) })
	absent := func(states, events []syntax.Ident, edit string) (ids []string) {
		for _, s := range states {
			for _, e := range events {
				if at := (sim.Row{Machine: r.Machine, State: s.Name, Event: e.Name}); !has[at] {
					ids = append(ids, t.id(at, edit))
				}
			}
		}
		return ids
	}
	var lacking []syntax.Ident // the states in which the event is missing
	for _, s := range t.State.Enums {
		if !has[sim.Row{Machine: r.Machine, State: s.Name, Event: r.Event}] {
			lacking = append(lacking, syntax.Ident{Name: s.Name})
		}
	}
	state, event := []syntax.Ident{{Name: r.State}}, []syntax.Ident{{Name: r.Event}}
	var groups [][]syntax.Ident // of states that the state is declared with
	declared := map[*syntax.Transition]bool{}
	for _, tr := range same {
		if !declared[tr.Decl] && len(tr.Decl.States) > 1 {
			groups = append(groups, tr.Decl.States)
		}
		declared[tr.Decl] = true
	}
	clear(declared)
	for _, tr := range column {
		if declared[tr.Decl] {
			continue
		}
		declared[tr.Decl] = true
		from := t.state(tr.State)
		kind, edit := min(len(declared)/2, replaceEdit), "copy:"+from
		add(kind, 1, t.id(r, edit))
		add(kind, 1, absent(state, tr.Decl.Events, edit)...)
		add(kind+1, 1, absent(lacking, event, edit)...)
		add(kind+1, 1, absent(lacking, tr.Decl.Events, edit)...)
		for _, states := range groups {
			add(kind+1, 1, absent(states, event, edit)...)
			add(kind+1, 1, absent(states, tr.Decl.Events, edit)...)
		}
		_, own := t.names(tr)
		if next := t.counterpart(own, from, r.State); next != "" { // the copy as this state would have it
			add(kind, 1, t.id(r, edit), t.id(r, "next:"+next))
		}
		for _, next := range nexts {
			if next != own {
				add(replaceEdit, 2, t.id(r, edit), t.id(r, "next:"+next))
			}
		}
	}
	byLikeness(same, r.Event, func(tr *types.Transition) string { return t.Event.Enums[tr.Event].Name })
	clear(declared)
	for _, tr := range same {
		if !declared[tr.Decl] {
			declared[tr.Decl] = true
			kind, edit := min(len(declared)/2, replaceEdit), "copy:"+r.State+"@"+t.Event.Enums[tr.Event].Name
			add(kind, 1, t.id(r, edit))
			add(kind, 1, absent(tr.Decl.States, event, edit)...)
		}
	}
}

// counterpart is the state whose name differs from that of next as to differs from from:
// DW_L_W is to O_DW_W what DR_L_W is to O_DR_W. It is empty if there is none.
func (t *table) counterpart(next, from, to string) string {
	n, k := common(from, to)
	part := from[n : len(from)-k]
	if part == "" {
		return ""
	}
	for at := range next {
		if !strings.HasPrefix(next[at:], part) {
			continue
		}
		name := next[:at] + to[n:len(to)-k] + next[at+len(part):]
		if name != next && slices.ContainsFunc(t.State.Enums, func(e *types.Enumerator) bool { return e.Name == name }) {
			return name
		}
	}
	return ""
}

// common are the lengths of what two names have in common at their beginnings and ends.
func common(a, b string) (head, tail int) {
	for head < min(len(a), len(b)) && a[head] == b[head] {
		head++
	}
	for tail < min(len(a), len(b))-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	return head, tail
}

// alike is the length of what two names have in common at both ends.
func alike(a, b string) int {
	head, tail := common(a, b)
	return head + tail
}

// isLike reports whether two names have more in common than not.
func isLike(a, b string) bool { return 2*alike(a, b) > min(len(a), len(b)) }

// byLikeness orders rows by what their names have in common with another one, most first.
func byLikeness(rows []*types.Transition, name string, of func(*types.Transition) string) {
	slices.SortStableFunc(rows, func(a, b *types.Transition) int { return cmp.Compare(alike(of(b), name), alike(of(a), name)) })
}
