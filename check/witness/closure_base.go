package witness

import (
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

// baseArcs makes the edges that hold before any inference, by m's program
// order. Those through fences lead through the fence.
type baseArcs struct {
	h    *parse.History
	m    model.Model
	arcs []Arc
}

func (b *baseArcs) add(from, to parse.OpID) { b.arcs = append(b.arcs, Arc{from, to}) }

// programOrder adds what m keeps of each thread's program order, directly or
// by paths.
func (b *baseArcs) programOrder() {
	p := threadOrder{baseArcs: b, lastOf: make([]parse.OpID, len(b.h.Locations))}
	for t := range b.h.Threads() {
		lo, hi := b.h.Start[t], b.h.Start[t+1]
		switch {
		case b.m.PPO == parse.FullFence:
			for id := lo + 1; id < hi; id++ {
				b.add(id-1, id)
			}
		default:
			p.thread(lo, hi)
		}
	}
}

// threadOrder follows one thread of TSO or PSO. Loads, RMWs among them, stay
// in order and before all that follows; stores stay in order, under PSO those
// to one location. A fence that orders stores becomes a vertex between those
// before it and the accesses after it.
type threadOrder struct {
	*baseArcs
	load   parse.OpID   // latest load or RMW
	fresh  bool         // the latest store lacks an edge from it
	store  parse.OpID   // latest store or RMW
	lastOf []parse.OpID // the same by location
	open   []parse.OpID // stores since the latest such fence
	fence  parse.OpID   // that fence
	loads  parse.OpID   // latest fence with StoreLoad, if the next load lacks its edge
	stores parse.OpID   // latest fence with StoreStore
}

func (p *threadOrder) thread(lo, hi parse.OpID) {
	p.load, p.store, p.fence, p.loads, p.stores = parse.NoOp, parse.NoOp, parse.NoOp, parse.NoOp, parse.NoOp
	p.fresh, p.open = false, p.open[:0]
	for x := range p.lastOf {
		p.lastOf[x] = parse.NoOp
	}
	total := p.m.PPO&parse.StoreStore != 0
	for id := lo; id < hi; id++ {
		op := &p.h.Ops[id]
		if op.Kind == parse.Fence {
			p.meetFence(id, op.Mask&^p.m.PPO)
			continue
		}
		if op.Reads() && p.loads != parse.NoOp {
			p.add(p.loads, id)
			p.loads = parse.NoOp
		}
		if p.load != parse.NoOp && (op.Reads() || p.fresh || !total) {
			p.add(p.load, id)
		}
		if op.Writes() {
			before := p.lastOf[op.Loc]
			if total {
				before = p.store
				p.open = p.open[:0]
			}
			if before != parse.NoOp {
				p.add(before, id)
			}
			if p.stores != parse.NoOp && p.stores > before {
				p.add(p.stores, id)
			}
			p.store, p.lastOf[op.Loc], p.fresh = id, id, false
			p.open = append(p.open, id)
		}
		if op.Reads() {
			p.load, p.fresh = id, true
		}
	}
}

// meetFence takes in a fence that orders what mask says beyond the model.
func (p *threadOrder) meetFence(id parse.OpID, mask parse.FenceMask) {
	if mask&(parse.StoreLoad|parse.StoreStore) == 0 {
		return
	}
	for _, s := range p.open {
		p.add(s, id)
	}
	if p.fence != parse.NoOp {
		p.add(p.fence, id)
	}
	p.fence, p.open = id, p.open[:0]
	if mask&parse.StoreLoad != 0 {
		p.loads = id
	}
	if mask&parse.StoreStore != 0 {
		p.stores = id
	}
}

// readsFrom adds reads-from where it is global: not where a load may have
// been forwarded a store of its own thread.
func (b *baseArcs) readsFrom() {
	for t := range b.h.Threads() {
		for id := b.h.Start[t]; id < b.h.Start[t+1]; id++ {
			if op := &b.h.Ops[id]; op.Reads() && op.RF >= 0 && (!b.m.ForwardOwn || op.Kind == parse.RMW || !b.own(t, op.RF)) {
				b.add(op.RF, id)
			}
		}
	}
}

func (b *baseArcs) own(t int, id parse.OpID) bool { return b.h.Start[t] <= id && id < b.h.Start[t+1] }

// ownWrite is a thread's latest write to a location, and before what it was
// last found to be.
type ownWrite struct{ write, before parse.OpID }

// ownStores adds each thread's latest write before a load to what the load
// returned instead. A load that returns the initial value after such a write
// is a fault.
func (b *baseArcs) ownStores() error {
	none := ownWrite{parse.NoOp, parse.NoOp}
	own := make([]ownWrite, len(b.h.Locations))
	for x := range own {
		own[x] = none
	}
	for t := range b.h.Threads() {
		for id := b.h.Start[t]; id < b.h.Start[t+1]; id++ {
			op := &b.h.Ops[id]
			if op.Kind == parse.Fence {
				continue
			}
			at := &own[op.Loc]
			if !b.own(t, at.write) {
				*at = none
			}
			if op.Writes() {
				*at = ownWrite{id, parse.NoOp}
				continue
			}
			switch {
			case at.write == parse.NoOp || at.write == op.RF || at.before == op.RF:
			case op.RF == parse.Init:
				return fmt.Errorf("%s overlooks %s", name(b.h, id, -1), name(b.h, at.write, -1))
			default:
				b.add(at.write, op.RF)
				at.before = op.RF
			}
		}
	}
	return nil
}

// future faults a load that returns a later write of its own thread.
func (b *baseArcs) future() error {
	for t := range b.h.Threads() {
		for id := b.h.Start[t]; id < b.h.Start[t+1]; id++ {
			if op := &b.h.Ops[id]; op.Reads() && op.RF > id && b.own(t, op.RF) {
				return fmt.Errorf("%s returns what its thread writes later", name(b.h, id, -1))
			}
		}
	}
	return nil
}

func (b *baseArcs) memory() error {
	for _, writes := range b.h.StoreOrder {
		for i := 1; i < len(writes); i++ {
			b.add(writes[i-1], writes[i])
		}
	}
	if b.h.Final == nil {
		return nil
	}
	met := make([]int, len(b.h.Locations)) // the last thread whose last write was visited
	for t := range b.h.Threads() {
		for id := b.h.Start[t+1] - 1; id >= b.h.Start[t]; id-- {
			op := &b.h.Ops[id]
			if !op.Writes() || met[op.Loc] == t+1 {
				continue
			}
			met[op.Loc] = t + 1
			switch final := b.h.Final[op.Loc]; {
			case final == parse.Init:
				return fmt.Errorf("%s, but its location holds the initial value at the end", name(b.h, id, -1))
			case final != parse.NoOp && final != id:
				b.add(id, final)
			}
		}
	}
	return nil
}
