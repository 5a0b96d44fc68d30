package core

import (
	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

type windowed struct {
	base
	window    window
	strays    strays
	crossings crossings
	busyUntil event.Tick // nothing is fetched before
	// loads is the number of loads in the window, at most loadQueue unless that is 0.
	loads, loadQueue int
	lateStores       int // one of so many, 0: none
}

// width is the number of operations that are fetched, issued and retired in
// one tick, each.
const width = 4

func (c *windowed) fetch() {
	now := c.queue.Now()
	for n := 0; !c.thread.exhausted() && !c.full(); n++ {
		if n == width {
			c.wakeNext()
			return
		}
		if now < c.busyUntil {
			c.wake(c.busyUntil)
			return
		}
		in := c.thread.fetch()
		if in.kind == gen.Delay {
			c.busyUntil = now + event.Tick(in.value)
			continue
		}
		c.cross(&in)
		c.window.push(in, c.late())
		c.arrived()
		c.stray()
		c.wakeNext()
	}
}

// access starts the access of an operation. It returns false if the port is
// full: the core tries again after an access has performed.
func (c *windowed) access(position uint64) bool {
	s := c.window.at(position)
	if !c.port.Access(c.request(&s.in, s.split, c.window.tag(position))) {
		return false
	}
	s.state = issued
	return true
}

// forwarded completes a load with the value of a store of its own core.
func (c *windowed) forwarded(load *slot, store *instruction) {
	c.stats.Forwarded++
	load.value, load.state = store.value, performed
	c.wakeNext()
}

// Perform completes the access of an operation in the window, unless it was
// squashed meanwhile.
func (c *windowed) Perform(tag uint64, b *memory.Block) {
	c.wakeNext()
	if tag == strayTag {
		c.strays.underWay--
		return
	}
	if tag&crossTag != 0 {
		c.performSecond(tag)
		return
	}
	s := c.window.tagged(tag)
	switch {
	case s == nil:
	case s.in.isRMW() && c.rmw != exclusive:
		s.value = b[s.in.word]
		c.thread.readFirst(&s.in, s.value)
		s.in, s.split, s.state = s.in.storeAfter(s.value), true, unissued
		s.readyAt = c.queue.Now() + c.lockHold
	case s.split:
		c.thread.apply(&s.in, b)
		c.thread.stepped()
		s.state = performed
	default:
		s.value, s.state = c.thread.apply(&s.in, b), performed
		if s.in.isRMW() {
			c.thread.stepped()
		}
	}
}

// Fail starts a read-modify-write again: its conditional store has failed.
func (c *windowed) Fail(tag uint64) {
	s := c.window.tagged(tag)
	s.in, s.split, s.state = s.in.again(s.value), false, unissued
	s.readyAt = c.retryAt(s.failures)
	s.failures++
	c.wake(s.readyAt)
}

// leave takes the operation at the head off the window.
func (c *windowed) leave() {
	s := c.window.at(c.window.head)
	if s.in.kind.Reads() || s.split {
		c.thread.finish(s.value)
	}
	if !s.in.isRMW() && !s.split {
		c.thread.stepped()
	}
	if s.in.kind == gen.Load {
		c.loads--
	}
	c.window.head++
	c.wakeNext()
}
