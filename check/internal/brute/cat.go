package brute

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// The models of instruction sets are written from their files in herd7's
// language cat, relation by relation, and not from package model.

// ofInstructionSet decides whether some coherence order satisfies
//
//	acyclic po-loc | rf | co | fr                 (coherence)
//	acyclic ppo | rfe | co | fr                   (rvwmo, wmo)
//	acyclic lob | rfe | coe | fre                 (armv8)
//	empty rmw & (fre; co)                         (atomicity)
//
// An RMW that is Conditional is a write event; its load is an event of its own.
func (f *frame) ofInstructionSet(m model.Model) bool {
	if m.Name == model.POW.Name {
		return f.pow()
	}
	// A Conditional RMW reads by way of its load only.
	rf := f.rf.filter(func(_, b int) bool { return f.loads(b) })
	poLoc := f.po.filter(f.sameLoc)
	rfe := rf.filter(f.external)
	local := f.local(m, rf)
	return f.someCoherence(0, newRel(len(f.po)), func(co rel) bool {
		fr := rf.inverse().compose(co).filter(func(a, b int) bool { return a != b })
		observed := co.union(fr)
		if m.Name == model.Armv8.Name {
			observed = observed.filter(f.external)
		}
		return f.atomic(co) &&
			poLoc.union(rf, co, fr).acyclic() &&
			local.union(rfe, observed).acyclic()
	})
}

func (f *frame) local(m model.Model, rf rel) rel {
	switch m.Name {
	case model.Armv8.Name:
		return f.armv8(rf)
	case model.RVWMO.Name:
		return f.rvwmo(rf)
	default:
		return f.wmo()
	}
}

// Local calls f for each pair of accesses of one thread that the model of an
// instruction set orders: lob of armv8, ppo of the others. A history has at most
// 64 operations and locations.
func Local(h *parse.History, m model.Model, f func(a, b int)) {
	frame := newFrame(h)
	rf := frame.rf.filter(func(_, b int) bool { return frame.loads(b) })
	local := frame.local(m, rf)
	for a := range h.Ops {
		for b := range h.Ops {
			if local.has(a, b) {
				f(a, b)
			}
		}
	}
}

func (f *frame) loads(a int) bool {
	return f.reads(a) && f.h.Ops[a].Attr&parse.Conditional == 0
}

func (f *frame) has(a int, attr parse.Attr) bool { return a < f.n && f.h.Ops[a].Attr&attr != 0 }
func (f *frame) access(a int) bool               { return f.loads(a) || f.writes(a) }
func (f *frame) rmw(a int) bool                  { return a < f.n && f.h.Ops[a].Kind == parse.RMW }

// dependencies are those of a kind; a control dependency extends to all that
// follows the branch.
func (f *frame) dependencies(kind parse.DepKind) rel {
	out := newRel(len(f.po))
	for _, d := range f.h.Deps {
		if d.Kind&kind == 0 {
			continue
		}
		out.add(int(d.From), int(d.To))
		for b := range f.n {
			if kind == parse.DepControl && f.po.has(int(d.To), b) {
				out.add(int(d.From), b)
			}
		}
	}
	return out
}

// to restricts the targets of a relation, between its sources.
func to(r rel, is func(int) bool) rel { return r.filter(func(_, b int) bool { return is(b) }) }

// fencerel is the pairs of accesses of which a fence between them has the
// component.
func (f *frame) fencerel() rel {
	out := newRel(len(f.po))
	for c := range f.n {
		if !f.fence(c) {
			continue
		}
		mask := f.h.Ops[c].Mask
		for a := range c {
			for b := c + 1; b < f.n; b++ {
				if f.po.has(a, c) && f.po.has(c, b) &&
					(mask&parse.LoadLoad != 0 && f.loads(a) && f.loads(b) || mask&parse.LoadStore != 0 && f.loads(a) && f.writes(b) ||
						mask&parse.StoreLoad != 0 && f.writes(a) && f.loads(b) || mask&parse.StoreStore != 0 && f.writes(a) && f.writes(b)) {
					out.add(a, b)
				}
			}
		}
	}
	return out
}

// successors is [W]; po-loc; [R] without a write to the location between, which
// aarch64 calls lmrs.
func (f *frame) successors() rel {
	return f.po.filter(func(a, b int) bool {
		if !f.writes(a) || !f.loads(b) || f.writes(b) || !f.sameLoc(a, b) {
			return false
		}
		for c := a + 1; c < b; c++ {
			if f.writes(c) && f.sameLoc(a, c) {
				return false
			}
		}
		return true
	})
}

// armv8 is lob of aarch64hwreqs.cat, as far as there are such events.
func (f *frame) armv8(rel) rel {
	addr, data, ctrl, rmw := f.dependencies(parse.DepAddress), f.dependencies(parse.DepData), f.dependencies(parse.DepControl), f.dependencies(parse.DepPair)
	access := f.po.filter(func(a, b int) bool { return f.access(a) && f.access(b) })
	acquire := func(a int) bool { return f.has(a, parse.Acquire|parse.AcquirePC) }
	release := func(a int) bool { return f.has(a, parse.Release) }
	isb := func(a int) bool { return f.has(a, parse.ISync) }
	lmrs := f.successors()
	addrPo := addr.compose(f.po)
	ifb := to(ctrl.union(addrPo), isb).compose(f.po)
	lmws := access.filter(func(a, b int) bool { return f.sameLoc(a, b) && f.writes(b) })
	dob := addr.union(data, to(ctrl, f.writes), to(addrPo, f.writes), addr.compose(lmrs), data.compose(lmrs))
	aob := rmw.union(to(rmw.compose(lmrs), acquire))
	bob := access.filter(func(a, b int) bool {
		return release(b) || acquire(a) || release(a) && f.has(b, parse.Acquire)
	})
	lob := lmws.union(f.fencerel(), bob, dob, aob, ifb)
	return lob.filter(func(a, b int) bool { return f.access(a) && f.access(b) })
}

// rvwmo is ppo of riscv-defs.cat, with AMOs that are one event each.
func (f *frame) rvwmo(rf rel) rel {
	addr, data, ctrl, rmw := f.dependencies(parse.DepAddress), f.dependencies(parse.DepData), f.dependencies(parse.DepControl), f.dependencies(parse.DepPair)
	access := f.po.filter(func(a, b int) bool { return f.access(a) && f.access(b) })
	poLoc := access.filter(f.sameLoc)
	write := f.writes
	rfi := rf.filter(func(a, b int) bool { return f.po.has(a, b) })
	sameWriter := rf.inverse().compose(rf)
	r1 := to(poLoc, write)
	r2 := poLoc.filter(func(a, b int) bool {
		for c := a + 1; c < b; c++ {
			if f.writes(c) && f.sameLoc(a, c) {
				return false
			}
		}
		return f.loads(a) && f.loads(b) && !f.writes(a) && !sameWriter.has(a, b)
	})
	r3 := rfi.filter(func(a, _ int) bool { return f.rmw(a) })
	aq := func(a int) bool { return f.has(a, parse.Acquire|parse.AcquirePC) }
	rl := func(a int) bool { return f.has(a, parse.Release) }
	rcsc := func(a int) bool { return f.has(a, parse.Acquire|parse.Release) }
	r5 := access.filter(func(a, _ int) bool { return aq(a) })
	r6 := to(access, rl)
	r7 := access.filter(func(a, b int) bool { return rcsc(a) && rcsc(b) })
	r12 := to(addr.union(data), write).compose(rfi)
	r13 := to(addr.compose(f.po), write)
	return r1.union(r2, r3, f.fencerel(), r5, r6, r7, rmw, addr, data, to(ctrl, write), r12, r13).
		filter(func(a, b int) bool { return f.access(a) && f.access(b) })
}

// wmo is the edges of Axe's localWMOEdges and localDepEdges.
func (f *frame) wmo() rel {
	deps := newRel(len(f.po))
	for _, d := range f.h.Deps {
		if !f.fence(int(d.To)) && (d.Kind == 0 || d.Kind&(parse.DepAddress|parse.DepData) != 0) {
			deps.add(int(d.From), int(d.To))
		}
	}
	loc := f.po.filter(func(a, b int) bool { return f.sameLoc(a, b) && (f.writes(b) || f.reads(a)) })
	return loc.union(f.fencerel(), deps)
}
