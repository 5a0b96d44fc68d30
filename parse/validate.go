package parse

import (
	"fmt"
	"math"
	"strconv"

	"ordeal/gen/faults"
)

// Validate checks that h is structurally sound, as every procedure of check
// assumes, and reports all faults, each named by thread and operation (the
// first faults in full, the rest as a count). It checks that
//
//   - Start is monotone and spans Ops, and every operation has a known kind;
//   - every access names a location, every fence a known mask, which may
//     be empty, and no location;
//   - every Write and RMW writes a non-zero value;
//   - every Read and RMW reads from Init the value 0, or from another
//     operation that writes the value read to the same location; nothing else
//     has a reads-from;
//   - Final, StoreOrder, Deps and Times are as History documents them.
//
// It does not check that written values are unique (reads-from is explicit),
// nor anything that is a matter of memory models. Time is O(operations).
func (h *History) Validate() error {
	v := validator{h: h}
	if !v.shape() {
		return v.faults.Err()
	}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			v.op(t, id)
		}
	}
	v.final()
	v.storeOrder()
	v.deps()
	v.times()
	return v.faults.Err()
}

type validator struct {
	h      *History
	faults faults.List
}

// shape checks what naming an operation depends on.
func (v *validator) shape() bool {
	h := v.h
	if len(h.Ops) > math.MaxInt32 {
		v.faults.Addf("history has %d operations, more than %d", len(h.Ops), math.MaxInt32)
		return false
	}
	if len(h.Start) == 0 {
		v.faults.Addf("history has no Start")
		return false
	}
	if h.Start[0] != 0 {
		v.faults.Addf("thread 0: starts at operation %d, not 0", h.Start[0])
	}
	for t := range h.Threads() {
		if h.Start[t] > h.Start[t+1] {
			v.faults.Addf("thread %d: starts at operation %d and ends at %d", t, h.Start[t], h.Start[t+1])
		}
	}
	if end := h.Start[len(h.Start)-1]; int(end) != len(h.Ops) {
		v.faults.Addf("threads end at operation %d of %d", end, len(h.Ops))
	}
	if n := len(h.ThreadNames); n != 0 && n != h.Threads() {
		v.faults.Addf("history names %d threads of %d", n, h.Threads())
	}
	return v.faults.Count() == 0
}

// at names operation id in messages; id may be any number.
func (v *validator) at(id OpID) string {
	switch {
	case id == Init:
		return "the initial write"
	case id < 0 || int(id) >= len(v.h.Ops):
		return "operation " + strconv.Itoa(int(id)) + " (out of range)"
	}
	t := v.h.Thread(id)
	return fmt.Sprintf("thread %d operation %d", t, id-v.h.Start[t])
}

func (v *validator) op(t int, id OpID) {
	h := v.h
	o := &h.Ops[id]
	fault := func(format string, args ...any) {
		v.faults.Addf("thread %d operation %d: "+format, append([]any{t, id - h.Start[t]}, args...)...)
	}
	if more := o.Attr &^ o.Kind.attributes(); more != 0 && o.Kind <= Fence {
		fault("attributes %#x, which its kind does not have", uint8(more))
	}
	switch o.Kind {
	case Fence:
		if o.Mask&^FullFence != 0 {
			fault("fence with mask %#x", uint8(o.Mask))
		}
		if o.Loc != -1 {
			fault("fence with location %d", o.Loc)
		}
		if o.RF != NoOp {
			fault("fence with a reads-from")
		}
		return
	case Read, Write, RMW:
	default:
		fault("unknown kind %d", o.Kind)
		return
	}
	if o.Mask != 0 {
		fault("access with fence mask %#x", uint8(o.Mask))
	}
	if o.Loc < 0 || int(o.Loc) >= len(h.Locations) {
		fault("location %d of %d", o.Loc, len(h.Locations))
		return
	}
	if o.Writes() && o.Write == 0 {
		fault("writes 0, the initial value, to %s", h.Locations[o.Loc])
	}
	if !o.Reads() {
		if o.RF != NoOp {
			fault("write with a reads-from")
		}
		return
	}
	switch {
	case o.RF == Init:
		if o.Read != 0 {
			fault("reads %d from %s, but from the initial write of 0", o.Read, h.Locations[o.Loc])
		}
	case o.RF < 0 || int(o.RF) >= len(h.Ops):
		fault("reads from %s", v.at(o.RF))
	case o.RF == id:
		fault("reads from itself")
	default:
		w := &h.Ops[o.RF]
		switch {
		case !w.Writes():
			fault("reads from %s, which does not write", v.at(o.RF))
		case w.Loc != o.Loc:
			fault("reads %s from %s, which writes another location", h.Locations[o.Loc], v.at(o.RF))
		case w.Write != o.Read:
			fault("reads %d from %s, but from %s, which writes %d", o.Read, h.Locations[o.Loc], v.at(o.RF), w.Write)
		}
	}
}

func (v *validator) writes(id OpID, loc int) bool {
	if id < 0 || int(id) >= len(v.h.Ops) {
		return false
	}
	o := &v.h.Ops[id]
	return o.Writes() && int(o.Loc) == loc
}

func (v *validator) final() {
	h := v.h
	if h.Final == nil {
		return
	}
	if len(h.Final) != len(h.Locations) {
		v.faults.Addf("final values of %d locations of %d", len(h.Final), len(h.Locations))
		return
	}
	for loc, id := range h.Final {
		if id != Init && id != NoOp && !v.writes(id, loc) {
			v.faults.Addf("final value of %s: %s does not write it", h.Locations[loc], v.at(id))
		}
	}
}

func (v *validator) storeOrder() {
	h := v.h
	if h.StoreOrder == nil {
		return
	}
	if len(h.StoreOrder) != len(h.Locations) {
		v.faults.Addf("store order of %d locations of %d", len(h.StoreOrder), len(h.Locations))
		return
	}
	listed := make([]bool, len(h.Ops))
	for loc, order := range h.StoreOrder {
		for _, id := range order {
			switch {
			case !v.writes(id, loc):
				v.faults.Addf("store order of %s: %s does not write it", h.Locations[loc], v.at(id))
			case listed[id]:
				v.faults.Addf("store order of %s: %s is listed twice", h.Locations[loc], v.at(id))
			default:
				listed[id] = true
			}
		}
	}
	for id := range h.Ops {
		o := &h.Ops[id]
		inRange := o.Loc >= 0 && int(o.Loc) < len(h.Locations)
		if o.Writes() && !listed[id] && inRange {
			v.faults.Addf("store order of %s: %s is missing", h.Locations[o.Loc], v.at(OpID(id)))
		}
	}
}

func (v *validator) deps() {
	h := v.h
	for i, d := range h.Deps {
		if d.From < 0 || int(d.From) >= len(h.Ops) || d.To < 0 || int(d.To) >= len(h.Ops) {
			v.faults.Addf("dependency %d: from %s to %s", i, v.at(d.From), v.at(d.To))
			continue
		}
		if !h.Ops[d.From].Reads() {
			v.faults.Addf("dependency %d: %s does not read", i, v.at(d.From))
		}
		if pair := d.Kind&DepPair != 0; pair && !h.Pairs(d) {
			v.faults.Addf("dependency %d: %s is not the store of a pair with %s, reading the same", i, v.at(d.To), v.at(d.From))
		}
		if d.To <= d.From || h.Thread(d.From) != h.Thread(d.To) {
			v.faults.Addf("dependency %d: %s is not later than %s in its thread", i, v.at(d.To), v.at(d.From))
		}
		if i > 0 {
			p := h.Deps[i-1]
			if p.From > d.From || p.From == d.From && p.To >= d.To {
				v.faults.Addf("dependency %d: not after dependency %d in order of From, then To", i, i-1)
			}
		}
	}
}

// Pairs reports whether a dependency leads from a load to a store that may be a
// pair with it: one that is Conditional, of the same location, and reads the same.
func (h *History) Pairs(d Dep) bool {
	from, to := &h.Ops[d.From], &h.Ops[d.To]
	return from.Kind == Read && to.Attr&Conditional != 0 && from.Loc == to.Loc && from.RF == to.RF
}

func (v *validator) times() {
	h := v.h
	if h.Times != nil && len(h.Times) != len(h.Ops) {
		v.faults.Addf("times of %d operations of %d", len(h.Times), len(h.Ops))
		return
	}
	for id, i := range h.Times {
		if i.Call > i.Return {
			v.faults.Addf("%s: returns at %d, before its call at %d", v.at(OpID(id)), i.Return, i.Call)
		}
	}
}
