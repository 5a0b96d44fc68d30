package core

import (
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// blocking is a core that performs loads and read-modify-writes in program
// order, one at a time. Its stores go to a buffer, whose discipline makes the
// core TSO or PSO; without a buffer they perform in order as well, which is SC.
type blocking struct {
	base
	buffer buffer
	// drainAll says that a read-modify-write follows all buffered stores and
	// not only those to its location.
	drainAll bool

	current   instruction
	state     blockingState
	busyUntil event.Tick
	// split: the current operation is the store of a read-modify-write that
	// is performed as a pair and whose load returned old.
	split bool
	old   uint64
	// failures is the number of times that the conditional store of the current
	// operation has failed.
	failures int
}

type blockingState uint8

const (
	fetching blockingState = iota
	starting               // the operation could not start yet
	waiting                // its access is under way
)

func newBlocking(b base, c Config) *blocking {
	core := &blocking{base: b, drainAll: c.Kind == TSO}
	if c.Kind == InOrder {
		return core
	}
	d := oneByOne
	if c.Kind == PSO {
		d = perLocation
	}
	if slices.Contains(c.Bugs, BufferOutOfOrder) {
		d++
	}
	core.buffer = newBuffer(c.Buffer, d)
	return core
}

// Handle is a wake-up: it starts at most one operation and one buffered store.
func (c *blocking) Handle(uint64) {
	if c.state != waiting {
		c.proceed()
	}
	c.buffer.drain(&c.base)
}

// proceed fetches the next operation if need be and tries to start it.
func (c *blocking) proceed() {
	if now := c.queue.Now(); now < c.busyUntil {
		c.wake(c.busyUntil)
		return
	}
	if c.state == fetching {
		if c.thread.exhausted() {
			if c.buffer.empty() {
				c.end()
			}
			return
		}
		c.current = c.thread.fetch()
		c.state = starting
	}
	in := &c.current
	if c.split {
		c.access()
		return
	}
	switch in.kind {
	case gen.Delay:
		c.state = fetching
		c.busyUntil = c.queue.Now() + event.Tick(in.value)
		c.wake(c.busyUntil)
	case gen.FullFence:
		if c.buffer.empty() || !c.fenceDrains {
			c.thread.stepped()
			c.retire()
		}
	case gen.Load:
		if s := c.buffer.forward(in.loc, c.forwardOldest); s != nil {
			c.stats.Forwarded++
			c.thread.finish(s.in.value)
			c.thread.stepped()
			c.retire()
			return
		}
		c.access()
	case gen.Store:
		switch {
		case c.buffer.depth == 0:
			c.access()
		case !c.buffer.full():
			c.buffer.push(*in, c.late())
			c.thread.stepped()
			c.retire()
		}
	default:
		if c.drainedFor(in.loc) {
			c.access()
		}
	}
}

// drainedFor reports whether the buffer holds no store that a read-modify-write
// of a location has to follow.
func (c *blocking) drainedFor(l gen.LocID) bool {
	if c.drainAll {
		return c.buffer.empty()
	}
	return c.buffer.youngest(l) == nil
}

// access starts the access of the current operation; a full port is tried
// again when an access has performed.
func (c *blocking) access() {
	if c.port.Access(c.request(&c.current, c.split, 0)) {
		c.state = waiting
	}
}

// retire goes on to the next operation at the next tick.
func (c *blocking) retire() {
	c.state = fetching
	c.wakeNext()
}

// Perform is the instant of an access: of the current operation (tag 0) or of
// a buffered store.
func (c *blocking) Perform(tag uint64, b *memory.Block) {
	c.wakeNext()
	if tag != 0 {
		c.buffer.perform(tag, c.thread, b)
		return
	}
	in := &c.current
	switch {
	case in.isRMW() && c.rmw != exclusive:
		c.old, c.split = b[in.word], true
		c.thread.readFirst(in, c.old)
		c.current = in.storeAfter(c.old)
		c.state, c.busyUntil = starting, c.queue.Now()+c.lockHold
	case c.split:
		c.split = false
		c.thread.apply(in, b)
		c.thread.stepped()
		c.thread.finish(c.old)
		c.state, c.failures = fetching, 0
	default:
		value := c.thread.apply(in, b)
		c.thread.stepped()
		if in.kind.Reads() {
			c.thread.finish(value)
		} else {
			c.thread.committed()
		}
		c.state = fetching
	}
}

// Fail starts the current read-modify-write again: its conditional store has
// failed.
func (c *blocking) Fail(uint64) {
	c.current, c.split, c.state = c.current.again(c.old), false, starting
	c.busyUntil = c.retryAt(c.failures)
	c.failures++
	c.wake(c.busyUntil)
}

// Describe is the state of the core in words.
func (c *blocking) Describe() string {
	text := "is about to fetch"
	switch {
	case c.state == waiting:
		text = fmt.Sprintf("waits for %s", c.thread.text(&c.current))
	case c.state == starting:
		text = fmt.Sprintf("holds back %s", c.thread.text(&c.current))
	case c.thread.exhausted():
		text = "has no operation left"
	case c.queue.Now() < c.busyUntil:
		text = fmt.Sprintf("is delayed until tick %d", c.busyUntil)
	}
	return text + c.thread.buffered(&c.buffer)
}
