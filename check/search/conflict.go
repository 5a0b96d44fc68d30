package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/search/precedence"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Conflict decides histories whose store order is known: the VTSO-conflict
// problem of Manovit and Hangal (SPAA 2005, Sect. 4.1), by their rules A1–A7,
// for every model with a global memory order. It sorts the graph of static
// edges (A1–A5), store order (A6) and reads before the write after the one
// they returned (A7) topologically. The paper proves that this is complete for
// TSO; SC, PSO and RMO differ in the static edges only. For histories without
// store order the answer is Unknown.
var Conflict = Procedure{
	Name:     "conflict",
	Summary:  "A1-A7 of TSOtool: linear time, needs the store order",
	Supports: Total,
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		if h.StoreOrder == nil {
			v.Reason = "the history does not include its store order"
			return nil
		}
		if err := limits.Check(200 * int64(len(h.Ops))); err != nil {
			return err
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		order, ref := precedence.New(h, m).Order()
		v.Answer, v.Refutation = witness.Forbidden, ref
		if ref == nil {
			v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
		}
		return nil
	},
}
