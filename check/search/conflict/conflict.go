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

// run adds to the static edges (A1–A5) each write before the next of its
// location (A6) and each read before the write after the one it returned (A7),
// and sorts topologically. That the graph without a cycle is all there is to
// TSO is proved in the paper; SC, PSO and RMO differ in the static edges.
func run(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
	if h.StoreOrder == nil {
		return search.Unknown(m, Name, "the history does not tell its store order"), nil
	}
	if need := 200 * int64(len(h.Ops)); limits.MemoryBytes > 0 && need > limits.MemoryBytes {
		return search.OverMemory(m, Name, need, limits.MemoryBytes), nil
	}
	v := witness.Verdict{Answer: witness.Forbidden, Model: m.Name, Procedure: Name, Stats: witness.Stats{Ops: len(h.Ops)}}
	g := precedence.New(h, m)
	arcs := valueOrder(h)
	v.Stats.Derived = len(arcs)
	cycle := g.Contradiction
	proof := &precedence.Proof{Reason: witness.StoreOrder}
	if cycle == nil {
		if err := ctx.Err(); err != nil {
			return search.Interrupted(err, m, Name)
		}
		full := g.With(arcs)
		order, found := full.Sort()
		if found == nil {
			v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
			return v, nil
		}
		proof.Graph = full
		cycle = proof.Edges(found)
	}
	v.Refutation = &witness.Refutation{Lemmas: proof.Lemmas, Root: &witness.Node{Cycle: cycle}}
	return v, nil
}

// valueOrder returns the arcs of A6 and A7.
func valueOrder(h *parse.History) []precedence.Arc {
	var arcs []precedence.Arc
	after := make([]parse.OpID, len(h.Ops)) // write → the next of its location
	for _, writes := range h.StoreOrder {
		for i, w := range writes {
			after[w] = parse.NoOp
			if i+1 < len(writes) {
				after[w] = writes[i+1]
				arcs = append(arcs, precedence.Arc{
					From: precedence.Node(w), To: precedence.Node(after[w]), Rule: witness.StoreOrder, Via: parse.NoOp,
				})
			}
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Reads() {
			continue
		}
		next, rule, via := parse.NoOp, witness.FromRead, parse.NoOp
		if op.RF != parse.Init {
			next, rule, via = after[op.RF], witness.DerivedB, op.RF
		} else if writes := h.StoreOrder[op.Loc]; len(writes) > 0 {
			next = writes[0]
		}
		if next != parse.NoOp && next != parse.OpID(i) {
			arcs = append(arcs, precedence.Arc{From: precedence.Node(i), To: precedence.Node(next), Rule: rule, Via: via})
		}
	}
	return arcs
}
