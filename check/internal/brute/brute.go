// Package brute decides small histories by enumeration: the reference that
// the procedures are tested against. It is written from the
// definitions of the literature and shares no code with anything it tests.
// Use it for a dozen operations or so; more than 64 operations and locations
// together make it panic.
package brute

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// Allowed reports whether model m allows h. Total models are decided by
// trying every coherence order (Axiomatic), causal ones by their fixpoints
// (see causal.go).
//
// History.Final and History.StoreOrder, where known, constrain the Total
// models and the closures wSC, wTSO and wPSO; the other causal models are
// defined by program order and reads-from alone.
func Allowed(h *parse.History, m model.Model) bool {
	if m.Family == model.Causal {
		return causal(h, m)
	}
	return Axiomatic(h, m)
}

// frame holds the relations of a history on its operations followed by one
// initial write for each location.
type frame struct {
	h  *parse.History
	n  int // operations; location x's initial write is element n+x
	po rel // between operations of one thread
	rf rel // from writes, initial ones too, to reads
}

func newFrame(h *parse.History) *frame {
	n := len(h.Ops)
	f := &frame{h: h, n: n, po: newRel(n + len(h.Locations)), rf: newRel(n + len(h.Locations))}
	for t := range h.Threads() {
		for a := h.Start[t]; a < h.Start[t+1]; a++ {
			for b := a + 1; b < h.Start[t+1]; b++ {
				f.po.add(int(a), int(b))
			}
		}
	}
	for i := range h.Ops {
		if h.Ops[i].Reads() {
			f.rf.add(f.writer(i), i)
		}
	}
	return f
}

func (f *frame) reads(a int) bool  { return a < f.n && f.h.Ops[a].Reads() }
func (f *frame) writes(a int) bool { return a >= f.n || f.h.Ops[a].Writes() }
func (f *frame) fence(a int) bool  { return a < f.n && f.h.Ops[a].Kind == parse.Fence }

// loc is the location of an element, -1 for fences.
func (f *frame) loc(a int) int {
	if a >= f.n {
		return a - f.n
	}
	return int(f.h.Ops[a].Loc)
}

// element is the element that id, or Init of location x, has.
func (f *frame) element(id parse.OpID, x int) int {
	if id == parse.Init {
		return f.n + x
	}
	return int(id)
}

func (f *frame) writer(a int) int { return f.element(f.h.Ops[a].RF, f.loc(a)) }

func (f *frame) sameLoc(a, b int) bool { return f.loc(a) >= 0 && f.loc(a) == f.loc(b) }

// external reports whether a and b are of different threads, initial writes
// counting as a thread of their own.
func (f *frame) external(a, b int) bool {
	return !f.po.has(a, b) && !f.po.has(b, a) && a != b
}

// component reports whether mask orders accesses a and b.
func (f *frame) component(mask parse.FenceMask, a, b int) bool {
	return mask&parse.LoadLoad != 0 && f.reads(a) && f.reads(b) ||
		mask&parse.LoadStore != 0 && f.reads(a) && f.writes(b) ||
		mask&parse.StoreLoad != 0 && f.writes(a) && f.reads(b) ||
		mask&parse.StoreStore != 0 && f.writes(a) && f.writes(b)
}

// ppo is preserved program order other than by location, fences included.
func (f *frame) ppo(m model.Model) rel {
	out := newRel(len(f.po))
	for a := range f.n {
		for b := a + 1; b < f.n; b++ {
			if !f.po.has(a, b) || f.fence(a) || f.fence(b) {
				continue
			}
			mask := m.PPO
			for c := a + 1; c < b; c++ {
				if f.fence(c) {
					mask |= f.h.Ops[c].Mask
				}
			}
			if f.component(mask, a, b) {
				out.add(a, b)
			}
		}
	}
	return out
}

// dp is the dependencies that m looks at.
func (f *frame) dp(m model.Model) rel {
	out := newRel(len(f.po))
	if m.Deps {
		for _, d := range f.h.Deps {
			if !f.fence(int(d.To)) {
				out.add(int(d.From), int(d.To))
			}
		}
	}
	return out
}

// Axiomatic decides a Total model in the style of Alglave, Maranget and
// Tautschnig, "Herding Cats" (TOPLAS 2014), and of Chini and Saivasan (FSTTCS
// 2020, Sects. 2 and 4): some coherence order co makes
//
//	po-loc ∪ rf ∪ co ∪ fr   and   ppo ∪ fences ∪ dp ∪ grf ∪ co ∪ fr
//
// acyclic (for models with real time, the latter with that), where grf is rf for SC and rfe otherwise, po-loc lacks pairs of
// loads where load-load hazards are allowed, and no write comes between an
// RMW and the write it reads (atomicity). RMO also requires that dp ∪ rf be
// acyclic (no thin air). An RMW is one operation, both load and store.
//
// NB: under RMO a load of an RMW's own thread may read its value before the
// RMW is global, as from a store. SPARC V9 (App. D) forbids that.
func Axiomatic(h *parse.History, m model.Model) bool {
	f := newFrame(h)
	if m.Rules != nil {
		return f.ofInstructionSet(m)
	}
	dp := f.dp(m)
	if m.Deps && !dp.union(f.rf).acyclic() {
		return false
	}
	poLoc := f.po.filter(func(a, b int) bool {
		return f.sameLoc(a, b) && (m.LoadLoadSameLoc || f.writes(a) || f.writes(b))
	})
	grf := f.rf
	if m.ForwardOwn {
		grf = f.rf.filter(f.external)
	}
	global := f.ppo(m).union(dp, grf, f.realTime(m))
	return f.someCoherence(0, newRel(len(f.po)), func(co rel) bool {
		fr := f.rf.inverse().compose(co).filter(func(a, b int) bool { return a != b })
		return f.atomic(co) &&
			poLoc.union(f.rf, co, fr).acyclic() &&
			global.union(co, fr).acyclic()
	})
}

// realTime is the order of operations of which one returns before the other is
// called, if m looks at it.
func (f *frame) realTime(m model.Model) rel {
	out := newRel(len(f.po))
	for a := range f.n {
		for b := range f.n {
			if m.RealTime && f.h.Times[a].Return < f.h.Times[b].Call {
				out.add(a, b)
			}
		}
	}
	return out
}

// atomic reports whether every RMW comes directly after the write it reads.
func (f *frame) atomic(co rel) bool {
	for a := range f.n {
		if !f.reads(a) || !f.writes(a) {
			continue
		}
		w := f.writer(a)
		if !co.has(w, a) {
			return false
		}
		for c := range co {
			if co.has(w, c) && co.has(c, a) {
				return false
			}
		}
	}
	return true
}

// someCoherence extends co by a total order of the writes to location x and
// those after it, in all ways, and reports whether some way is accepted.
func (f *frame) someCoherence(x int, co rel, accept func(rel) bool) bool {
	if x == len(f.h.Locations) {
		return accept(co)
	}
	var writes []int
	for a := range f.n {
		if f.writes(a) && f.loc(a) == x {
			writes = append(writes, a)
		}
	}
	return permutations(writes, 0, func(order []int) bool {
		if !f.observed(x, order) {
			return false
		}
		more := co.union()
		for i, b := range order {
			more.add(f.n+x, b)
			for _, a := range order[:i] {
				more.add(a, b)
			}
		}
		return f.someCoherence(x+1, more, accept)
	})
}

// observed reports whether the writes of x in this order agree with what the
// history knows about its memory.
func (f *frame) observed(x int, order []int) bool {
	if f.h.StoreOrder != nil {
		for i, id := range f.h.StoreOrder[x] {
			if order[i] != int(id) {
				return false
			}
		}
	}
	if f.h.Final == nil || f.h.Final[x] == parse.NoOp {
		return true
	}
	last := f.n + x
	if len(order) > 0 {
		last = order[len(order)-1]
	}
	return last == f.element(f.h.Final[x], x)
}

// permutations calls accept with every order of s[k:] behind s[:k] until it
// accepts one.
func permutations(s []int, k int, accept func([]int) bool) bool {
	if k >= len(s)-1 {
		return accept(s)
	}
	for i := k; i < len(s); i++ {
		s[k], s[i] = s[i], s[k]
		ok := permutations(s, k+1, accept)
		s[k], s[i] = s[i], s[k]
		if ok {
			return true
		}
	}
	return false
}
