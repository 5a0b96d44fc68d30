// Package reduction makes the hard histories of consistency checking: those
// that the reduction of 3-SAT makes of formulas (Chini and Saivasan, FSTTCS
// 2020, Sect. 5).
package reduction

import (
	"ordeal/check/internal/histgen"
	"ordeal/parse"
)

// History is the history of a formula given as clauses of three literals,
// variable v being literal v and its negation -v, numbered from 1: SC, TSO and
// PSO allow it exactly when the formula is satisfiable. It has two writes for
// each variable up to the largest that occurs, and six for each clause.
func History(clauses [][3]int) *parse.History { return histgen.FromCNF(clauses, true) }
