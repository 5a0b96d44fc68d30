package html

import (
	"fmt"
	"maps"
	"math"
	"slices"

	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

type protocolView struct {
	Name, Sum, Note string
	Configs         []string
	Machines        []Machine
}

// Machine is the table of a controller: states × events.
type Machine struct {
	Name, Sum string
	Share     int // per mille of the rows, -1 if not known
	Events    []string
	Rows      []State
}

// State is a row of the table of a machine.
type State struct {
	State string
	Cells []Cell
}

// Cell is a transition: its class says which kind or how often, Text is what
// stands in it and Title what it means.
type Cell struct{ Class, Text, Title string }

// heatSteps is the number of colours for transitions that were taken.
const heatSteps = 7

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// coverage has the tables of each protocol.
func (d *campaignData) coverage() []protocolView {
	var list []protocolView
	cells := 0
	for _, s := range d.sum.Protocols(d.archive.Campaign) {
		v := protocolView{Name: clip(s.Name, nameShown), Sum: sumOf(s.Reachable, s.Whole)}
		for _, name := range s.Configs[:min(len(s.Configs), configsShown)] {
			v.Configs = append(v.Configs, clip(name, nameShown))
		}
		if more := len(s.Configs) - configsShown; more > 0 {
			v.Configs = append(v.Configs, fmt.Sprintf("%d more", more))
		}
		if s.Edited {
			v.Note = "Only configurations with injected bugs ran it."
		}
		for _, m := range machines(s.Coverage) {
			view := heat(m, s.Reachable, s.Whole)
			if cells += len(view.Rows) * len(view.Events); cells > cellsShown {
				view.Rows, view.Events = nil, nil
			}
			v.Machines = append(v.Machines, view)
		}
		list = append(list, v)
	}
	return list
}

// machines groups transitions by machine, in the order of their first.
func machines(c sim.Coverage) []sim.Coverage {
	var list []sim.Coverage
	at := make(map[string]int)
	for _, t := range c {
		i, ok := at[t.Machine]
		if !ok {
			i = len(list)
			at[t.Machine] = i
			list = append(list, nil)
		}
		list[i] = append(list[i], t)
	}
	return list
}

// Machines are the tables of a protocol's controllers, and reachable are the transitions
// that are not proven unreachable. Whole says that transitions that are not listed do
// not exist.
func Machines(c, reachable sim.Coverage, whole bool) []Machine {
	var list []Machine
	for _, m := range machines(c) {
		list = append(list, heat(m, reachable, whole))
	}
	return list
}

func sumOf(c sim.Coverage, whole bool) string {
	if !whole {
		return messages.Plural(c.Taken(), "transition") + " taken"
	}
	return fmt.Sprintf("%s of %s transitions taken, %s", messages.Comma(c.Taken()), messages.Comma(len(c)), percent(c.Taken(), max(len(c), 1)))
}

// heat makes the table of one machine. Whole says that transitions that are
// not listed do not exist.
func heat(c, reachable sim.Coverage, whole bool) Machine {
	mine := slices.DeleteFunc(slices.Clone(c), func(t sim.Transition) bool { return !reachable.Has(&t) })
	v := Machine{Name: clip(c[0].Machine, nameShown), Sum: sumOf(mine, whole), Share: -1}
	if whole && len(mine) > 0 {
		v.Share = 1000 * mine.Taken() / len(mine)
	}
	var states []string
	eventAt, stateAt := make(map[string]int), make(map[string]int)
	most := uint64(1)
	for _, t := range c {
		if _, ok := eventAt[t.Event]; !ok {
			eventAt[t.Event] = len(v.Events)
			v.Events = append(v.Events, clip(t.Event, nameShown))
		}
		if _, ok := stateAt[t.State]; !ok {
			stateAt[t.State] = len(states)
			states = append(states, t.State)
		}
		most = max(most, t.Count)
	}
	v.Rows = make([]State, len(states))
	for i, s := range states {
		v.Rows[i] = State{clip(s, nameShown), make([]Cell, len(v.Events))}
	}
	for i := range c {
		shown := cell(&c[i], most)
		if !mine.Has(&c[i]) {
			shown = Cell{"unreachable", "–", clip(c[i].State, nameShown) + ", " + clip(c[i].Event, nameShown) + ": unreachable in what was explored"}
		}
		v.Rows[stateAt[c[i].State]].Cells[eventAt[c[i].Event]] = shown
	}
	return v
}

// cell shows one transition, most being the largest count of the machine.
func cell(t *sim.Transition, most uint64) Cell {
	where := clip(t.State, nameShown) + ", " + clip(t.Event, nameShown) + ": "
	switch {
	case t.Count > 0:
		step := 0
		if most > 1 {
			step = int(math.Log(float64(t.Count)) / math.Log(float64(most)) * (heatSteps - 1e-9))
		}
		return Cell{fmt.Sprintf("h%d", step), messages.Short(float64(t.Count)), where + messages.Comma(int(t.Count))}
	case t.Taken():
		return Cell{"h0", "z", where + "only stalled, " + messages.Plural(int(t.Stalls), "time")}
	}
	return Cell{"never", "0", where + "never taken"}
}
