// Package search holds the procedures that decide whether a model allows a
// history, and the type they share. Procedures only find evidence; package
// check has it accepted by the independent checkers before it answers.
package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Limits bound what a procedure may spend. Time is bounded by the context
// alone.
type Limits struct {
	// MemoryBytes bounds the estimated memory; 0 means no bound. A procedure
	// that would exceed it answers Unknown before it allocates.
	MemoryBytes int64
	_           struct{}
}

// Procedure is one way to decide whether a model allows a history.
type Procedure struct {
	// Name selects the procedure on the command line.
	Name string
	// Summary says in one line, without full stop, what the procedure does.
	Summary string
	// Complete says that the procedure never answers Unknown except for
	// want of time or memory.
	Complete bool
	// Claims reports whether the procedure can judge under the model.
	Claims func(m model.Model) bool
	// Run judges a well-formed history under a model that Claims accepts.
	// It polls ctx at least every few milliseconds of work: a passed
	// deadline is Unknown with a reason (see Interrupted), a cancelled
	// context an error. An Allowed verdict carries an Order, a Forbidden one
	// a Refutation.
	Run func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error)
	_   struct{}
}

// ClaimsTotal accepts the models that ask for a global memory order.
func ClaimsTotal(m model.Model) bool { return m.Family == model.Total }

// ClaimsNames makes a Claims function of a list of canonical model names.
func ClaimsNames(names ...string) func(model.Model) bool {
	return func(m model.Model) bool {
		for _, n := range names {
			if n == m.Name {
				return true
			}
		}
		return false
	}
}
