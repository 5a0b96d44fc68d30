package causal

import (
	"context"

	"ordeal/check/witness"
	"ordeal/parse"
)

// Values of derived.thread for edges that are not of some hb_o.
const (
	conflictThread int32 = -1 - iota // cf[hb]
	ownThread                        // po-loc, between stores
	otherThread                      // read-write edges
)

// convergent computes CCM, or, on a frame of TSO's ppo, wCCM (CAV 2019,
// Sects. 3.2 and 4.1). It returns a refutation, or nil and leaves in the
// graph po ∪ wr ∪ pww ∪ rw[pww] and in partial the store order pww.
//
// Two observations make it O(nk²) for k threads. The paper's hb is
// (po ∪ wr ∪ what the hb_o infer)⁺, and by chains only the last write of each
// chain before an operation, and the last reader of each chain, matter. And
// of po-loc only pairs of a store and a later load are no part of TSO's ppo;
// if the load returns another thread's store, or the initial one, the pair
// says that the own store precedes that (OwnStore); if it returns the own
// store, whatever the load precedes by external edges the store does too. So
// po-loc needs no graph of its own.
func (g *graph) convergent(ctx context.Context) (*partial, *witness.Refutation, error) {
	_, ref, err := g.sort(ctx, true, kindCausal)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	for t := range g.h.Threads() {
		if _, ref, err := g.local(ctx, t, false); ref != nil || err != nil {
			return nil, ref, err
		}
	}
	inferred := len(g.edges)
	for i := range inferred {
		g.linkNew(int32(i))
	}
	if g.ppo {
		if ref := g.ownStores(); ref != nil {
			return nil, ref, nil
		}
	}
	whb := newGraph(g.frame)
	whb.edges, whb.head = g.edges, g.head
	if _, ref, err = whb.sort(ctx, true, kindConvergent); ref != nil || err != nil {
		return nil, ref, err
	}
	hb := whb
	if len(g.edges) > inferred { // cf[hb] is about ppo alone
		hb = newGraph(g.frame)
		hb.edges = g.edges
		for i := range inferred {
			hb.linkNew(int32(i))
		}
		if _, _, err = hb.sort(ctx, true, kindConvergent); err != nil { // a part of whb, which has no cycle
			return nil, nil, err
		}
		// The lists of hb have overwritten the links of g's.
		g.unlink()
		for i := range g.edges {
			g.linkNew(int32(i))
		}
	}
	if ref, err = g.conflicts(ctx, hb, whb); ref != nil || err != nil {
		return nil, ref, err
	}
	order, ref, err := g.sort(ctx, false, kindConvergent)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	p := newPartial(g, whb, order)
	g.readWrite(p)
	if _, ref, err = g.sort(ctx, false, kindConvergent); ref != nil || err != nil {
		return nil, ref, err
	}
	return p, nil, nil
}

// ownStores adds S → rf(R) for the last own store S before a load R, where R
// returns another thread's store.
func (g *graph) ownStores() *witness.Refutation {
	last := make([]parse.OpID, len(g.h.Locations)) // the last write visited
	for x := range last {
		last[x] = parse.NoOp
	}
	for t := range g.h.Threads() {
		start := g.h.Start[t]
		for id := start; id < g.h.Start[t+1]; id++ {
			op := &g.h.Ops[id]
			if op.Kind == parse.Fence {
				continue
			}
			if s := last[op.Loc]; op.Kind == parse.Read && s >= start && s != op.RF {
				e := derived{from: s, to: op.RF, via: id, thread: ownThread, rule: witness.OwnStore}
				if op.RF == parse.Init {
					return g.proof(kindConvergent).initial(e)
				}
				g.add(e)
			}
			if op.Writes() {
				last[op.Loc] = id
			}
		}
	}
	return nil
}

// conflicts adds the edges of cf[hb]: U → rf(R) where U hb R.
func (g *graph) conflicts(ctx context.Context, hb, whb *graph) (*witness.Refutation, error) {
	for i := range g.h.Ops {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		r, op := parse.OpID(i), &g.h.Ops[i]
		if !op.Reads() {
			continue
		}
		w := op.RF
		if g.ppo && w != parse.Init && !g.external(r) {
			continue
		}
		lanes := g.lanes[op.Loc]
		for j := range lanes {
			u := g.lastBefore(&lanes[j], r, hb.row(r))
			if u == parse.NoOp || u == w {
				continue
			}
			e := derived{from: u, to: w, via: r, thread: conflictThread, rule: witness.DerivedA}
			if w == parse.Init {
				return g.proof(kindConvergent).initial(e), nil
			}
			if !whb.before(u, w) {
				g.add(e)
			}
		}
	}
	// What hb of po-loc adds: an own store S before an RMW (OwnStore, and the
	// last step of any path that hb of ppo lacks) precedes what the RMW read.
	for i := range g.edges {
		own := g.edges[i]
		if own.thread != ownThread || g.h.Ops[own.to].Kind != parse.RMW {
			continue
		}
		w := g.h.Ops[own.to].RF
		e := derived{from: own.from, to: w, via: own.to, thread: conflictThread, rule: witness.DerivedA}
		if w == parse.Init {
			return g.proof(kindConvergent).initial(e), nil
		}
		if w != own.from && !whb.before(own.from, w) {
			g.add(e)
		}
	}
	return nil, nil
}

func (g *graph) readWrite(p *partial) {
	for x := range g.lanes {
		for i := range g.lanes[x] {
			first := g.lanes[x][i].ops[0]
			for _, r := range g.initial[x] {
				if r != first {
					g.add(derived{from: r, to: first, via: parse.NoOp, thread: otherThread, rule: witness.FromRead})
				} else if len(g.lanes[x][i].ops) > 1 {
					continue // its own chain orders the rest
				}
			}
			for _, w := range g.lanes[x][i].ops {
				row := p.rows[w]
				for j := range g.lanes[x] {
					before := g.last(&g.lanes[x][j], row[j])
					if before == parse.NoOp {
						continue
					}
					for _, r := range g.readers[before] {
						if r != w {
							g.add(derived{from: r, to: w, via: before, thread: otherThread, rule: witness.DerivedB})
						}
					}
				}
			}
		}
	}
}
