package witness

import (
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// This file checks what the Rules of a model say: by operation for Verify, and
// for all operations of an order for Replay.

// ruled reports whether the Rules of the model keep the program order of e's
// ends, which it has, without a dependency between them.
func (r *rules) ruled(e Edge) bool {
	a, b := &r.h.Ops[e.From], &r.h.Ops[e.To]
	switch {
	case r.m.Rules.Orders(a, b):
		return true
	case a.Kind != parse.Read && a.Kind != parse.RMW || b.Kind != parse.Read || a.Loc != b.Loc:
		return false
	case r.forwarded(e.From, b):
		return true
	case a.Kind != parse.Read || a.RF == b.RF:
		return false
	}
	// Two loads of a location that return different writes, and no own write
	// between them.
	return !slices.ContainsFunc(r.h.Ops[e.From+1:e.To], func(o parse.Op) bool { return o.Writes() && o.Loc == b.Loc })
}

// forwarded reports whether a load that reads from an own atomic write follows
// an operation because of that.
func (r *rules) forwarded(from parse.OpID, load *parse.Op) bool {
	rules, w := r.m.Rules, load.RF
	if w == parse.Init || r.h.Ops[w].Kind != parse.RMW || !r.before(from, w) && from != w || model.ClassOf(load)&rules.Forwarded == 0 {
		return false
	}
	if rules.FromPair {
		return slices.ContainsFunc(r.from(from), func(d parse.Dep) bool { return d.To == w && d.Kind&parse.DepPair != 0 })
	}
	return from == w
}

// from lists the dependencies on a read.
func (r *rules) from(id parse.OpID) []parse.Dep {
	byFrom := func(d parse.Dep, id parse.OpID) int { return int(d.From) - int(id) }
	first, _ := slices.BinarySearchFunc(r.h.Deps, id, byFrom)
	end, _ := slices.BinarySearchFunc(r.h.Deps, id+1, byFrom)
	return r.h.Deps[first:end]
}

// ruledDependency reports whether a chain of dependencies that are orders by
// themselves leads from one operation to another.
func (r *rules) ruledDependency(from, to parse.OpID) bool {
	reached := map[parse.OpID]bool{from: true}
	first, _ := slices.BinarySearchFunc(r.h.Deps, from, func(d parse.Dep, id parse.OpID) int { return int(d.From) - int(id) })
	for _, d := range r.h.Deps[first:] {
		if d.From >= to {
			break
		}
		if reached[d.From] && r.m.Direct(d) {
			reached[d.To] = true
		}
	}
	return reached[to]
}

// pipeline reports whether something that depends on e.From, between the ends of
// e, orders them: see model.Rules.Pipeline and ISync.
func (r *rules) pipeline(e Edge) bool {
	rules, to := r.m.Rules, r.op(e.To)
	if rules == nil || !rules.Pipeline {
		return false
	}
	barrier := e.Via != parse.NoOp
	if barrier && (!rules.ISync || e.Via <= e.From || e.Via >= e.To || r.h.Ops[e.Via].Attr&parse.ISync == 0) {
		return false
	}
	for _, d := range r.from(e.From) {
		known := d.Kind & rules.Known
		switch last := e.To; {
		case barrier:
			last = e.Via
			fallthrough
		case to.Writes():
			if known&parse.DepControl != 0 && d.To <= last || known&parse.DepAddress != 0 && d.To < last {
				return true
			}
		case known&(parse.DepAddress|parse.DepData) != 0 && to.RF == d.To && d.To < e.To:
			return true
		}
	}
	return false
}

// loadsInOrder reports whether e.Via, a read of e.To, follows a read of e.From
// in its thread, under a model that keeps such reads coherent.
func (r *rules) loadsInOrder(e Edge) bool {
	return r.m.Rules != nil && e.From != e.To && r.readsFrom(e.Via, e.To) && earlierRead(r.h, e) != parse.NoOp
}

// earlierRead is the last read of e.From before e.Via, of the same thread and
// location, or NoOp.
func earlierRead(h *parse.History, e Edge) parse.OpID {
	start := h.Start[h.Thread(e.Via)]
	for id := e.Via - 1; id >= start; id-- {
		if o := &h.Ops[id]; o.Reads() && o.RF == e.From && o.Loc == h.Ops[e.Via].Loc {
			return id
		}
	}
	return parse.NoOp
}

// Names lists the operations that an edge rests on besides its ends and Via.
func Names(h *parse.History, e Edge) []parse.OpID {
	if e.Rule == Coherence && e.Via != parse.NoOp && e.From != e.To && h.Ops[e.Via].RF == e.To {
		if id := earlierRead(h, e); id != parse.NoOp {
			return []parse.OpID{id}
		}
	}
	return nil
}

// keepsLocalOrder checks that an order keeps what the Rules of a model say, in
// one pass over each thread. Fences and accesses before a write to their
// location are among it, reads-from and coherence are left to the machine.
func keepsLocalOrder(h *parse.History, m model.Model, order *Order) error {
	k := keeper{h: h, m: m, place: make([]int32, len(h.Ops))}
	for i, id := range order.Ops {
		if id < 0 || int(id) >= len(h.Ops) {
			return fmt.Errorf("%d is no access to memory", id)
		}
		k.place[id] = int32(i) + 1
	}
	k.byTarget()
	k.at = make([]locationPlaces, len(h.Locations))
	for t := range h.Threads() {
		if err := k.thread(h.Start[t], h.Start[t+1]); err != nil {
			return err
		}
	}
	return nil
}

// keeper holds, of the thread so far, the latest places that something later
// must not precede.
type keeper struct {
	h     *parse.History
	m     model.Model
	place []int32     // operation → its place in the order, from 1
	deps  []parse.Dep // by target
	start []int32     // operation → first of deps; one entry more; nil if there are none
	at    []locationPlaces
}

// byTarget sorts the dependencies by what depends.
func (k *keeper) byTarget() {
	if len(k.h.Deps) == 0 {
		return
	}
	k.deps, k.start = make([]parse.Dep, len(k.h.Deps)), make([]int32, len(k.h.Ops)+1)
	for _, d := range k.h.Deps {
		k.start[d.To]++
	}
	end := int32(0)
	for id, n := range k.start {
		end += n
		k.start[id] = end
	}
	for _, d := range k.h.Deps {
		k.start[d.To]--
		k.deps[k.start[d.To]] = d
	}
}

// into lists the dependencies of an operation on others.
func (k *keeper) into(id parse.OpID) []parse.Dep {
	if k.start == nil {
		return nil
	}
	return k.deps[k.start[id]:k.start[id+1]]
}

// locationPlaces are the latest places of a thread's accesses to a location.
type locationPlaces struct {
	thread   parse.OpID // start of the thread they are of, plus 1
	all      int32
	loads    int32 // for models that keep all loads of a location in order
	reads    [2]int32
	returned [2]parse.OpID // what reads returned since the last own write: two different writes
}

func (k *keeper) thread(lo, hi parse.OpID) error {
	h, r := k.h, k.m.Rules
	var loads, stores int32   // places of the last
	var behind [4]int32       // by component of a fence
	var waiting, synced int32 // before stores; before all, since an ISync
	before := make([]int32, len(r.Keeps))
	for id := lo; id < hi; id++ {
		o := &h.Ops[id]
		deps := k.into(id)
		waiting = max(waiting, k.pipeline(deps, parse.DepControl))
		if o.Kind == parse.Fence {
			for c, place := range [4]int32{loads, loads, stores, stores} {
				if o.Mask>>c&1 != 0 {
					behind[c] = max(behind[c], place)
				}
			}
			if r.ISync && o.Attr&parse.ISync != 0 {
				synced = max(synced, waiting)
			}
			continue
		}
		x := &k.at[o.Loc]
		if x.thread != lo+1 {
			*x = locationPlaces{thread: lo + 1, returned: [2]parse.OpID{parse.NoOp, parse.NoOp}}
		}
		after := max(synced, k.reads(id, o, x, lo))
		if o.Loads() {
			after = max(after, behind[0], behind[2])
		}
		if o.Writes() {
			after = max(after, behind[1], behind[3], waiting, x.all)
		}
		class := model.ClassOf(o)
		for i, keep := range r.Keeps {
			if class&keep.After != 0 {
				after = max(after, before[i])
			}
		}
		for _, d := range deps {
			if k.m.Direct(d) {
				after = max(after, k.place[d.From])
			}
		}
		here := k.place[id]
		if here <= after {
			return fmt.Errorf("%s: stands before an operation that it may not overtake, the one in place %d", name(h, id, -1), after)
		}
		for i, keep := range r.Keeps {
			if class&keep.Before != 0 {
				before[i] = max(before[i], here)
			}
		}
		waiting = max(waiting, k.pipeline(deps, parse.DepAddress))
		x.add(o, here)
		if o.Loads() {
			loads = max(loads, here)
		}
		if o.Writes() {
			stores = max(stores, here)
		}
	}
	return nil
}

// pipeline is the latest place that dependencies of a kind are on, which what
// follows them must not precede if it is a store, or behind an ISync.
func (k *keeper) pipeline(deps []parse.Dep, kind parse.DepKind) (latest int32) {
	if !k.m.Rules.Pipeline {
		return 0
	}
	for _, d := range deps {
		if d.Kind&k.m.Rules.Known&kind != 0 {
			latest = max(latest, k.place[d.From])
		}
	}
	return latest
}

// reads is the place that a read must not precede because of what it returned,
// or of its location.
func (k *keeper) reads(id parse.OpID, o *parse.Op, x *locationPlaces, lo parse.OpID) (after int32) {
	r := k.m.Rules
	if k.m.LoadLoadSameLoc && o.Loads() {
		after = x.loads
	}
	if o.Kind != parse.Read {
		return after
	}
	for i, w := range x.returned {
		if w != parse.NoOp && w != o.RF {
			after = max(after, x.reads[i])
		}
	}
	w := o.RF
	if w < lo || w >= id {
		return after
	}
	atomic := k.h.Ops[w].Kind == parse.RMW && model.ClassOf(o)&r.Forwarded != 0
	if atomic && !r.FromPair {
		after = max(after, k.place[w])
	}
	for _, d := range k.into(w) {
		if atomic && r.FromPair && d.Kind&parse.DepPair != 0 || r.Pipeline && d.Kind&(parse.DepAddress|parse.DepData) != 0 {
			after = max(after, k.place[d.From])
		}
	}
	return after
}

// add notes an access at a place.
func (x *locationPlaces) add(o *parse.Op, here int32) {
	x.all = max(x.all, here)
	if o.Loads() {
		x.loads = max(x.loads, here)
	}
	if o.Writes() {
		x.returned = [2]parse.OpID{parse.NoOp, parse.NoOp}
		return
	}
	// Of each of two writes the latest read; the latest of all is among them.
	i := slices.Index(x.returned[:], o.RF)
	if i < 0 {
		if i = 0; x.returned[0] != parse.NoOp && (x.returned[1] == parse.NoOp || x.reads[1] < x.reads[0]) {
			i = 1
		}
		x.returned[i], x.reads[i] = o.RF, 0
	}
	x.reads[i] = max(x.reads[i], here)
}
