package ruby

import (
	"cmp"
	"slices"
	"strings"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Stuck is the failure of a run in which nothing goes on: where the line of the oldest
// access in flight is stuck. It does not say who asked for what, since that is chance.
//
// What holds a line up is looked for from memory to the cores, for a controller
// nearer to memory that is in the middle of something keeps those behind it
// waiting: first a busy controller of memory or of a shared cache; then one
// that is not busy and yet holds messages back, which nothing will wake;
// then a busy private cache, but for those that only wait for the answer to a
// request of their own core.
func (s *System) Stuck() sim.Failure {
	line, ok := s.oldestLine()
	if !ok {
		return sim.Failure{Kind: sim.KindDeadlock}
	}
	holders := s.holders(line)
	for _, rule := range []struct {
		is    func(*holder) bool
		holds bool
	}{
		{func(h *holder) bool { return h.busy && !h.private }, false},
		{func(h *holder) bool { return !h.busy && h.back != "" }, true},
		{func(h *holder) bool { return h.busy && !h.asked }, false},
	} {
		i := slices.IndexFunc(holders, func(h holder) bool { return rule.is(&h) })
		switch {
		case i >= 0 && rule.holds:
			return sim.Failure{Kind: sim.KindDeadlock, Row: holders[i].row, Buffer: holders[i].back}
		case i >= 0:
			return sim.Failure{Kind: sim.KindDeadlock, Row: holders[i].row, Text: "is busy"}
		}
	}
	lost := sim.Failure{Kind: sim.KindRequestLost}
	if slices.ContainsFunc(holders, func(h holder) bool { return h.busy }) {
		lost.Kind = sim.KindUnanswered
	}
	if home := slices.IndexFunc(holders, func(h holder) bool { return !h.private }); home >= 0 {
		lost.Row = holders[home].row
	}
	return lost
}

// oldestLine is the line of the oldest access of any core or device.
func (s *System) oldestLine() (line memory.Addr, found bool) {
	var since event.Tick
	oldest := func(l memory.Addr, at event.Tick, ok bool) {
		if ok && (!found || at < since) {
			line, since, found = l, at, true
		}
	}
	for _, p := range s.ports {
		oldest(p.Oldest())
	}
	for _, d := range s.devices {
		oldest(d.Oldest())
	}
	return line, found
}

type holder struct {
	row     sim.Row // without an event
	private bool    // it has cores
	busy    bool    // it is in the middle of something with the line
	asked   bool    // it waits for the answer to a request of its core
	back    string  // the buffers in which messages for the line wait
}

// holders lists the controllers by their distance from memory, those of one
// machine by their states in the order of the protocol's text.
func (s *System) holders(line memory.Addr) []holder {
	type place struct{ distance, state int }
	var list []holder
	places := map[holder]place{}
	for k, controllers := range s.controllers {
		for _, c := range controllers {
			h, state, ok := c.holds(line)
			if !ok {
				continue
			}
			distance := len(s.controllers) - k
			switch {
			case c.role.Home:
				distance = 0
			case h.private:
				distance += len(s.controllers)
			}
			places[h] = place{distance, state}
			list = append(list, h)
		}
	}
	slices.SortFunc(list, func(a, b holder) int {
		p, q := places[a], places[b]
		return cmp.Or(p.distance-q.distance, p.state-q.state)
	})
	return list
}

// holds says what a controller has to do with a line, and the number of its
// state; false if the protocol's own function fails.
func (c *controller) holds(line memory.Addr) (h holder, number int, ok bool) {
	if c.role.Home && !c.system.isHome(c, line) {
		return h, 0, false
	}
	var tbe, entry *object
	for _, t := range c.tables {
		if e := t.lookup(line); e != nil {
			tbe = e
		}
	}
	for _, cached := range c.caches {
		cached.Each(func(e *object) {
			if e.line == line {
				entry = e
			}
		})
	}
	state := c.peekState(tbe, entry, line)
	if state == nil {
		return h, 0, false
	}
	h = holder{
		row: sim.Row{Machine: c.code.Decl.Name, State: state.Name}, private: c.role.Private || c.role.Device, busy: tbe != nil || c.isBusy(state),
	}
	var back []string
	own := false // a request of the core is held back
	for _, b := range c.in {
		if b != nil && b.holdsBack(line, c) {
			back = append(back, b.title)
			own = own || b == c.mandatory
		}
	}
	slices.Sort(back)
	h.back = strings.Join(slices.Compact(back), " and ")
	waits := func(l memory.Addr, _ event.Tick, active bool) bool { return active && l == line }
	h.asked = !own && (slices.ContainsFunc(c.sequencers, func(p *memory.Sequencer) bool { return p.Waits(line) }) ||
		slices.ContainsFunc(c.devices, func(d *memory.DeviceSequencer) bool { return waits(d.Oldest()) }))
	return h, slices.Index(c.code.Decl.State.Enums, state), true
}

// holdsBack reports whether messages that have arrived wait for a line.
func (b *buffer) holdsBack(line memory.Addr, c *controller) bool {
	if b.stalledFor(line) > 0 {
		return true
	}
	return slices.ContainsFunc(b.items[b.head:], func(q queued) bool {
		at := q.msg.layout.Addr
		return (q.at <= c.system.queue.Now() || q.recycled > 0) && at >= 0 && memory.Addr(q.msg.words[at]).Line() == line
	})
}
