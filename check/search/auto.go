package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Auto is the default pipeline.
var Auto = Procedure{
	Name:    "auto",
	Summary: "saturation, then greedy",
	Claims:  ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		v, err := Greedy.Run(ctx, h, m, limits)
		return v, err
	},
}
