package parse

import (
	"math/bits"

	"ordeal/gen"
)

// Writers finds the write of a value to a location. It is a hash table of
// operations, whose keys are the operations' own locations and values; values
// that differ only in their low bits share a cache line, since neighbouring
// values are written, and read, about the same time.
type Writers struct {
	h     *History
	slots []OpID // Init (never a slot's operation) where free
	mask  uint64
}

// blockSlots is how many slots fill a cache line.
const blockSlots = 16

// NewWriters indexes the writes of h, and reports each write of 0 and each
// second write of one value to a location. Only Ops need be filled in, with
// kinds, locations and values.
func NewWriters(h *History, report func(Fault)) *Writers {
	writes := 0
	for i := range h.Ops {
		if h.Ops[i].Writes() {
			writes++
		}
	}
	size := blockSlots
	for size < 2*writes {
		size *= 2
	}
	w := &Writers{h: h, slots: make([]OpID, size), mask: uint64(size/blockSlots - 1)}
	for i := range w.slots {
		w.slots[i] = Init
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Writes() {
			continue
		}
		if op.Write == 0 {
			report(Fault{Kind: ZeroWrite, Op: OpID(i), Other: NoOp, Loc: op.Loc})
			continue
		}
		slot := w.find(op.Loc, op.Write)
		if *slot != Init {
			report(w.duplicate(OpID(i), *slot))
			continue
		}
		*slot = OpID(i)
	}
	return w
}

// duplicate is the fault of an operation that writes what first writes.
func (w *Writers) duplicate(id, first OpID) Fault {
	op, other := &w.h.Ops[id], &w.h.Ops[first]
	f := Fault{Kind: DuplicateWrite, Op: id, Other: first, Loc: op.Loc, Value: op.Write}
	if op.Kind == RMW && other.Kind == RMW && op.Read == other.Read {
		f.Kind = LostUpdate
	}
	return f
}

// find returns the slot of a key, or the free one where it belongs. The table
// is at most half full, so that there is one. The product is folded, high
// half into low, since values may differ in their high bits only (sums of
// fetch-adds do).
func (w *Writers) find(loc int32, v gen.Value) *OpID {
	const golden = 0x9e3779b97f4a7c15 // 2⁶⁴ / golden ratio
	hi, lo := bits.Mul64((uint64(v)/blockSlots^uint64(loc)<<40)+1, golden)
	block := (hi ^ lo) & w.mask
	slot := uint64(v) % blockSlots
	for {
		line := w.slots[block*blockSlots:][:blockSlots]
		for range blockSlots {
			id := line[slot]
			if id == Init {
				return &line[slot]
			}
			if op := &w.h.Ops[id]; op.Write == v && op.Loc == loc {
				return &line[slot]
			}
			slot = (slot + 1) % blockSlots
		}
		block = (block + 1) & w.mask
	}
}

// Of is the operation that writes v to the location, Init for 0, and NoOp
// where there is none.
func (w *Writers) Of(loc int32, v gen.Value) OpID {
	if v == 0 {
		return Init
	}
	if id := *w.find(loc, v); id != Init {
		return id
	}
	return NoOp
}

// Link fills in the reads-from of every operation, and reports the operations
// that read a value that no operation writes, whose reads-from is NoOp then. Missing
// says what is wrong with them.
func (w *Writers) Link(missing func(OpID)) {
	for i := range w.h.Ops {
		op := &w.h.Ops[i]
		op.RF = NoOp
		if !op.Reads() {
			continue
		}
		if op.RF = w.Of(op.Loc, op.Read); op.RF == NoOp {
			missing(OpID(i))
		}
	}
}

// Missing is the fault of an operation, or NoOp for a final value, that finds
// a value that no operation wrote there. It takes time linear in the history.
func (w *Writers) Missing(id OpID, loc int32, v gen.Value) Fault {
	f := Fault{Kind: UnwrittenValue, Op: id, Other: NoOp, Loc: loc, Value: v}
	for i := range w.h.Ops {
		if op := &w.h.Ops[i]; op.Writes() && op.Write == v && v != 0 {
			f.Kind, f.Other = ForeignValue, OpID(i)
			break
		}
	}
	return f
}
