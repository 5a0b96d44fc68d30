package repair

import (
	"slices"
	"strings"

	"ordeal/sim/slicc/types"
)

// guard is what a machine lacks beside statements that need it, see mutate.Put: one edit for
// each of them.
type guard struct {
	machine, calls string
	ids            []string
}

// guardTitles are parts of the titles of what comes up where a guard is missing.
var guardTitles = map[string][]string{
	"check_allocate":       {"in a full table", "in a full set"},
	"unset_tbe":            {"stale pointer", "invalid pointer"},
	"unset_cache_entry":    {"stale pointer", "invalid pointer"},
	"check_on_cache_probe": {"deadlock", "livelock", "locked"},
	"stall_and_wait":       {"deadlock", "livelock"},
	"clockEdge":            {"deadlock", "livelock"},
	"makeLineAddress":      {"deadlock", "invalid transition", "TBE table"},
}

// guarding lists the guards that are missing with their kinds: all those of the protocol and of
// a machine together, and where the title does not say that they are, late.
func (b *bodyEdits) guarding(title string, add func(kind int, ids ...string)) {
	if b == nil {
		return
	}
	all := map[string][]string{} // of several machines
	for _, g := range b.guards {
		all[g.calls] = append(all[g.calls], g.ids...)
	}
	for _, g := range b.guards {
		kind := amendEdit
		if slices.ContainsFunc(guardTitles[g.calls], func(part string) bool { return strings.Contains(title, part) }) {
			kind = insertEdit
		}
		if len(all[g.calls]) > len(g.ids) {
			add(kind, all[g.calls]...)
		}
		add(kind, g.ids...)
		if len(g.ids) > 1 && len(g.ids) <= mostAlike {
			for _, id := range g.ids {
				add(kind+1, id)
			}
		}
	}
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
