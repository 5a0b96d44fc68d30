package check

import (
	"context"

	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/closure"
	"ordeal/check/search/conflict"
	"ordeal/check/search/enum"
	"ordeal/check/search/frontier"
	"ordeal/check/search/satfull"
	"ordeal/check/search/subset"
	"ordeal/check/search/vc"
	"ordeal/check/witness"
	"ordeal/parse"
)

// procedures is the table of all procedures, the default first. Those with a
// "+", dbcop, x-sat and tsotool have the papers' names.
var procedures = []search.Procedure{
	auto,
	search.Saturate,
	search.Greedy,
	search.SAT,
	causal.Procedure,
	causal.CCM, causal.WCCM,
	closure.Procedure,
	conflict.Procedure,
	vc.Procedure, vc.TSOtool,
	enum.Procedure, enum.WSC, enum.CCM,
	frontier.Procedure, frontier.WSC, frontier.Plain, frontier.DBCOP,
	satfull.Procedure, satfull.X, satfull.WSC, satfull.CCM,
	subset.Procedure,
}

// auto judges under every model: the default pipeline of package search under
// those with a global memory order, the criterion itself under the others.
var auto = search.Procedure{
	Name:     search.Auto.Name,
	Summary:  search.Auto.Summary + "; causal models by their criteria",
	Complete: true,
	Claims:   func(m model.Model) bool { return defaultFor(m) != nil },
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
		return defaultFor(m).Run(ctx, h, m, limits)
	},
}

// defaultFor is the procedure that auto stands for under a model, or nil.
func defaultFor(m model.Model) *search.Procedure {
	for _, p := range []*search.Procedure{&search.Auto, &causal.Procedure, &closure.Procedure} {
		if p.Claims(m) {
			return p
		}
	}
	return nil
}

// Procedures lists the procedures that Options.Procedure can name, the
// default first.
func Procedures() []search.Procedure {
	return append([]search.Procedure(nil), procedures...)
}

// Procedure is the procedure of a name.
func Procedure(name string) (search.Procedure, bool) {
	for _, p := range procedures {
		if p.Name == name {
			return p, true
		}
	}
	return search.Procedure{}, false
}
