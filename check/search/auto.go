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
		v, err := Greedy.Run(ctx, h, m, limits)
		if err != nil || v.Answer != witness.Unknown {
			return v, err
		}
		return SAT.Run(ctx, h, m, limits)
	},
}
