package core

import (
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/memory"
)

// weak is the core of Arm and of RISC-V: whatever other-multi-copy atomic Armv8
// (Pulte et al., POPL 2018) or RVWMO (The RISC-V Instruction Set Manual, Volume I,
// Ch. 14) lets overtake something may do so. Each access performs at one instant
// for all other cores, after all that its precedence names; a load reads from its
// own core's latest store to the location that has not performed.
//
// A load may overtake an earlier one of its location, as long as both return one
// write: when the earlier one returns another, the later one, and all loads that
// had to follow it, start again. A store waits until no load that it has to follow
// can start again, which orders no more than the models do: what the models order
// before the earlier load they order before the store, or before the later load
// as well.
//
// It is stronger than the models in this: linked loads do not overtake linked
// loads and conditional stores, of which a core has one monitor, nor read from
// stores that have not performed; the two parts of an atomic instruction of Arm
// begin when all that either has to follow has performed.
type weak struct {
	windowed
	order    order
	holding  bool // a line is locked
	stored   bool // the latest conditional store to perform, in program order, wrote
	squashes bool
}

func newWeak(b base, c Config) *weak {
	return &weak{
		windowed: windowed{base: b, window: newWindow(c.Window)}, order: newOrder(c.Bugs),
		squashes: !slices.Contains(c.Bugs, LoadNotSquashed),
	}
}

// Handle is a wake-up.
func (c *weak) Handle(uint64) {
	c.retire()
	from := c.window.tail
	c.fetch()
	for ; from != c.window.tail; from++ {
		c.order.add(&c.window, from)
	}
	c.issue()
	if c.window.empty() && c.thread.exhausted() {
		c.end()
	}
}

// retire takes performed operations off the window in program order, and fences.
func (c *weak) retire() {
	for n := 0; n < width && !c.window.empty(); n++ {
		s := c.window.at(c.window.head)
		if s.state != performed && !s.in.isFence() {
			return
		}
		c.order.remove(c.window.head & c.window.mask)
		c.leave()
	}
}

// issue starts what may perform now.
func (c *weak) issue() {
	left := width
	var waiting, open events // that have not performed; that have not, or may start again
	for p := c.window.head; p != c.window.tail; p++ {
		s, i := c.window.at(p), p&c.window.mask
		if s.state == unissued && !s.in.isFence() && c.ready(s, i, waiting, open) {
			switch {
			case s.readyAt > c.queue.Now():
				c.wake(s.readyAt)
			case left == 0:
				c.wakeNext()
			case c.perform(p, waiting):
				left--
			}
		}
		reads, writes := s.in.events(i)
		all := reads | writes
		done := s.done(reads, writes)
		waiting |= all &^ done
		open |= all &^ done
		if x := &c.order.of[i]; (x.read|x.same)&open != 0 && done&reads != 0 && writes == 0 {
			open |= reads
		}
	}
}

// ready reports whether nothing holds back the access of an operation that has
// not been issued.
func (c *weak) ready(s *slot, i uint64, waiting, open events) bool {
	x := &c.order.of[i]
	switch {
	case s.split:
		return true
	case !s.in.kind.Writes():
		return x.read&waiting == 0
	case s.in.isRMW():
		return (x.read|x.write)&open == 0 && !(c.holding && c.rmw == lockedPair)
	default:
		return x.write&open == 0
	}
}

// perform reads from a store of the core, or starts an access. It returns false
// for what is to be tried again after an access has performed.
func (c *weak) perform(position uint64, waiting events) bool {
	s := c.window.at(position)
	if s.in.attr&gen.Retry != 0 && c.stored { // links has kept it behind the attempt before it
		s.state, s.value = performed, 0
		if s.in.kind == gen.StoreConditional {
			s.value = uint64(gen.Skipped)
		}
		c.wakeNext()
		return true
	}
	if s.in.kind == gen.Load {
		if m, ok := c.unperformed(position, s.in.loc); ok {
			store, sources := c.window.at(m), c.order.of[m&c.window.mask].sources
			if sources&waiting != 0 {
				return false
			}
			c.order.of[position&c.window.mask].read |= sources
			c.forwarded(s, &store.in)
			c.agree(position)
			return true
		}
	}
	if !c.access(position) {
		return false
	}
	if s.in.isRMW() && c.rmw == lockedPair {
		c.holding = true
	}
	return true
}

// unperformed is the position of the last store to a location before a position
// that has not performed, of a core that forwards from the oldest the first.
func (c *weak) unperformed(position uint64, l gen.LocID) (at uint64, ok bool) {
	for p := position; p != c.window.head; {
		p--
		if s := c.window.at(p); s.in.loc == l && s.in.kind.Writes() && s.state != performed {
			if at, ok = p, true; !c.forwardOldest {
				return at, ok
			}
		}
	}
	return at, ok
}

// Perform completes the access of an operation in the window, unless it was
// squashed meanwhile.
func (c *weak) Perform(tag uint64, b *memory.Block) {
	s := c.window.tagged(tag)
	c.windowed.Perform(tag, b)
	switch {
	case s == nil:
	case s.split && s.state == unissued:
		s.readyAt = max(s.readyAt, c.late())
	case s.split:
		c.holding = false
	case s.in.kind == gen.StoreConditional:
		s.value, c.stored = conditionalStored, true
	case !s.in.kind.Writes():
		c.agree(c.window.position(tag))
	}
}

// What the log has for a store-conditional.
const (
	conditionalStored = 0
	conditionalFailed = 1
)

// Fail ends a conditional store without effect.
func (c *weak) Fail(tag uint64) {
	s := c.window.tagged(tag)
	s.value, s.state, c.stored = conditionalFailed, performed, false
	c.stats.Failed++
	c.wakeNext()
}

// agree starts later loads again that returned another write than the load at a
// position, which has performed after them.
func (c *weak) agree(position uint64) {
	if !c.squashes {
		return
	}
	first := c.window.at(position)
	reads, _ := first.in.events(position & c.window.mask)
	var again events
	for p := position + 1; p != c.window.tail; p++ {
		s, i := c.window.at(p), p&c.window.mask
		x := &c.order.of[i]
		stale := x.same&reads != 0 && s.state == performed && s.value != first.value
		if (stale || x.read&again != 0) && !s.in.kind.Writes() && !s.in.isFence() && s.state != unissued {
			s.state = unissued
			own, _ := s.in.events(i)
			again |= own
			c.stats.Squashed++
		}
	}
	if again != 0 {
		c.wakeNext()
	}
}
