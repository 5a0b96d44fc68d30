package causal

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// partial is a partial store order: for each write a row that holds, for each
// lane of its location, the largest chain position of a write that precedes it.
type partial struct {
	f    *frame
	whb  *graph // what it was made from, with clocks
	rows [][]int32
}

// newPartial closes, location by location, what whb says about pairs of
// writes and the edges of cf[hb] under transitivity. order is a topological
// order of both together.
func newPartial(g, whb *graph, order []parse.OpID) *partial {
	p := &partial{f: g.frame, whb: whb, rows: make([][]int32, len(g.h.Ops))}
	for _, w := range order {
		if op := &g.h.Ops[w]; op.Writes() {
			p.rows[w] = make([]int32, len(g.lanes[op.Loc]))
		}
	}
	for _, w := range order {
		op := &g.h.Ops[w]
		if !op.Writes() {
			continue
		}
		lanes := g.lanes[op.Loc]
		for j := range lanes {
			if u := g.lastBefore(&lanes[j], w, whb.row(w)); u != parse.NoOp {
				p.precede(j, u, w)
			}
		}
		for i := g.head[w]; i >= 0; i = g.edges[i].next {
			e := &g.edges[i]
			if e.thread == conflictThread {
				p.precede(p.lane(w), w, e.to)
			}
		}
	}
	return p
}

func (p *partial) lane(w parse.OpID) int {
	lanes := p.f.lanes[p.f.h.Ops[w].Loc]
	for j := range lanes {
		if lanes[j].chain == p.f.chain[w] {
			return j
		}
	}
	panic("causal: a write without a lane")
}

// precede records that u, of lane j, and all before it precede w.
func (p *partial) precede(j int, u, w parse.OpID) {
	row := p.rows[w]
	if row[j] >= p.f.pos[u] {
		return
	}
	row[j] = p.f.pos[u]
	join(row, p.rows[u])
}

// before reports whether write u precedes write w of the same location.
func (p *partial) before(u, w parse.OpID) bool { return p.rows[w][p.lane(u)] >= p.f.pos[u] }

// StoreOrder computes what criterion CCM or wCCM infers: edges that together
// with program order and reads-from make po ∪ wr ∪ pww ∪ rw[pww], in an order
// in which each follows from those before it. Their Lemma is -1. If the
// criterion forbids the history the refutation is one for it, and for the
// stronger SC or TSO as well.
func StoreOrder(ctx context.Context, h *parse.History, criterion model.Model) ([]witness.Edge, *witness.Refutation, error) {
	g := newGraph(newFrame(h, criterion == model.WCCM))
	_, ref, err := g.convergent(ctx)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	edges := make([]witness.Edge, len(g.edges))
	for i, e := range g.edges {
		edges[i] = witness.Edge{From: e.from, To: e.to, Rule: e.rule, Via: e.via, Lemma: -1}
	}
	return edges, nil, nil
}

// Ordered returns the partial store order of CCM or wCCM for a history that
// the criterion allows, as a function of two different writes to one location:
// whether pww (wpww) has the first before the second. It panics if the
// criterion forbids the history.
func Ordered(ctx context.Context, h *parse.History, criterion model.Model) (func(a, b parse.OpID) bool, error) {
	p, ref, err := newGraph(newFrame(h, criterion == model.WCCM)).convergent(ctx)
	if err != nil {
		return nil, err
	}
	if ref != nil {
		panic("causal: no partial store order where the criterion does not hold")
	}
	return p.before, nil
}

// closure is the evidence that CCM or wCCM allows the history: what convergent
// inferred, by kind. Of the read-write edges, those that precedence without
// conflicts (whb) shows already are left out.
func (g *graph) closure(p *partial) *witness.Closure {
	c := &witness.Closure{}
	for i := range g.edges {
		e := &g.edges[i]
		arc := witness.Arc{From: e.from, To: e.to}
		switch {
		case e.thread >= 0:
			if c.Local == nil {
				c.Local = make([][]witness.Arc, g.h.Threads())
			}
			c.Local[e.thread] = append(c.Local[e.thread], arc)
		case e.thread == conflictThread:
			c.Conflicts = append(c.Conflicts, arc)
		case e.thread == otherThread && !p.whb.before(e.from, e.to):
			c.Arcs = append(c.Arcs, arc)
		}
	}
	return c
}
