package witness

import (
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// rules checks edges against the history and a Total model.
//
// Why they are sound. Fix a memory order that m allows for h, in the sense of
// Replay, each Init standing before the writes to its location. The value
// axiom says that a read returns the last, in the memory order, of the writes
// to its location that precede it there or in its program order. An RMW
// returns the last that precedes it in the memory order, as its location's own
// writes precede it there.
//
//   - PPO, FenceOrder, Dependency: Replay requires that order. A load before a
//     store to the same location under RMO: Replay requires that, too.
//   - ReadsFrom: a write of another thread can be returned only by preceding
//     the read; so can an own one to an RMW, or under SC.
//   - OwnStore: an own write before a read is a candidate for its value, so
//     that what it returns is not earlier.
//   - Coherence: own writes to a location stay in order; and a read's value,
//     if own and earlier, precedes an own later write so, and if of another
//     thread, precedes the read, which precedes the own later write. If it is
//     itself a later own write there is no memory order at all.
//     So do two own reads of a location under a model that keeps them coherent:
//     what the first returned is not later than what the second did. For a
//     model with Rules keepsLocalOrder requires that, or the model does.
//   - FromRead, DerivedB: if the write To preceded the read From, the read
//     would return To or something later, but it returns Via, which precedes
//     To. For an RMW From this needs that To is not From itself.
//   - DerivedA: a write that precedes the read is a candidate for its value.
//   - FinalWrite, StoreOrder: what the history knows about its memory.
//   - RealTime: Replay requires that order.
type rules struct {
	h *parse.History
	m model.Model
	// stored gives for each write its place in the known StoreOrder, from 1;
	// made when a rule needs it.
	stored []int32
	// own allows ReadsFrom inside a thread whatever the model.
	own bool
}

// op is the operation id, or nil if it is none or a fence.
func (r *rules) op(id parse.OpID) *parse.Op {
	if id < 0 || int(id) >= len(r.h.Ops) {
		return nil
	}
	if op := &r.h.Ops[id]; op.Reads() || op.Writes() {
		return op
	}
	return nil
}

func (r *rules) writes(id parse.OpID) bool { op := r.op(id); return op != nil && op.Writes() }

// readsFrom reports whether id is a read of write from, possibly Init.
func (r *rules) readsFrom(id, from parse.OpID) bool {
	op := r.op(id)
	return op != nil && op.Reads() && op.RF == from &&
		(from == parse.Init || r.writes(from) && r.loc(from) == op.Loc)
}

// loc is the location of access id, -1 for anything else.
func (r *rules) loc(id parse.OpID) int32 {
	if op := r.op(id); op != nil {
		return op.Loc
	}
	return -1
}

// edgeLoc is the location of an edge with Init at one end.
func (r *rules) edgeLoc(e Edge) int32 {
	if e.From == parse.Init {
		return r.loc(e.To)
	}
	return r.loc(e.From)
}

func (r *rules) writesOfOneLocation(a, b parse.OpID) bool {
	return a != b && r.writes(a) && r.writes(b) && r.loc(a) == r.loc(b)
}

// before reports whether b follows a in the program order of one thread.
func (r *rules) before(a, b parse.OpID) bool {
	return a < b && b < r.h.Start[r.h.Thread(a)+1]
}

func (r *rules) fault(e Edge) error {
	x := r.edgeLoc(e)
	return fmt.Errorf("rule %v does not say that %s precedes %s", e.Rule, name(r.h, e.From, x), name(r.h, e.To, x))
}

// holds checks an edge that needs neither lemma nor assumption.
func (r *rules) holds(e Edge) error {
	if !r.applies(e) {
		return r.fault(e)
	}
	return nil
}

func (r *rules) applies(e Edge) bool {
	from, to := r.op(e.From), r.op(e.To)
	if from == nil && e.From != parse.Init || to == nil && e.To != parse.Init {
		return false
	}
	hasVia := e.Rule == OwnStore || e.Rule == Coherence || e.Rule == FenceOrder || e.Rule == Pipeline
	if !hasVia && e.Via != parse.NoOp {
		return false
	}
	if from == nil { // Init
		return e.Rule == FromInit && to != nil && to.Writes()
	}
	if to == nil {
		return e.Rule == OwnStore && r.ownStore(e, from) || e.Rule == FinalWrite && r.finalWrite(e, from) ||
			e.Rule == Coherence && r.loadsInOrder(e)
	}
	switch e.Rule {
	case PPO:
		return r.before(e.From, e.To) && (r.preserved(from, to) || r.m.Rules != nil && r.ruled(e))
	case FenceOrder:
		return r.before(e.From, e.To) && r.fenced(e, parse.Components(from, to))
	case Dependency:
		if r.m.Rules != nil {
			return r.before(e.From, e.To) && r.ruledDependency(e.From, e.To)
		}
		return r.dataflow() && r.before(e.From, e.To) && r.depends(e)
	case Pipeline:
		return r.before(e.From, e.To) && r.pipeline(e)
	case ReadsFrom:
		external := !r.before(e.From, e.To) && !r.before(e.To, e.From)
		return r.readsFrom(e.To, e.From) && (external || r.own || !r.m.ForwardOwn || to.Kind == parse.RMW)
	case OwnStore:
		return r.ownStore(e, from)
	case Coherence:
		if e.Via == parse.NoOp {
			return r.writesOfOneLocation(e.From, e.To) && r.before(e.From, e.To)
		}
		if r.loadsInOrder(e) {
			return true
		}
		return to.Writes() && r.readsFrom(e.Via, e.From) && r.loc(e.Via) == to.Loc && r.before(e.Via, e.To)
	case FromRead:
		return from.Reads() && from.RF == parse.Init && to.Writes() && from.Loc == to.Loc && e.From != e.To
	case FinalWrite:
		return r.finalWrite(e, from)
	case StoreOrder:
		return r.storeOrder(e, from)
	case RealTime:
		return r.m.RealTime && r.h.Times != nil && r.h.Times[e.From].Before(r.h.Times[e.To])
	default:
		return false
	}
}

// dataflow reports whether the model keeps dependencies, which begin with a
// load: as such, or because it lets nothing overtake a load. It then has no
// values out of thin air.
func (r *rules) dataflow() bool {
	return r.m.Deps || r.m.PPO&(parse.LoadLoad|parse.LoadStore) == parse.LoadLoad|parse.LoadStore
}

// preserved reports whether the model keeps the program order of a and b.
func (r *rules) preserved(a, b *parse.Op) bool {
	if parse.Components(a, b)&r.m.PPO != 0 {
		return true
	}
	return a.Loc == b.Loc && (b.Writes() || a.Reads() && r.m.LoadLoadSameLoc)
}

// fenced reports whether a fence between the ends of e has one of the
// components in mask.
func (r *rules) fenced(e Edge, mask parse.FenceMask) bool {
	first, end := e.From+1, e.To
	if e.Via != parse.NoOp {
		if e.Via <= e.From || e.Via >= e.To {
			return false
		}
		first, end = e.Via, e.Via+1
	}
	return r.fence(first, end, mask) != parse.NoOp
}

// fence is the first fence from one operation to another, exclusive, that has
// one of the components in mask, or NoOp.
func (r *rules) fence(first, end parse.OpID, mask parse.FenceMask) parse.OpID {
	for id := first; id < end; id++ {
		if op := &r.h.Ops[id]; op.Kind == parse.Fence && op.Mask&mask != 0 {
			return id
		}
	}
	return parse.NoOp
}

func (r *rules) depends(e Edge) bool {
	if IsDirect(r.h, e) {
		return true
	}
	deps := r.h.Deps
	reached := map[parse.OpID]bool{e.From: true}
	i, _ := slices.BinarySearchFunc(deps, e.From, func(d parse.Dep, id parse.OpID) int { return int(d.From) - int(id) })
	// Dependencies point forward and are listed in order of From: whatever
	// reaches an operation is known when its own are examined.
	for ; i < len(deps) && deps[i].From < e.To; i++ {
		if reached[deps[i].From] {
			reached[deps[i].To] = true
		}
	}
	return reached[e.To]
}

func (r *rules) ownStore(e Edge, from *parse.Op) bool {
	return from.Writes() && r.readsFrom(e.Via, e.To) && r.loc(e.Via) == from.Loc &&
		r.before(e.From, e.Via) && e.From != e.To
}

func (r *rules) finalWrite(e Edge, from *parse.Op) bool {
	return r.h.Final != nil && from.Writes() && r.h.Final[from.Loc] == e.To && e.From != e.To
}

func (r *rules) storeOrder(e Edge, from *parse.Op) bool {
	if r.h.StoreOrder == nil || !from.Writes() || r.loc(e.To) != from.Loc || !r.writes(e.To) {
		return false
	}
	if r.stored == nil {
		r.stored = make([]int32, len(r.h.Ops))
		for _, order := range r.h.StoreOrder {
			for i, id := range order {
				r.stored[id] = int32(i) + 1
			}
		}
	}
	return r.stored[e.From] > 0 && r.stored[e.From] < r.stored[e.To]
}
