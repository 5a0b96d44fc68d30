package core

import (
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/memory"
)

// speculative is the out-of-order TSO core: gem5's O3 with needsTSO as far as
// memory sees it. Loads are issued as soon as their addresses are known, read
// from the youngest earlier store of their own core if one is pending, and
// retire in order. Stores enter a FIFO buffer when they retire. Fences and
// read-modify-writes start at the head of the window when the buffer is empty;
// nothing is issued past them.
type speculative struct {
	windowed
	buffer   buffer
	squashes bool
	eager    bool // see Config.EagerRepeats
}

func newSpeculative(b base, c Config) *speculative {
	d := oneByOne
	if slices.Contains(c.Bugs, BufferOutOfOrder) {
		d++
	}
	return &speculative{
		windowed: windowed{
			base: b, window: newWindow(c.Window), strays: strays{every: c.WrongPath}, loadQueue: c.LoadQueue, lateStores: c.LateStores,
			crossings: newCrossings(c.Crossing, b.thread),
		}, buffer: newBuffer(c.Buffer, d),
		squashes: !slices.Contains(c.Bugs, LoadNotSquashed), eager: c.EagerRepeats,
	}
}

// Handle is a wake-up. A store that the full port refused goes before all loads, as
// gem5 does (LSQUnit::recvRetry, v24.0.0.1 src/cpu/o3/lsq_unit.cc:1274): loads that
// lose their lines again and again would else fill the port for ever.
func (c *speculative) Handle(uint64) {
	c.resolve()
	c.retire()
	if c.buffer.refused {
		c.buffer.drain(&c.base)
	}
	c.fetch()
	c.issue()
	c.buffer.drain(&c.base)
	if c.window.empty() && c.buffer.empty() && c.strays.underWay == 0 && c.thread.exhausted() {
		c.end()
	}
}

func (c *speculative) retire() {
	for n := 0; n < width && !c.window.empty(); n++ {
		s := c.window.at(c.window.head)
		if !s.complete() && !c.mayRetire(s) {
			return
		}
		if s.again { // ReExec is a fault, which is taken when the load commits (sim/faults.cc)
			c.squash(c.window.head)
			return
		}
		c.leave()
	}
}

// mayRetire reports whether an operation at the head of the window that has not
// performed may leave it. It starts read-modify-writes.
func (c *speculative) mayRetire(s *slot) bool {
	switch {
	case s.in.kind == gen.FullFence:
		return c.buffer.empty() || !c.fenceDrains
	case s.in.kind == gen.Store && !s.split:
		if s.late || c.buffer.full() {
			return false
		}
		c.buffer.push(s.in, c.late())
		return true
	case (s.split || s.failures > 0) && s.readyAt > c.queue.Now():
		c.wake(s.readyAt)
	case s.in.kind != gen.Load && s.state == unissued && c.buffer.empty():
		c.access(c.window.head)
	}
	return false
}

func (c *speculative) issue() {
	left := width
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		if s.isBarrier() {
			return
		}
		if s.in.kind == gen.Load && s.state != unissued && !c.issueSecond(p) {
			return
		}
		if s.in.kind != gen.Load || s.state != unissued {
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
		left--
		if store := c.store(p, s.in.loc); store != nil {
			c.forwarded(s, store)
			s.second.state = performed // gem5 forwards only loads whose bytes the store has all
		} else if !c.access(p) || !c.issueSecond(p) {
			return
		}
	}
}

// store is the store of its own core that a load at a position reads from;
// nil when all earlier stores to the location have performed.
func (c *speculative) store(position uint64, l gen.LocID) *instruction {
	if c.forwardOldest {
		if s := c.buffer.oldest(l); s != nil {
			return &s.in
		}
		return c.window.oldestStore(position, l)
	}
	in := c.window.youngestStore(position, l)
	if s := c.buffer.youngest(l); in == nil && s != nil {
		return &s.in
	}
	return in
}

// Perform is the instant of an access.
func (c *speculative) Perform(tag uint64, b *memory.Block) {
	if tag&bufferTag == 0 {
		c.windowed.Perform(tag, b)
		return
	}
	c.wakeNext()
	c.buffer.perform(tag, c.thread, b)
}

// Evict is gem5's snoop of the load queue (LSQUnit::checkSnoop with needsTSO,
// v24.0.0.1 src/cpu/o3/lsq_unit.cc:427): of all loads but the oldest (:462, the loop
// begins behind it), the first issued one to the line is marked (:473, as all later ones are by
// force_squash) and starts again with all later ones when it is at the head of the reorder
// buffer. The oldest load is safe: all earlier loads have retired. A load that was forwarded from
// a store counts as issued, as there: it has a request.
func (c *speculative) Evict(line memory.Addr) {
	if !c.squashes {
		return
	}
	oldest := true
	for p := c.window.head; p != c.window.tail; p++ {
		s := c.window.at(p)
		if s.in.kind != gen.Load {
			continue
		}
		if !oldest && s.touches(line) {
			if s.again = true; c.eager {
				c.squash(p)
			}
			return
		}
		oldest = false
	}
}

// Describe is the state of the core in words.
func (c *speculative) Describe() string { return c.windowed.Describe() + c.thread.buffered(&c.buffer) }
