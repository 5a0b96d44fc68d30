package search

import (
	"context"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// patience is how long a SAT solver runs between looks at the context.
const patience = 20 * time.Millisecond

// Solve runs a SAT solver and reports whether its clauses are satisfiable under
// assumptions. The solver goes on with what it has learned where it was interrupted.
func Solve(ctx context.Context, sat *gini.Gini, assumptions ...z.Lit) (bool, error) {
	for {
		sat.Assume(assumptions...) // for one try only
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if r := sat.Try(patience); r != 0 {
			return r > 0, nil
		}
	}
}
