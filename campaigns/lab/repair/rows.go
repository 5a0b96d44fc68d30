package repair

import (
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/slicc/types"
)

// edits lists what a row may do instead, with its kind. An action that is taken for another, or an
// event, has a name that is like it.
func (t *table) edits(tr *types.Transition, add func(kind int, edit string)) {
	own, next := t.names(tr)
	best := t.likeliest(tr)
	without := func(kind int, edit string) {
		if leavesMessage(edit) {
			kind = popEdit
		}
		add(kind, edit)
	}
	for _, other := range t.Transitions {
		if other == tr || other.Event != tr.Event && other.State != tr.State {
			continue
		}
		actions, to := t.names(other)
		for i, a := range actions {
			if slices.Contains(own, a) || idle(a) {
				continue
			}
			kind := insertEdit
			if other.Event != tr.Event { // what other events need is less likely to be needed
				kind = dropEdit
			}
			add(kind, "insert:"+a+before(own, actions[i+1:]))
			for _, b := range own {
				switch {
				case slices.Contains(actions, b):
				case best[b] == a:
					without(nextEdit, "replace:"+b+">"+a)
				default:
					without(replaceEdit, "replace:"+b+">"+a)
				}
			}
		}
		if to != "" && to != next {
			add(nextEdit, "next:"+to)
		}
		if other.Event == tr.Event {
			add(copyEdit, "copy:"+t.state(other.State))
		}
	}
	for i, a := range own {
		for _, b := range t.Actions {
			if word := idleWord(a); word != "" && word == idleWord(b.Name) && !slices.Contains(own, b.Name) {
				add(insertEdit, "replace:"+a+">"+b.Name) // the same of another port
			}
		}
		without(dropEdit, "drop:"+a)
		if i+1 < len(own) {
			add(dropEdit, "swap:"+a+","+own[i+1])
		}
	}
}

// declared are the rows of the declaration of one.
func (t *table) declared(tr *types.Transition) (list []sim.Row) {
	for _, other := range t.Transitions {
		if other.Decl == tr.Decl {
			list = append(list, t.row(other))
		}
	}
	return list
}

// others lists what the state of a row does with other events, in place of what the row does,
// one of each declaration: what it does with the event whose name is most alike first.
func (t *table) others(tr *types.Transition, add func(kind int, edit string)) {
	event := func(of *types.Transition) string { return t.Event.Enums[of.Event].Name }
	var list []*types.Transition
	for _, other := range t.Transitions {
		if other.State == tr.State && other.Decl != tr.Decl && !slices.ContainsFunc(list, func(known *types.Transition) bool { return known.Decl == other.Decl }) {
			list = append(list, other)
		}
	}
	byLikeness(list, event(tr), event)
	for i, other := range list {
		kind := replaceEdit
		if i == 0 && isLike(event(tr), event(other)) {
			kind = nextEdit
		}
		add(kind, "copy:"+t.state(tr.State)+"@"+event(other))
	}
}

// likeliest are, for the actions of a row, those of rows of the same event or state that the row
// lacks and whose names are most alike.
func (t *table) likeliest(tr *types.Transition) map[string]string {
	own, _ := t.names(tr)
	best := map[string]string{}
	for _, other := range t.Transitions {
		if other.Event != tr.Event && other.State != tr.State {
			continue
		}
		actions, _ := t.names(other)
		for _, a := range actions {
			if idle(a) || slices.Contains(own, a) {
				continue
			}
			for _, b := range own {
				if isLike(a, b) && alike(a, b) > alike(best[b], b) {
					best[b] = a
				}
			}
		}
	}
	return best
}

// waking lists insertions of an action that wakes messages up into all rows that leave
// states in which messages wait and that have none: where one is missing, messages wait for
// ever. Those of each event are alone, too.
func (t *table) waking(add func(ids ...string)) {
	wakes := func(action string) bool { return strings.Contains(strings.ToLower(action), "wake") }
	waiting := map[int]bool{}
	for _, tr := range t.Transitions {
		own, _ := t.names(tr)
		if slices.ContainsFunc(own, func(a string) bool { return strings.Contains(strings.ToLower(a), "stall") }) {
			waiting[tr.State] = true
		}
	}
	var leaving []*types.Transition
	for _, tr := range t.Transitions {
		own, _ := t.names(tr)
		if waiting[tr.State] && tr.NextState >= 0 && tr.NextState != tr.State && !slices.ContainsFunc(own, wakes) {
			leaving = append(leaving, tr)
		}
	}
	for _, a := range t.Actions {
		if !wakes(a.Name) {
			continue
		}
		var all []string
		events := map[int][]string{}
		var order []int
		for _, tr := range leaving {
			id := t.id(t.row(tr), "insert:"+a.Name)
			all = append(all, id)
			if events[tr.Event] == nil {
				order = append(order, tr.Event)
			}
			events[tr.Event] = append(events[tr.Event], id)
		}
		if len(all) == 0 {
			continue
		}
		add(all...)
		for _, e := range order {
			add(events[e]...)
		}
	}
}
