package core

import (
	"math/bits"
	"slices"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// discipline is which stores may leave a buffer, each weaker than the one
// before.
type discipline uint8

const (
	oneByOne    discipline = iota // the oldest, when it has performed the next
	perLocation                   // the oldest of each location
	anyOrder                      // all: a bug
)

// buffer is a store buffer. A store stays in it until it performs.
type buffer struct {
	stores     []buffered // the oldest first
	depth      int
	discipline discipline
	next       uint64 // tag of the next store
	seconds    int    // accesses of second lines under way
	refused    bool   // the port was full for the store that was to leave last
}

type buffered struct {
	in      instruction
	tag     uint64
	readyAt event.Tick // the store may leave
	issued  bool
	second  bool // the access of its second line has been issued
}

// bufferTag marks the tags of buffered stores among the accesses of a core.
const bufferTag = 1 << 63

func newBuffer(depth int, d discipline) buffer {
	return buffer{stores: make([]buffered, 0, depth), depth: depth, discipline: d, next: bufferTag}
}

func (b *buffer) empty() bool { return len(b.stores) == 0 && b.seconds == 0 }

func (b *buffer) full() bool { return len(b.stores) == b.depth }

// push adds a store to the buffer, which is not full.
func (b *buffer) push(in instruction, readyAt event.Tick) {
	b.stores = append(b.stores, buffered{in: in, tag: b.next, readyAt: readyAt})
	b.next++
}

// forward is the store that a load of a location reads from, the youngest or
// (a bug) the oldest; nil when there is none.
func (b *buffer) forward(l gen.LocID, oldest bool) *buffered {
	if oldest {
		return b.oldest(l)
	}
	return b.youngest(l)
}

// youngest is the youngest store to a location, nil when there is none.
func (b *buffer) youngest(l gen.LocID) *buffered {
	for i := len(b.stores) - 1; i >= 0; i-- {
		if b.stores[i].in.loc == l {
			return &b.stores[i]
		}
	}
	return nil
}

// oldest is the oldest store to a location, nil when there is none.
func (b *buffer) oldest(l gen.LocID) *buffered {
	for i := range b.stores {
		if b.stores[i].in.loc == l {
			return &b.stores[i]
		}
	}
	return nil
}

// spreads issues the access of a store's second line, if it has one; false if the port
// is full.
func (b *buffer) spreads(s *buffered, port memory.Port) bool {
	if s.in.second == 0 || s.second {
		return true
	}
	s.second = port.Access(memory.Request{Line: s.in.second, Write: true, Tag: bufferTag | crossTag})
	if s.second {
		b.seconds++
	}
	return s.second
}

// mayLeave reports whether the store at index i may be issued.
func (b *buffer) mayLeave(i int) bool {
	s := &b.stores[i]
	switch {
	case s.issued:
		return false
	case b.discipline == oneByOne:
		return i == 0 && (b.seconds == 0 || s.second) // that before it may wait for its second line
	case b.discipline == perLocation:
		return b.oldest(s.in.loc) == s
	default:
		return true
	}
}

// drain issues one store of core c that may leave, chosen at random, and wakes
// the core for the next.
func (b *buffer) drain(c *base) {
	now := c.queue.Now()
	ready, choice := 0, -1
	for i := range b.stores {
		switch {
		case !b.mayLeave(i):
		case b.stores[i].readyAt > now:
			c.wake(b.stores[i].readyAt)
		default:
			// Each of n ready stores is chosen with probability 1/n.
			if ready++; ready == 1 {
				choice = i
			} else if pick, _ := bits.Mul64(c.random.Uint64(), uint64(ready)); pick == 0 {
				choice = i
			}
		}
		if b.discipline == oneByOne {
			break
		}
	}
	if b.refused = false; ready == 0 {
		return
	}
	s := &b.stores[choice]
	s.issued = b.spreads(s, c.port) && c.port.Access(memory.Request{Line: s.in.line, Write: true, Tag: s.tag})
	b.refused = !s.issued
	if s.issued && ready > 1 {
		c.wakeNext()
	}
}

// perform lets the store with a tag take effect and leave the buffer, from which no
// load is forwarded then. The access of its second line may still be under way.
func (b *buffer) perform(tag uint64, t *Thread, block *memory.Block) {
	if tag&crossTag != 0 {
		b.seconds--
		return
	}
	for i := range b.stores {
		if b.stores[i].tag == tag {
			t.apply(&b.stores[i].in, block)
			t.committed()
			b.stores = slices.Delete(b.stores, i, i+1)
			return
		}
	}
}
