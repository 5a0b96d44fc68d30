package check

import "ordeal/check/search"

// procedures is the table of all procedures, the default first.
var procedures = []search.Procedure{
	search.Auto,
	search.Saturate,
	search.Greedy,
	search.SAT,
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
