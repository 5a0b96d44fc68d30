package core

import "ordeal/gen"

// relaxed is the RMO core: every access in its window may be performed before
// earlier ones, but for fences, and for a write after accesses to its location.
// Loads of one location may overtake each other, which RMO allows; a load reads
// from its own core's earlier stores while they are pending.
type relaxed struct{ windowed }

func newRelaxed(b base, c Config) *relaxed {
	return &relaxed{windowed{base: b, window: newWindow(c.Window)}}
}

// Handle is a wake-up.
func (c *relaxed) Handle(uint64) {
	c.retire()
	c.fetch()
	c.issue()
	if c.window.empty() && c.thread.exhausted() {
		c.end()
	}
}

// retire takes performed operations off the window in program order, and
// fences with nothing before them.
func (c *relaxed) retire() {
	for n := 0; n < width && !c.window.empty(); n++ {
		s := c.window.at(c.window.head)
		if s.state != performed && s.in.kind != gen.FullFence {
			return
		}
		c.leave()
	}
}

func (c *relaxed) issue() {
	left := width
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		if s.in.kind == gen.FullFence && c.fenceDrains {
			return
		}
		if s.in.kind == gen.FullFence || s.state != unissued {
			continue
		}
		if s.readyAt > c.queue.Now() {
			c.wake(s.readyAt)
			continue
		}
		if left == 0 {
			c.wakeNext()
			return
		}
		if s.in.kind == gen.Load {
			rmw, store := c.before(p, s.in.loc)
			if rmw {
				continue
			}
			if store != nil {
				left--
				c.forwarded(s, store)
				continue
			}
		} else if c.window.pending(p, s.in.loc) {
			continue
		}
		left--
		if !c.access(p) {
			return
		}
	}
}

// before finds what a load at a position depends on among its own core's
// earlier writes to the location: a read-modify-write to wait for, a store to
// read from, or neither.
func (c *relaxed) before(position uint64, l gen.LocID) (rmw bool, store *instruction) {
	for p := c.window.head; p != position; p++ {
		s := c.window.at(p)
		switch {
		case s.state == performed || s.in.loc != l || !s.in.kind.Writes():
		case s.in.isRMW():
			rmw, store = true, nil
		case store == nil || !c.forwardOldest:
			rmw, store = false, &s.in
		}
	}
	return rmw, store
}
