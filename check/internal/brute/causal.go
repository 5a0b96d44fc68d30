package brute

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// world is a frame for the causal models, in which initial writes are
// operations before all others in program order (Zennou et al., CAV 2019,
// Def. 1) and fences play no part. An RMW is one operation, both a read and a
// write; where the papers relate two different writes, or a read and a write
// of different values, it is not related to itself.
type world struct {
	*frame
	po, wr rel
}

func newWorld(h *parse.History) *world {
	f := newFrame(h)
	w := &world{frame: f, wr: f.rf}
	w.po = f.po.filter(func(a, b int) bool { return !f.fence(a) && !f.fence(b) })
	for x := range h.Locations {
		for a := range f.n {
			if !f.fence(a) {
				w.po.add(f.n+x, a)
			}
		}
	}
	return w
}

func distinct(a, b int) bool { return a != b }

func (w *world) ww(r rel) rel {
	return r.filter(func(a, b int) bool { return w.writes(a) && w.writes(b) && w.sameLoc(a, b) })
}

func (w *world) wrPairs(r rel) rel {
	return r.filter(func(a, b int) bool { return w.writes(a) && w.reads(b) && w.sameLoc(a, b) })
}

// cf is the conflict relation induced by r (CAV 2019, Def. 3), with wr or its
// external part as the reads-from relation.
func (w *world) cf(r, wr rel) rel {
	return w.wrPairs(r).compose(wr.inverse()).filter(distinct)
}

// rw is the read-write relation induced by r (CAV 2019, Def. 2).
func (w *world) rw(r rel) rel {
	return w.wr.inverse().compose(w.ww(r)).filter(distinct)
}

func causal(h *parse.History, m model.Model) bool {
	w := newWorld(h)
	switch m.Name {
	case model.CC.Name:
		return w.cc()
	case model.CCv.Name:
		return w.cc() && w.po.union(w.wr, w.cf(w.co(), w.wr)).acyclic()
	case model.CM.Name:
		return w.cc() && w.cm()
	case model.CCM.Name:
		return w.ccm()
	case model.WCCM.Name:
		return w.wccm()
	case model.WSC.Name, model.WTSO.Name, model.WPSO.Name:
		return closed(h, m)
	default:
		panic("brute: unknown causal model " + m.Name)
	}
}

func (w *world) co() rel { return w.po.union(w.wr).plus() }

// cc is causal consistency by its bad patterns (Bouajjani et al., POPL 2017):
// causal order is acyclic, and no read returns a write that another write,
// causally before the read, causally follows.
//
// NB: CAV 2019, Sect. 3.1, asks instead that po ∪ wr ∪ rw[co] be acyclic. Read
// literally, with its explicit initial writes, that forbids store buffering
// and its own Fig. 1c, of which it says that CC, CCv and CM allow it: there
// the cycle goes through two rw edges. One rw edge is meant.
func (w *world) cc() bool {
	co := w.co()
	return co.irreflexive() && w.rw(co).compose(co).irreflexive()
}

// local is hb_o of causal memory (CAV 2019, Sect. 3.1), for program order π
// and the causal order co made from it.
func (w *world) local(o int, π, co rel) rel {
	hb := newRel(len(co))
	for a := range co {
		for b := range co {
			if co.has(a, b) && co.has(a, o) && (b == o || co.has(b, o)) {
				hb.add(a, b)
			}
		}
	}
	for {
		next := hb.plus()
		for r := range w.n {
			if !w.reads(r) || r != o && !π.has(r, o) {
				continue
			}
			for a := range hb {
				if hb.has(a, r) && w.writes(a) && w.sameLoc(a, r) && a != w.writer(r) && a != r {
					next.add(a, w.writer(r))
				}
			}
		}
		if next.subset(hb) {
			return hb
		}
		hb = next
	}
}

func (w *world) cm() bool {
	co := w.co()
	for o := range w.n {
		if !w.local(o, w.po, co).irreflexive() {
			return false
		}
	}
	return true
}

// wre is external reads-from, and what RMWs read, which is never forwarded.
func (w *world) wre() rel {
	return w.rf.filter(func(a, b int) bool { return w.external(a, b) || w.writes(b) })
}

// hb is the union of all hb_o, transitively closed.
func (w *world) hb(π, co rel) rel {
	hb := newRel(len(co))
	for o := range co {
		hb = hb.union(w.local(o, π, co))
	}
	return hb.plus()
}

// ccm is convergent causal memory, literally (CAV 2019, Sect. 3.2).
//
// NB: the paper says that CCM allows Fig. 3 (IRIW); its definition forbids
// it, by the two rw edges from the reads of 0. The lemmas (CCM follows from
// SC, and implies CC, CCv and CM) hold for the literal definition, and the
// procedures for SC rest on them.
func (w *world) ccm() bool {
	hb := w.hb(w.po, w.co())
	pww := w.ww(hb).union(w.cf(hb, w.wr)).plus()
	return w.po.union(w.wr, pww, w.rw(pww)).acyclic()
}

// wccm is weak convergent causal memory (CAV 2019, Sect. 4.1); to the paper's
// ppo we add what fences order, and to wre what RMWs read. Initial writes belong to no thread: they are
// external, and before everything in both program orders.
func (w *world) wccm() bool {
	initial := w.po.filter(func(a, b int) bool { return a >= w.n })
	ppo := w.ppo(model.TSO).union(initial)
	poLoc := w.po.filter(w.sameLoc)
	wre := w.wre()
	coP, coL := ppo.union(wre).plus(), poLoc.union(wre).plus()
	hbP, hbL := w.hb(ppo, coP), w.hb(poLoc, coL)
	whb := hbP.union(hbL).plus()
	wpww := w.ww(whb).union(w.cf(hbL, wre), w.cf(hbP, wre)).plus()
	rw := w.rw(wpww)
	return ppo.union(wre, wpww, rw).acyclic() && poLoc.union(wre, wpww, rw).acyclic()
}

// closed reports whether the closure of Zennou et al. (the wSC paper, Sect.
// 3), or its counterpart for TSO and PSO, is acyclic:
//
//	st = (seeds ∪ (hb_WR ∘ wr⁻¹) ∪ hb_WW)⁺
//	hb = (ppo ∪ fences ∪ grf ∪ st ∪ rw[st])⁺
//
// where grf is rf for SC and wre otherwise, and the seeds are what the accesses of one thread to one location say
// about coherence (uniproc; for SC they follow from the rest), and what is
// known of the final values and of the store order.
func closed(h *parse.History, m model.Model) bool {
	w := newWorld(h)
	base := w.ppo(m)
	if m.ForwardOwn {
		base = base.union(w.wre())
	} else {
		base = base.union(w.rf)
	}
	st := w.seeds()
	hb := base.union(st, w.rw(st)).plus()
	for {
		st = st.union(w.ww(hb), w.cf(hb, w.wr)).plus()
		next := hb.union(st, w.rw(st)).plus()
		if next.subset(hb) {
			return hb.irreflexive()
		}
		hb = next
	}
}

// seeds are the pairs of writes whose coherence is known at once.
func (w *world) seeds() rel {
	st := newRel(len(w.po))
	for x := range w.h.Locations {
		for b := range w.n {
			if w.writes(b) && w.loc(b) == x {
				st.add(w.n+x, b)
			}
		}
		if w.h.StoreOrder != nil {
			for i, b := range w.h.StoreOrder[x] {
				for _, a := range w.h.StoreOrder[x][:i] {
					st.add(int(a), int(b))
				}
			}
		}
		if w.h.Final != nil && w.h.Final[x] != parse.NoOp {
			last := w.element(w.h.Final[x], x)
			for a := range w.n {
				if w.writes(a) && w.loc(a) == x && a != last {
					st.add(a, last)
				}
			}
		}
	}
	// at is the write whose value a thread sees with access a.
	at := func(a int) int {
		if w.writes(a) {
			return a
		}
		return w.writer(a)
	}
	for a := range w.n {
		for b := range w.n {
			if !w.frame.po.has(a, b) || !w.sameLoc(a, b) {
				continue
			}
			// Reading one write twice, or one's own, orders nothing; but a
			// write may not follow a read of itself.
			if at(a) != at(b) || w.writes(b) {
				st.add(at(a), at(b))
			}
		}
	}
	return st.plus()
}
