// Package check decides which memory models could have produced a history,
// with evidence for every verdict.
package check

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"time"

	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Answer, Verdict and Stats are defined beside the evidence they carry.
type (
	Answer  = witness.Answer
	Verdict = witness.Verdict
	Stats   = witness.Stats
)

// The answers. The zero value claims nothing.
const (
	Unknown   = witness.Unknown
	Allowed   = witness.Allowed
	Forbidden = witness.Forbidden
)

// Options configure Check. The zero value selects the default pipeline.
type Options struct {
	// Procedure selects one by name; empty means "auto".
	Procedure string
	// Timeout bounds the search in wall-clock time; 0 means no bound.
	// Running out is Unknown, not an error.
	Timeout time.Duration
	// MemoryBytes bounds the estimated memory; 0 means no bound but AvailableBytes.
	MemoryBytes int64
	// AvailableBytes is what the machine has to give: the bound where
	// MemoryBytes is 0. Procedures that have a budget of their own stay
	// within both. 0 means unknown.
	AvailableBytes int64
	_              struct{}
}

func (o *Options) limits() search.Limits {
	return search.Limits{MemoryBytes: o.MemoryBytes, AvailableBytes: o.AvailableBytes}
}

// Check decides whether a model allows a history. The evidence of an Allowed or
// Forbidden verdict has been accepted by the independent checkers of package
// witness. Where a search is exhausted that keeps no proof, that of the default
// pipeline is taken: Prover names it, and Unproved says why there is none within
// the same limits. A malformed history, a passed deadline and an exceeded budget
// are Unknown with the reason; an error means that the options are wrong, the
// context was cancelled, or evidence was not accepted, which is a bug of this
// program.
func Check(ctx context.Context, h *parse.History, m model.Model, opt Options) (Verdict, error) {
	p, ok := Procedure(opt.Procedure)
	if !ok {
		return Verdict{}, fmt.Errorf("check %s: no procedure is named %q", m.Name, opt.Procedure)
	}
	if err := h.Validate(); err != nil {
		return search.Unknown(m, p.Name, err.Error()), nil
	}
	if opt.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, opt.Timeout)
		defer cancel()
	}
	h = m.View(h)
	start := time.Now()
	limits := opt.limits()
	v, err := p.Run(ctx, h, m, limits)
	if err != nil {
		return Verdict{}, fmt.Errorf("check %s: %w", m.Name, err)
	}
	v.Stats.Search = time.Since(start)
	if split(&v) {
		v.Prover = witness.CaseSplits
	}
	if v.Unproved == search.Exhausted {
		start = time.Now()
		if err := prove(ctx, h, m, limits, &v); err != nil {
			return Verdict{}, fmt.Errorf("check %s: %w", m.Name, err)
		}
		v.Stats.Proof = time.Since(start)
	}
	start = time.Now()
	if err := witness.Check(h, m, &v); err != nil {
		return Verdict{}, fmt.Errorf("check %s: internal error: evidence of procedure %s: %w", m.Name, p.Name, err)
	}
	v.Stats.Evidence = time.Since(start)
	return v, nil
}

// prove completes the verdict of an exhausted search with the refutation of the
// default pipeline. Where time or memory runs out first the verdict stays
// Unproved and says so. That the pipeline allows the history is an error: one of
// the two is wrong.
func prove(ctx context.Context, h *parse.History, m model.Model, limits search.Limits, v *Verdict) error {
	second, err := search.Auto.Run(ctx, h, m, limits)
	if err != nil {
		return err
	}
	switch {
	case second.Answer == Allowed:
		return fmt.Errorf("internal error: %s finds no memory order, %s finds one", v.Procedure, second.Procedure)
	case second.Refutation != nil:
		v.Refutation, v.Prover, v.Unproved = second.Refutation, second.Procedure, ""
		if split(&second) {
			v.Prover = witness.CaseSplits
		}
	default:
		v.Prover, v.Unproved = second.Procedure, cmp.Or(second.Unproved, second.Reason)
	}
	return nil
}

// split reports whether a refutation splits cases, which those do that are made
// of the clauses that a SAT solver refuted.
func split(v *Verdict) bool {
	return v.Refutation != nil && v.Refutation.Root.First != nil
}

// carry is witness.Carry, and says what that took.
func carry(h *parse.History, m model.Model, from *Verdict) (Verdict, bool) {
	start := time.Now()
	v, ok := witness.Carry(h, m, from)
	v.Stats = Stats{Ops: v.Stats.Ops, Evidence: time.Since(start)}
	return v, ok
}

// Explain prints why model m forbids history h, restricted to the operations
// of the refutation, or that there is no proof to show. It prints nothing for
// other answers.
func Explain(w io.Writer, h *parse.History, m model.Model, v *Verdict) error {
	switch {
	case v.Answer != Forbidden:
		return nil
	case v.Refutation == nil:
		_, err := fmt.Fprintf(w, "The search of procedure %s is exhausted. The proof is incomplete: %s.\n", v.Procedure, v.Unproved)
		return err
	}
	small, refutation, _ := witness.Restrict(m.View(h), v.Refutation)
	return witness.Explain(w, small, m, refutation)
}
