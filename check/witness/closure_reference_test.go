package witness_test

import (
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// pairs is a relation on operations, by definition and without any cleverness.
type pairs [][]bool

func newPairs(n int) pairs {
	r := make(pairs, n)
	for i := range r {
		r[i] = make([]bool, n)
	}
	return r
}

func (r pairs) with(arcs ...witness.Arc) pairs {
	out := newPairs(len(r))
	for i := range r {
		copy(out[i], r[i])
	}
	for _, a := range arcs {
		out[a.From][a.To] = true
	}
	return out
}

func (r pairs) plus() pairs {
	out := r.with()
	for k := range out {
		for a := range out {
			for b := range out {
				out[a][b] = out[a][b] || out[a][k] && out[k][b]
			}
		}
	}
	return out
}

func (r pairs) cyclic() bool {
	for a, row := range r.plus() {
		if row[a] {
			return true
		}
	}
	return false
}

// reference is CheckClosure written naively: it looks at all operations where
// CheckClosure looks at extreme ones, and at po-loc where CheckClosure trusts
// an argument.
type reference struct {
	h *parse.History
	m model.Model // whose program order the criterion takes
}

func (w reference) op(a int) *parse.Op { return &w.h.Ops[a] }

func (w reference) po(a, b int) bool {
	return a < b && w.h.Thread(parse.OpID(a)) == w.h.Thread(parse.OpID(b)) &&
		w.op(a).Kind != parse.Fence && w.op(b).Kind != parse.Fence
}

func (w reference) sameLoc(a, b int) bool { return w.op(a).Loc == w.op(b).Loc }

// pairsOf are the pairs that keep accepts.
func (w reference) pairsOf(keep func(a, b int) bool) pairs {
	r := newPairs(len(w.h.Ops))
	for a := range r {
		for b := range r {
			r[a][b] = keep(a, b)
		}
	}
	return r
}

// program is preserved program order, fences, and coherence of own writes.
func (w reference) program(a, b int) bool {
	if !w.po(a, b) {
		return false
	}
	mask := w.m.PPO
	for _, f := range w.h.Ops[a:b] {
		mask |= f.Mask
	}
	x, y := w.op(a), w.op(b)
	return x.Reads() && y.Reads() && mask&parse.LoadLoad != 0 || x.Reads() && y.Writes() && mask&parse.LoadStore != 0 ||
		x.Writes() && y.Reads() && mask&parse.StoreLoad != 0 || x.Writes() && y.Writes() && (mask&parse.StoreStore != 0 || x.Loc == y.Loc)
}

func (w reference) global(a, b int) bool {
	r := w.op(b)
	own := r.Kind == parse.Read && r.RF >= 0 && w.h.Thread(r.RF) == w.h.Thread(parse.OpID(b))
	return r.Reads() && int(r.RF) == a && !(own && w.m.ForwardOwn)
}

// ownStore says that b is what a load returned in place of the earlier own a.
func (w reference) ownStore(a, b int) bool {
	for i := range w.h.Ops {
		if r := w.op(i); w.op(a).Writes() && r.Kind == parse.Read && int(r.RF) == b && a != b && w.po(a, i) && w.sameLoc(a, i) {
			return true
		}
	}
	return false
}

// ruleA holds for read r if every write before it is before what it returned.
func (w reference) ruleA(before pairs, r int) bool {
	for u := range before {
		if from := int(w.op(r).RF); before[u][r] && w.op(u).Writes() && w.sameLoc(u, r) && u != from && (from < 0 || !before[u][from]) {
			return false
		}
	}
	return true
}

// ruleB holds for read r if it is before every write that is later than what
// it returned.
func (w reference) ruleB(before, later pairs, r int) bool {
	for u := range before {
		if w.op(u).Writes() && w.sameLoc(u, r) && u != r && (w.op(r).RF < 0 || later[w.op(r).RF][u]) && !before[r][u] {
			return false
		}
	}
	return true
}

// initials reports whether the initial value is read or final in spite of own
// writes.
func (w reference) initials(final bool) bool {
	for a := range w.h.Ops {
		if !w.op(a).Writes() {
			continue
		}
		for b := range w.h.Ops {
			if w.po(a, b) && w.sameLoc(a, b) && w.op(b).RF == parse.Init {
				return true
			}
		}
		if final && w.h.Final != nil && w.h.Final[w.op(a).Loc] == parse.Init {
			return true
		}
	}
	return false
}

func (w reference) saturated(c *witness.Closure) bool {
	if w.initials(true) {
		return false
	}
	before := w.pairsOf(func(a, b int) bool {
		if w.program(a, b) || w.global(a, b) || w.m.ForwardOwn && w.ownStore(a, b) {
			return true
		}
		if !w.op(a).Writes() || !w.op(b).Writes() || !w.sameLoc(a, b) || a == b {
			return false
		}
		x := w.op(a).Loc
		if w.h.Final != nil && int(w.h.Final[x]) == b {
			return true
		}
		return w.h.StoreOrder != nil &&
			slices.Index(w.h.StoreOrder[x], parse.OpID(a)) < slices.Index(w.h.StoreOrder[x], parse.OpID(b))
	}).with(c.Arcs...)
	if before.cyclic() {
		return false
	}
	before = before.plus()
	for r := range w.h.Ops {
		if !w.op(r).Reads() {
			continue
		}
		if from := int(w.op(r).RF); from > r && w.po(r, from) || !w.ruleA(before, r) || !w.ruleB(before, before, r) {
			return false
		}
	}
	return true
}

// convergent checks CCM and wCCM. wCCM's po-loc takes part by ownStore.
func (w reference) convergent(c *witness.Closure) bool {
	if w.m.ForwardOwn && w.initials(false) {
		return false
	}
	base := w.pairsOf(func(a, b int) bool { return w.program(a, b) || w.global(a, b) })
	hb := base
	for _, arcs := range c.Local {
		hb = hb.with(arcs...)
	}
	for t := range w.h.Threads() {
		local := base
		if t < len(c.Local) {
			local = base.with(c.Local[t]...)
		}
		local = local.plus()
		for r := range w.h.Ops {
			if w.op(r).Reads() && w.h.Thread(parse.OpID(r)) == t && !w.ruleA(local, r) {
				return false
			}
		}
	}
	own := newPairs(len(base))
	if w.m.ForwardOwn {
		own = w.pairsOf(w.ownStore)
	}
	whb := w.pairsOf(func(a, b int) bool { return hb[a][b] || own[a][b] })
	all := whb.with(c.Conflicts...).with(c.Arcs...)
	if all.cyclic() {
		return false
	}
	hb, whb, all = hb.plus(), whb.plus(), all.plus()
	pww := w.pairsOf(func(a, b int) bool {
		return whb[a][b] && w.op(a).Writes() && w.op(b).Writes() && w.sameLoc(a, b)
	}).with(c.Conflicts...).plus()
	for r := range w.h.Ops {
		op := w.op(r)
		if !op.Reads() {
			continue
		}
		from := int(op.RF)
		for u := range w.h.Ops {
			leads := hb[u][r] && (from < 0 || w.global(from, r)) || own[u][r]
			if leads && w.op(u).Writes() && w.sameLoc(u, r) && u != from && (from < 0 || !pww[u][from]) {
				return false
			}
		}
		if !w.ruleB(all, pww, r) {
			return false
		}
	}
	return true
}

// closedByDefinition is the answer that CheckClosure must give.
func closedByDefinition(h *parse.History, m model.Model, c *witness.Closure) bool {
	switch m.Name {
	case model.WSC.Name, model.WTSO.Name, model.WPSO.Name:
		return reference{h, m}.saturated(c)
	default:
		return reference{h, m}.convergent(c)
	}
}
