package causal

import "ordeal/parse"

// partial is a partial store order: for each write a row that holds, for each
// lane of its location, the largest chain position of a write that precedes it.
type partial struct {
	f    *frame
	whb  *graph // what it was made from, with clocks
	rows [][]int32
}

func (p *partial) row(w parse.OpID) []int32 { return p.rows[w] }

// newPartial closes, location by location, what whb says about pairs of
// writes and the edges of cf[hb] under transitivity. order is a topological
// order of both together.
func newPartial(g, whb *graph, order []parse.OpID) *partial {
	p := &partial{f: g.frame, whb: whb, rows: make([][]int32, len(g.h.Ops))}
	for _, w := range order {
		op := &g.h.Ops[w]
		if op.Writes() {
			p.alloc(w)
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

func (p *partial) alloc(w parse.OpID) {
	p.rows[w] = make([]int32, len(p.f.lanes[p.f.h.Ops[w].Loc]))
}

// lane is the index of w's lane among those of its location.
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
