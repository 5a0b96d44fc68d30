package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Auto is the default pipeline: saturation refutes, a greedy order allows, and
// the few histories that neither decides are cut into independent windows,
// which go to SAT if a greedy order fails again.
var Auto = Procedure{
	Name:     "auto",
	Summary:  "the default: saturation, then greedy, then sat",
	Complete: true,
	Claims:   ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		if parts := components(h); parts != nil {
			return separately(ctx, h, m, limits, parts)
		}
		return connected(ctx, h, m, limits, decompose)
	},
}

// finisher finishes a verdict on a saturated graph that a greedy order could
// not.
type finisher func(context.Context, *saturate.Graph, model.Model, Limits, witness.Verdict) (witness.Verdict, error)

// connected judges a history that does not fall into components, by finish if
// saturation and a greedy order leave it open.
func connected(ctx context.Context, h *parse.History, m model.Model, limits Limits, finish finisher) (witness.Verdict, error) {
	g, v, err := saturated(ctx, h, m, limits, "auto")
	if g == nil {
		return v, err
	}
	v, done, err := ordered(ctx, g, m, v)
	if done || err != nil {
		return v, err
	}
	return finish(ctx, g, m, limits, v)
}

// ordered finishes a verdict by a greedy order, if that is possible.
func ordered(ctx context.Context, g *saturate.Graph, m model.Model, v witness.Verdict) (_ witness.Verdict, done bool, err error) {
	order, _, refusals, err := greedy(ctx, g)
	v.Stats.Backtracks = refusals
	switch {
	case err != nil:
		v, err = Interrupted(err, m, "auto")
		return v, true, err
	case order != nil:
		v.Answer, v.Procedure, v.Order = witness.Allowed, "greedy", order
		return v, true, nil
	}
	return v, false, nil
}
