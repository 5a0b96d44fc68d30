// Package search holds the procedures that decide whether a model allows a
// history. They only find evidence: package check has it accepted by the
// independent checkers of package witness before it answers.
package search

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Procedure decides whether a model allows a history.
type Procedure struct {
	// Name selects the procedure on the command line.
	Name string
	// Summary describes the procedure in one line, without full stop.
	Summary string
	// Complete says that the procedure answers Unknown only when it runs out
	// of time or memory.
	Complete bool
	// Supports reports whether the procedure can decide under a model.
	Supports func(m model.Model) bool
	// Decide completes a verdict, which is Unknown at first, on a well-formed
	// history under a supported model: Allowed with an Order or a Closure,
	// Forbidden with a Refutation or else Unproved, Unknown with a Reason. It polls ctx at
	// least every few milliseconds and returns its error when it is done, and
	// the error of Limits.Check when it would need too much memory.
	Decide func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error
	_      struct{}
}

// Exhausted is Verdict.Unproved where a search met all memory orders that it
// looks for, found none that the model allows, and keeps no proof of that.
// Package check asks Auto for a refutation then.
const Exhausted = "the search keeps no proof"

// OutOfTime is the reason of verdicts that a deadline left open or unproved.
const OutOfTime = "time budget exhausted"

// Run decides whether model m allows h. A passed deadline and an exceeded
// memory budget are Unknown; a cancelled context is an error.
func (p Procedure) Run(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
	v := witness.Verdict{Model: m.Name, Procedure: p.Name}
	v.Stats.Ops = len(h.Ops)
	if !p.Supports(m) {
		return v, fmt.Errorf("procedure %s does not support model %s", p.Name, m.Name)
	}
	err := p.Decide(ctx, h, m, limits, &v)
	var memory *memoryError
	switch {
	case errors.As(err, &memory):
		return Unknown(m, p.Name, memory.Error()), nil
	case errors.Is(err, context.DeadlineExceeded):
		return Unknown(m, p.Name, OutOfTime), nil
	case err != nil:
		return witness.Verdict{}, fmt.Errorf("procedure %s: %w", p.Name, err)
	}
	return v, nil
}

// Unknown returns a verdict that claims nothing, for the reason given.
func Unknown(m model.Model, procedure, reason string) witness.Verdict {
	return witness.Verdict{Answer: witness.Unknown, Model: m.Name, Procedure: procedure, Reason: reason}
}

// Limits bound what a procedure may spend. Time is bounded by the context.
type Limits struct {
	// MemoryBytes bounds the estimated memory; 0 means no bound. A procedure
	// that would exceed it answers Unknown before it allocates.
	MemoryBytes int64
	// AvailableBytes is what the machine has to give, which bounds where
	// MemoryBytes does not; 0 means unknown.
	AvailableBytes int64
	_              struct{}
}

// bound is the limit in bytes; 0 means none.
func (l Limits) bound() int64 {
	if l.MemoryBytes > 0 {
		return l.MemoryBytes
	}
	return l.AvailableBytes
}

// Check returns an error if so many bytes are more than the limit.
func (l Limits) Check(need int64) error {
	if most := l.bound(); most > 0 && need > most {
		return &memoryError{need, most}
	}
	return nil
}

// WithDefault are the limits of a procedure that has a budget of its own, which
// holds where MemoryBytes is not set: the machine may have more.
func (l Limits) WithDefault(budget int64) Limits {
	if l.MemoryBytes == 0 {
		l.MemoryBytes = budget
		if l.AvailableBytes > 0 {
			l.MemoryBytes = min(budget, l.AvailableBytes)
		}
	}
	return l
}

// ErrMemory is, by errors.Is, the error of Limits.Check.
var ErrMemory = errors.New("memory budget exhausted")

type memoryError struct{ need, limit int64 }

func (e *memoryError) Is(target error) bool { return target == ErrMemory }

func (e *memoryError) Error() string {
	return fmt.Sprintf("%s: about %s needed, %s allowed", ErrMemory, size(e.need), size(e.limit))
}

// size is a number of bytes in words.
func size(bytes int64) string {
	if bytes >= 10<<30 {
		return fmt.Sprintf("%d GiB", bytes>>30)
	}
	return fmt.Sprintf("%d MiB", bytes>>20)
}

// Total supports the models that ask for a global memory order, without real time
// and without Rules.
func Total(m model.Model) bool { return m.Family == model.Total && !m.RealTime && m.Rules == nil }

// totalOrTimed supports the models that ask for a global memory order.
func totalOrTimed(m model.Model) bool { return m.Family == model.Total }

// Only makes a Supports function of a list of models.
func Only(models ...model.Model) func(model.Model) bool {
	return func(m model.Model) bool { return slices.Contains(models, m) }
}
