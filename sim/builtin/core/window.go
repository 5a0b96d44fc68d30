package core

import (
	"math/bits"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
)

// window holds the operations that a core has fetched and not retired, in
// program order, in a ring.
type window struct {
	slots      []slot // a power of two
	mask       uint64 // the slot of a position is position and mask
	size       uint64
	head, tail uint64 // positions
	tickets    uint64
}

type slot struct {
	in      instruction
	state   slotState
	readyAt event.Tick // the address is known
	late    bool       // the store's address is not known yet
	again   bool       // the load has lost its line, and starts again at the head
	ticket  uint64     // of the access under way
	value   uint64     // what a read returned
	// split: the operation is the store of a read-modify-write that is performed
	// as a pair and whose load returned value.
	split bool
	// second is the access of a load to its second line.
	second half
	// failures is the number of times that the conditional store has failed.
	failures int
}

type slotState uint8

const (
	unissued slotState = iota
	issued
	performed
)

func newWindow(size int) window {
	slots := 1 << bits.Len(uint(size-1))
	return window{slots: make([]slot, slots), mask: uint64(slots - 1), size: uint64(size)}
}

func (w *window) empty() bool { return w.head == w.tail }

func (w *window) full() bool { return w.tail-w.head == w.size }

func (w *window) at(position uint64) *slot { return &w.slots[position&w.mask] }

// push fetches an operation into the window, which is not full.
func (w *window) push(in instruction, readyAt event.Tick) {
	*w.at(w.tail) = slot{in: in, readyAt: readyAt}
	w.tail++
}

// slotBits is the number of bits of a tag that hold the index of a slot; the
// rest hold a ticket, unique for each access of a core.
const slotBits = 8

// tag makes the tag of an access of the slot at a position.
func (w *window) tag(position uint64) uint64 {
	w.tickets++
	w.at(position).ticket = w.tickets
	return w.tickets<<slotBits | position&w.mask
}

// slot is the slot of the access with a tag, if it has not been squashed.
func (w *window) slot(tag uint64) *slot { return &w.slots[tag&(1<<slotBits-1)] }

// position is that of the access with a tag, if it has not been squashed.
func (w *window) position(tag uint64) uint64 {
	return w.head + (tag&(1<<slotBits-1)-w.head)&w.mask
}

// tagged is the slot of the access with a tag, nil when the access has been
// squashed.
func (w *window) tagged(tag uint64) *slot {
	s := w.slot(tag)
	if s.state != issued || s.ticket != tag>>slotBits {
		return nil
	}
	return s
}

// youngestStore is the last store to a location before a position whose address is
// known, nil when there is none.
func (w *window) youngestStore(position uint64, l gen.LocID) *instruction {
	for p := position; p != w.head; p-- {
		if s := w.at(p - 1); s.in.kind == gen.Store && !s.late && s.in.loc == l {
			return &s.in
		}
	}
	return nil
}

// oldestStore is the first such store, nil when there is none.
func (w *window) oldestStore(position uint64, l gen.LocID) *instruction {
	for p := w.head; p != position; p++ {
		if s := w.at(p); s.in.kind == gen.Store && !s.late && s.in.loc == l {
			return &s.in
		}
	}
	return nil
}

// pending reports whether an access to a location before a position has not
// performed.
func (w *window) pending(position uint64, l gen.LocID) bool {
	for p := w.head; p != position; p++ {
		if s := w.at(p); s.state != performed && s.in.loc == l && s.in.kind != gen.FullFence {
			return true
		}
	}
	return false
}

// isBarrier reports whether no later operation may be performed early.
func (s *slot) isBarrier() bool { return s.in.kind == gen.FullFence || s.in.isRMW() || s.split }
