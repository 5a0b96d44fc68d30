package witness

import (
	"errors"
	"fmt"
	"math"

	"ordeal/check/model"
	"ordeal/parse"
)

// Replay checks the evidence of Allowed: it executes order on the machine of
// a Total model m, with memory and store buffers, and compares what every
// read returns with what the history says it returned. A nil error means that
// m allows h. Replay stops at the first fault and names its operation.
//
// The machine is the same for all models. A write waits in its thread's store
// buffer until its place in the order, where it reaches memory; a read takes
// the newest own write to its location that still waits, else what memory
// holds (the value axiom of SPARC V9, App. D). The models differ in what must
// be done before: operations of a kind before a later one of a kind (PPO, or
// a fence between them), an own earlier write before a write to the same
// location, an own earlier read before a write to the same location, and
// under RMO what an operation depends on; RMO also refuses values out of thin
// air. An RMW finds its location's own writes done and is done at once.
//
// The causal models that are defined by a fixpoint (wSC and CCM, wTSO and wCCM,
// wPSO) allow h if the machine of SC, TSO or PSO executes an order: as a
// relation it has the edges of the history, no cycle, and is closed under the
// rules of the model, which hold in all orders of the machine; the least such
// relation is a part of it (see Closure).
// Under a model with Rules the order must keep them (keepsLocalOrder).
// Under a model with RealTime no operation may stand after one that was called
// after its return.
//
// Replay takes time and memory linear in the history. It trusts that h is
// well formed (parse.History.Validate), and nothing about the order. Where
// h.Final or h.StoreOrder is known, the order must agree.
func Replay(h *parse.History, m model.Model, order *Order) error {
	switch m.Name {
	case model.CC.Name, model.CCv.Name, model.CM.Name, "":
		return fmt.Errorf("replay order: model %s has no memory order", m.Name)
	}
	if order == nil {
		return errors.New("replay order: there is none")
	}
	if m.RealTime && h.Times == nil {
		return errors.New("replay order: the history has no times")
	}
	if m.Rules != nil {
		if err := keepsLocalOrder(h, m, order); err != nil {
			return fmt.Errorf("replay order: %w", err)
		}
	}
	r := newReplay(h, m)
	for i, id := range order.Ops {
		if err := r.step(id); err != nil {
			return fmt.Errorf("replay order:%d: %w", i, err)
		}
	}
	if err := r.finish(); err != nil {
		return fmt.Errorf("replay order: %w", err)
	}
	if m.Deps {
		if err := thinAir(h); err != nil {
			return fmt.Errorf("replay order: %w", err)
		}
	}
	return nil
}

// place is what replay knows of an operation beforehand.
type place struct {
	thread int32
	// prev is the last own write to the same location before it, or NoOp.
	prev parse.OpID
}

// state says of an operation that as a load, and as a write, it is done or
// there is nothing to do.
type state uint8

const (
	loaded state = 1 << iota
	written
	done = loaded | written
)

// todo is the state of an operation of each kind at first.
var todo = [...]state{parse.Read: written, parse.Write: loaded, parse.RMW: 0, parse.Fence: done}

// replay is the state of the machine.
type replay struct {
	h      *parse.History
	m      model.Model
	places []place
	state  []state
	mem    []parse.OpID // what memory holds, by location
	stores []int        // writes done, by location; only with a StoreOrder
	// loads[t] and writes[t] are t's first operation of the kind that is
	// not done, or past its end.
	loads, writes []parse.OpID
	// next is the first own write to the same location after an operation,
	// or NoOp; only where the model lets writes overtake loads.
	next   []parse.OpID
	fences fences
	latest int64   // call of an operation that is done; only with RealTime
	deps   []int32 // first index in h.Deps whose From is not below; or nil
}

func newReplay(h *parse.History, m model.Model) *replay {
	r := &replay{
		h: h, m: m,
		places: make([]place, len(h.Ops)),
		state:  make([]state, len(h.Ops)),
		mem:    make([]parse.OpID, len(h.Locations)),
		latest: math.MinInt64,
		loads:  make([]parse.OpID, h.Threads()),
		writes: make([]parse.OpID, h.Threads()),
	}
	last := r.mem // the last write seen to each location, in any thread
	for x := range last {
		last[x] = parse.NoOp
	}
	hasFences := false
	for t := range h.Threads() {
		start := h.Start[t]
		for id := start; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			prev := parse.NoOp
			r.state[id] = todo[op.Kind]
			if op.Kind == parse.Fence {
				hasFences = true
			} else {
				if last[op.Loc] >= start {
					prev = last[op.Loc]
				}
				if op.Writes() {
					last[op.Loc] = id
				}
			}
			r.places[id] = place{thread: int32(t), prev: prev}
		}
		r.loads[t], r.writes[t] = start, start
		r.advance(int32(t))
	}
	if m.PPO&parse.LoadStore == 0 {
		r.findNext(last)
	}
	if hasFences && m.Rules == nil { // else keepsLocalOrder has checked them
		r.fences = findFences(h)
	}
	if m.Deps && len(h.Deps) > 0 {
		r.deps = make([]int32, len(h.Ops)+1)
		i := 0
		for id := range r.deps {
			for i < len(h.Deps) && int(h.Deps[i].From) < id {
				i++
			}
			r.deps[id] = int32(i)
		}
	}
	if h.StoreOrder != nil {
		r.stores = make([]int, len(h.Locations))
	}
	for x := range r.mem {
		r.mem[x] = parse.Init
	}
	return r
}

// findNext fills r.next; first is room for one entry per location.
func (r *replay) findNext(first []parse.OpID) {
	for x := range first {
		first[x] = parse.OpID(len(r.h.Ops))
	}
	r.next = make([]parse.OpID, len(r.h.Ops))
	for t := r.h.Threads() - 1; t >= 0; t-- {
		end := r.h.Start[t+1]
		for id := end - 1; id >= r.h.Start[t]; id-- {
			op := &r.h.Ops[id]
			r.next[id] = parse.NoOp
			if op.Kind == parse.Fence {
				continue
			}
			if first[op.Loc] < end {
				r.next[id] = first[op.Loc]
			}
			if op.Writes() {
				first[op.Loc] = id
			}
		}
	}
}

// advance moves thread t's cursors over what is done.
func (r *replay) advance(t int32) {
	end := r.h.Start[t+1]
	id := r.loads[t]
	for id < end && r.state[id]&loaded != 0 {
		id++
	}
	r.loads[t] = id
	id = r.writes[t]
	for id < end && r.state[id]&written != 0 {
		id++
	}
	r.writes[t] = id
}

func (r *replay) step(id parse.OpID) error {
	if id < 0 || int(id) >= len(r.h.Ops) || r.h.Ops[id].Kind == parse.Fence {
		return fmt.Errorf("%d is no access to memory", id)
	}
	if r.state[id] == done {
		return fmt.Errorf("%s: stands twice", name(r.h, id, -1))
	}
	op, p := &r.h.Ops[id], r.places[id]
	if r.m.RealTime {
		times := r.h.Times[id]
		if times.Return < r.latest {
			return fmt.Errorf("%s: returned at %d, and follows an operation called at %d", name(r.h, id, -1), times.Return, r.latest)
		}
		r.latest = max(r.latest, times.Call)
	}
	if err := r.ready(id, op, p); err != nil {
		return fmt.Errorf("%s: %w", name(r.h, id, -1), err)
	}
	waits := p.prev != parse.NoOp && r.state[p.prev] != done
	if op.Reads() {
		from := r.mem[op.Loc]
		if waits {
			from = p.prev
		}
		if from != op.RF {
			return fmt.Errorf("%s: returns the value of %s", name(r.h, id, -1), name(r.h, from, op.Loc))
		}
	}
	if op.Writes() {
		if waits {
			return fmt.Errorf("%s: comes before the same thread's %s", name(r.h, id, -1), opText(r.h, p.prev))
		}
		if r.stores != nil {
			known := r.h.StoreOrder[op.Loc]
			if k := r.stores[op.Loc]; k >= len(known) || known[k] != id {
				return fmt.Errorf("%s: reaches memory out of the store order that the history knows", name(r.h, id, -1))
			}
			r.stores[op.Loc]++
		}
		r.mem[op.Loc] = id
	}
	r.state[id] = done
	if r.loads[p.thread] == id || r.writes[p.thread] == id {
		r.advance(p.thread)
	}
	return nil
}

// ready reports what of id's own thread should have taken effect before.
func (r *replay) ready(id parse.OpID, op *parse.Op, p place) error {
	loads, writes := parse.NoOp, parse.NoOp // all up to these must be done
	if op.Reads() {
		loads = r.limit(id, parse.LoadLoad, loads)
		writes = r.limit(id, parse.StoreLoad, writes)
	}
	if op.Writes() {
		loads = r.limit(id, parse.LoadStore, loads)
		writes = r.limit(id, parse.StoreStore, writes)
	}
	if first := r.loads[p.thread]; first < loads {
		return fmt.Errorf("overtakes the same thread's %s", opText(r.h, first))
	}
	if first := r.writes[p.thread]; first < writes {
		return fmt.Errorf("overtakes the same thread's %s", opText(r.h, first))
	}
	if r.next != nil && op.Reads() {
		if next := r.next[id]; next != parse.NoOp && r.state[next] == done {
			return fmt.Errorf("comes after the same thread's %s", opText(r.h, next))
		}
	}
	if r.deps != nil {
		for _, d := range r.h.Deps[r.deps[id]:r.deps[id+1]] {
			if r.state[d.To] == done && r.h.Ops[d.To].Kind != parse.Fence {
				return fmt.Errorf("comes after %s, which depends on it", opText(r.h, d.To))
			}
		}
	}
	return nil
}

// limit is the operation before which operations of a kind must be done for
// id to take effect, by program order or a fence of component c; at least the
// limit so far.
func (r *replay) limit(id parse.OpID, c parse.FenceMask, sofar parse.OpID) parse.OpID {
	if r.m.PPO&c != 0 {
		return id
	}
	return max(sofar, r.fences.last(id, c))
}

func (r *replay) finish() error {
	for id, s := range r.state {
		if s != done {
			return fmt.Errorf("%s: is missing", name(r.h, parse.OpID(id), -1))
		}
	}
	for x, id := range r.h.Final {
		if id != parse.NoOp && r.mem[x] != id {
			return fmt.Errorf("location %s ends with the value of %s, not of %s", r.h.Locations[x],
				name(r.h, r.mem[x], int32(x)), name(r.h, id, int32(x)))
		}
	}
	return nil
}
