package ruby

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Stuck says where the line of the oldest access under way is stuck, without
// anything that varies from run to run of one fault: no addresses, no ticks, no
// numbers of controllers, and nothing about who asked for what, since that is
// chance. It is empty when no access is under way.
//
// What holds a line up is looked for from memory to the cores, for a controller
// nearer to memory that is in the middle of something keeps those behind it
// waiting: first a busy controller of memory or of a shared cache; then one
// that is not busy and yet holds messages back, which nothing will wake;
// then a busy private cache, but for those that only wait for the answer to a
// request of their own core.
func (s *System) Stuck() string {
	line, ok := s.oldestLine()
	if !ok {
		return ""
	}
	holders := s.holders(line)
	for _, rule := range []func(*holder) string{
		func(h *holder) string { return h.when(h.busy && !h.private, "%s is busy in %s") },
		func(h *holder) string { return h.when(!h.busy && h.back != "", "%s holds back "+h.back+" in %s") },
		func(h *holder) string { return h.when(h.busy && !h.asked, "%s is busy in %s") },
	} {
		for i := range holders {
			if text := rule(&holders[i]); text != "" {
				return text
			}
		}
	}
	waits := "a request is lost"
	if slices.ContainsFunc(holders, func(h holder) bool { return h.busy }) {
		waits = "a request is not answered"
	}
	if home := slices.IndexFunc(holders, func(h holder) bool { return !h.private }); home >= 0 {
		waits += holders[home].when(true, ", %s in %s")
	}
	return waits
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
	machine, state string
	private        bool   // it has cores
	busy           bool   // it is in the middle of something with the line
	asked          bool   // it waits for the answer to a request of its core
	back           string // the buffers in which messages for the line wait
}

func (h *holder) when(is bool, format string) string {
	if !is {
		return ""
	}
	return fmt.Sprintf(format, h.machine, h.state)
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
		machine: c.code.Decl.Name, state: state.Name, private: c.role.Private || c.role.Device, busy: tbe != nil || c.isBusy(state),
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
		return q.at <= c.system.queue.Now() && at >= 0 && memory.Addr(q.msg.words[at]).Line() == line
	})
}
