package repair

import (
	"slices"

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
