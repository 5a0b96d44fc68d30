package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Auto is the default pipeline: saturation refutes, a greedy order allows, and
// the few histories that neither decides go to SAT.
var Auto = Procedure{
	Name:     "auto",
	Summary:  "the default: saturation, then greedy, then sat",
	Complete: true,
	Claims:   ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		g, v, err := saturated(ctx, h, m, limits, "auto")
		if g == nil {
			return v, err
		}
		order, _, refusals, err := greedy(ctx, g)
		v.Stats.Backtracks = refusals
		switch {
		case err != nil:
			return Interrupted(err, m, "auto")
		case order != nil:
			v.Answer, v.Procedure, v.Order = witness.Allowed, "greedy", order
			return v, nil
		}
		return decide(ctx, g, m, v)
	},
}
