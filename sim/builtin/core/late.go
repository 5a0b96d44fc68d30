package core

import (
	"math/bits"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
)

// lateStoreTicks bounds how late the address of a store is known.
const lateStoreTicks = 64

// full reports whether nothing more can be fetched.
func (c *windowed) full() bool {
	return c.window.full() || c.loadQueue > 0 && c.loads == c.loadQueue
}

// arrived accounts for the operation at the end of the window, and draws whether it
// is a store whose address is known late.
func (c *windowed) arrived() {
	s := c.window.at(c.window.tail - 1)
	switch s.in.kind {
	case gen.Load:
		c.loads++
	case gen.Store:
		if c.lateStores > 0 && c.random.Uint64()%uint64(c.lateStores) == 0 {
			ticks, _ := bits.Mul64(c.random.Uint64(), lateStoreTicks)
			s.late, s.readyAt = true, c.queue.Now()+1+event.Tick(ticks)
		}
	}
}

// resolve has the addresses of stores be known whose time it is. The first later
// load of such a location that was issued before has gone ahead of the store: it
// starts again, with all later ones (gem5's LSQUnit::checkViolations, v24.0.0.1
// src/cpu/o3/lsq_unit.cc:510, which does not ask where the load has its value from
// either).
func (c *speculative) resolve() {
	if c.lateStores == 0 {
		return
	}
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		if !s.late {
			continue
		}
		if s.readyAt > c.queue.Now() {
			c.wake(s.readyAt)
			continue
		}
		s.late = false
		for q := p + 1; q != c.window.tail; q++ {
			if l := c.window.at(q); l.in.kind == gen.Load && l.in.loc == s.in.loc && l.state != unissued {
				c.squash(q)
				break
			}
		}
	}
}

// squash starts the loads from a position on again.
func (c *speculative) squash(position uint64) {
	for p := position; p != c.window.tail; p++ {
		if s := c.window.at(p); s.in.kind == gen.Load && s.state != unissued {
			s.state, s.second, s.again = unissued, half{}, false
			c.stats.Squashed++
		}
	}
	c.wakeNext()
}
