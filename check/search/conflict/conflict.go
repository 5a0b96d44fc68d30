// Package conflict decides histories whose store order is known: the
// VTSO-conflict problem of Manovit and Hangal (SPAA 2005, Sect. 4.1), by
// their rules A1–A7, for every model with a global memory order.
package conflict

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/precedence"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Name is the name of the procedure.
const Name = "conflict"

// Procedure takes linear time and is complete for a history with a
// StoreOrder; for others it answers Unknown.
var Procedure = search.Procedure{
	Name:    Name,
	Summary: "A1-A7 of TSOtool: linear time, needs the store order",
	Claims:  search.ClaimsTotal,
	Run:     run,
}

// run sorts the graph of static edges (A1–A5), store order (A6) and reads
// before the write after the one they returned (A7) topologically. That the
// graph without a cycle is all there is to
// TSO is proved in the paper; SC, PSO and RMO differ in the static edges only.
func run(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
	if h.StoreOrder == nil {
		return search.Unknown(m, Name, "the history does not tell its store order"), nil
	}
	if need := 200 * int64(len(h.Ops)); limits.MemoryBytes > 0 && need > limits.MemoryBytes {
		return search.OverMemory(m, Name, need, limits.MemoryBytes), nil
	}
	if err := ctx.Err(); err != nil {
		return search.Interrupted(err, m, Name)
	}
	v := witness.Verdict{Answer: witness.Forbidden, Model: m.Name, Procedure: Name, Stats: witness.Stats{Ops: len(h.Ops)}}
	g := precedence.New(h, m)
	if g.Contradiction != nil {
		v.Refutation = g.Refutation()
	} else if order, cycle := g.Sort(); cycle != nil {
		v.Refutation = g.NewProof().Refute(cycle)
	} else {
		v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
	}
	return v, nil
}
