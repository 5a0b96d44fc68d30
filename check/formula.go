package check

import (
	"ordeal/check/internal/histgen"
	"ordeal/parse"
)

// FromFormula makes a hard history of a formula by the reduction of 3-SAT to
// consistency (Chini and Saivasan, FSTTCS 2020, Sect. 5). The formula is given as
// clauses of three literals, variable v being literal v and its negation -v,
// numbered from 1. SC, TSO and PSO allow the history exactly when the formula is
// satisfiable. It has two writes for each variable and six for each clause.
func FromFormula(clauses [][3]int) *parse.History { return histgen.FromCNF(clauses, true) }
