package explore

import (
	"fmt"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// moment is what the invariants need of a state.
type moment struct {
	controllers []*ruby.Summary
	names       []string
	inFlight    int  // messages between controllers
	waiting     int  // accesses under way
	stuck       bool // no step changes the state
	ages        bool // states keep ages of values
}

// atRest reports whether nothing happens before a core makes an access.
func (m *moment) atRest() bool {
	if m.inFlight > 0 || m.waiting > 0 {
		return false
	}
	for i := range m.controllers {
		if m.controllers[i].Moving {
			return false
		}
	}
	return true
}

// violations appends the faults of a state.
func (m *moment) violations(list []machine.Fault) []machine.Fault {
	for line := range m.controllers[0].Lines {
		list = m.swmr(list, line)
	}
	if m.stuck && m.waiting > 0 {
		list = append(list, m.deadlock())
	}
	if !m.atRest() {
		return list
	}
	for i := range m.controllers {
		if what := m.controllers[i].Leftover; what != (sim.Failure{}) {
			what.Kind = sim.KindAtRest
			list = append(list, machine.Fault{Property: machine.Leftovers, Failure: what, Detail: m.names[i], Step: -1})
		}
	}
	if m.ages {
		for line := range m.controllers[0].Lines {
			list = m.values(list, line)
		}
	}
	return list
}

// deadlock names the first controller that has something left over.
func (m *moment) deadlock() machine.Fault {
	for i := len(m.controllers) - 1; i >= 0; i-- {
		if what := m.controllers[i].Leftover; what != (sim.Failure{}) {
			what.Kind = sim.KindDeadlock
			return machine.Fault{Property: machine.Deadlock, Failure: what, Detail: m.names[i], Step: -1}
		}
	}
	return machine.Fault{Property: machine.Deadlock, Failure: sim.Failure{Kind: sim.KindRequestLost}, Step: -1}
}

// swmr: of the controllers with cores, one that may write a line is the only
// one that may access it. States in the middle of a transaction do not count.
func (m *moment) swmr(list []machine.Fault, line int) []machine.Fault {
	writer := -1
	for i := range m.controllers {
		if m.controllers[i].Owner >= 0 && m.controllers[i].Lines[line].Permission == cache.ReadWrite {
			writer = i
			break
		}
	}
	if writer < 0 {
		return list
	}
	for i := range m.controllers {
		l := &m.controllers[i].Lines[line]
		if owner := m.controllers[i].Owner; owner >= 0 && owner != m.controllers[writer].Owner && readable(l) {
			return append(list, machine.Fault{
				Property: machine.SWMR, Step: -1,
				Failure: sim.Failure{Kind: sim.KindTwoWriters, Row: sim.Row{State: m.controllers[writer].Lines[line].State}, Text: l.State},
				Detail:  fmt.Sprintf("line %d: %s and %s", line, m.names[writer], m.names[i]),
			})
		}
	}
	return list
}

// values: every copy in a cache that may be read is the last write, and there is
// a copy of it in a cache or in memory. What a directory says of memory, as gem5's
// functional accesses ask, does not count.
func (m *moment) values(list []machine.Fault, line int) []machine.Fault {
	kept := false
	for i, c := range m.controllers {
		l := &c.Lines[line]
		if !l.Copy {
			continue
		}
		kept = kept || l.Last && (c.Home || l.Permission != cache.Invalid && l.Permission != cache.NotPresent)
		if !l.Last && !c.Home && readable(l) && !m.within(i, line) {
			list = append(list, machine.Fault{
				Property: machine.Values, Step: -1,
				Failure: sim.Failure{Kind: sim.KindOldAtRest, Row: sim.Row{State: l.State}},
				Detail:  fmt.Sprintf("line %d: %s", line, m.names[i]),
			})
		}
	}
	if !kept {
		list = append(list, machine.Fault{
			Property: machine.Values, Failure: sim.Failure{Kind: "at rest no copy is the last write"}, Detail: fmt.Sprintf("line %d", line), Step: -1,
		})
	}
	return list
}

func readable(l *ruby.LineSummary) bool {
	return l.Permission == cache.ReadOnly || l.Permission == cache.ReadWrite
}

// within reports whether a private cache between controller i and its core has
// the line, so that the copy in controller i may be older.
func (m *moment) within(i, line int) bool {
	owner := m.controllers[i].Owner
	if owner < 0 || m.controllers[i].Cores {
		return false
	}
	for _, c := range m.controllers {
		if c.Owner == owner && c.Cores && readable(&c.Lines[line]) {
			return true
		}
	}
	return false
}

// value is a word of memory at rest: that of a copy which may be read, a
// private one rather than a shared one, and else that of memory.
func (m *moment) value(line, word int) uint64 {
	best, value := -1, uint64(0)
	for i := range m.controllers {
		c := m.controllers[i]
		l := &c.Lines[line]
		if !l.Copy {
			continue
		}
		rank := 0
		switch {
		case l.Permission == cache.ReadWrite && c.Cores:
			rank = 5
		case l.Permission == cache.ReadOnly && c.Cores:
			rank = 4
		case readable(l) && c.Owner >= 0:
			rank = 3
		case readable(l) && !c.Home:
			rank = 2
		case c.Home:
			rank = 1
		}
		if rank > best {
			best, value = rank, l.Words[word]
		}
	}
	return value
}
