package check

import (
	"slices"

	"ordeal/check/procedures/directsat"
	"ordeal/check/procedures/enum"
	"ordeal/check/procedures/frontier"
	"ordeal/check/procedures/subset"
	"ordeal/check/procedures/vectorclock"
	"ordeal/check/search"
)

// procedures is the table of all procedures, the default first. Those with a
// "+", dbcop, x-sat and tsotool have the papers' names.
var procedures = []search.Procedure{
	search.Auto, search.Saturate, search.Greedy, search.SAT,
	search.Causal, search.CCM, search.WCCM, search.Closure,
	search.Conflict,
	vectorclock.Procedure, vectorclock.TSOtool,
	enum.Procedure, enum.WSC, enum.CCM,
	frontier.Procedure, frontier.WSC, frontier.Plain, frontier.DBCOP,
	directsat.Procedure, directsat.X, directsat.WSC, directsat.CCM,
	subset.Procedure,
}

// Procedures lists the procedures that Options.Procedure can name, the
// default first.
func Procedures() []search.Procedure { return slices.Clone(procedures) }

// Procedure is the procedure of a name; "" is the default.
func Procedure(name string) (search.Procedure, bool) {
	i := slices.IndexFunc(procedures, func(p search.Procedure) bool { return p.Name == name || name == "" })
	if i < 0 {
		return search.Procedure{}, false
	}
	return procedures[i], true
}
