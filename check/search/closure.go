package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// saturated builds and saturates the graph of a history. If that decides the
// matter, or cannot be done, g is nil and the verdict or error is final.
func saturated(ctx context.Context, h *parse.History, m model.Model, limits Limits, procedure string) (g *saturate.Graph, v witness.Verdict, err error) {
	if limits.MemoryBytes > 0 {
		if need := saturate.EstimateBytes(h, m); need > limits.MemoryBytes {
			return nil, OverMemory(m, procedure, need, limits.MemoryBytes), nil
		}
	}
	g, err = saturate.Build(h, m)
	if err != nil {
		return nil, witness.Verdict{}, err
	}
	ok, err := g.Saturate(ctx)
	if err != nil {
		v, err = Interrupted(err, m, procedure)
		return nil, v, err
	}
	v = witness.Verdict{Model: m.Name, Procedure: procedure}
	v.Stats.Derived = g.Inferred()
	if !ok {
		v.Answer, v.Procedure, v.Refutation = witness.Forbidden, "saturate", saturate.Shrink(h, m, g.Refute())
		return nil, v, nil
	}
	return g, v, nil
}

// Saturate is the polynomial criterion alone: wSC, and its kin for the other
// models. It refutes most forbidden histories and never answers Allowed.
var Saturate = Procedure{
	Name:    "saturate",
	Summary: "closure under the rules of saturation; refutes only",
	Claims:  ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		g, v, err := saturated(ctx, h, m, limits, "saturate")
		if g != nil {
			v.Reason = "saturation found no contradiction, which proves nothing"
		}
		return v, err
	},
}

// Greedy saturates, then orders the operations without backtracking.
var Greedy = Procedure{
	Name:    "greedy",
	Summary: "saturation, then a greedy order with forward checking; gives up at a dead end",
	Claims:  ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		g, v, err := saturated(ctx, h, m, limits, "greedy")
		if g == nil {
			return v, err
		}
		order, _, rejected, err := greedy(ctx, g)
		v.Stats.Backtracks = rejected
		switch {
		case err != nil:
			return Interrupted(err, m, "greedy")
		case order == nil:
			v.Reason = "the greedy order came to a dead end, which proves nothing"
		default:
			v.Answer, v.Order = witness.Allowed, order
		}
		return v, nil
	},
}
