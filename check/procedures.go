package check

import (
	"ordeal/check/causal"
	"ordeal/check/search"
	"ordeal/check/search/conflict"
	"ordeal/check/search/enum"
	"ordeal/check/search/frontier"
	"ordeal/check/search/satfull"
	"ordeal/check/search/subset"
	"ordeal/check/search/vc"
)

// procedures is the table of all procedures, the default first. Those with a
// "+", dbcop, x-sat and tsotool have the papers' names.
var procedures = []search.Procedure{
	search.Auto,
	search.Saturate,
	search.Greedy,
	search.SAT,
	causal.Procedure,
	causal.CCM, causal.WCCM,
	conflict.Procedure,
	vc.Procedure, vc.TSOtool,
	enum.Procedure, enum.WSC, enum.CCM,
	frontier.Procedure, frontier.WSC, frontier.Plain, frontier.DBCOP,
	satfull.Procedure, satfull.X, satfull.WSC, satfull.CCM,
	subset.Procedure,
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
