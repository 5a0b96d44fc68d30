package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Conflict decides histories whose store order is known: the VTSO-conflict
// problem of Manovit and Hangal (SPAA 2005, Sect. 4.1), for every model with a
// global memory order. A write is placed after the write before it in that order and
// the reads of that one (A6 and A7), and after its predecessors on static edges (A1
// to A5). So no placement is a decision: placing whatever is ready is a topological
// sort, in linear time, and if it gets stuck these edges have a cycle. Saturation,
// which has A6 as static edges and derives A7 by rule B, then refutes the history. For
// histories without store order the answer is Unknown.
var Conflict = Procedure{
	Name:     "conflict",
	Summary:  "A1-A7 of TSOtool: linear time, needs the store order",
	Supports: func(m model.Model) bool { return m.Family == model.Total && !m.RealTime },
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		if h.StoreOrder == nil {
			v.Reason = "the history does not include its store order"
			return nil
		}
		g, err := staticGraph(h, m, limits)
		if err != nil {
			return err
		}
		if !g.Contradictory() {
			order, _, _, err := newPlacer(g).order(ctx, 0)
			if err != nil {
				return err
			}
			if order != nil {
				v.Answer, v.Order = witness.Allowed, order
				return nil
			}
		}
		g, err = saturated(ctx, h, m, limits, g, v)
		if g != nil {
			panic("search: saturation allows what the known order of stores forbids")
		}
		v.Procedure = "conflict"
		return err
	},
}
