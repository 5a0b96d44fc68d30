package witness

import "time"

// Answer is a verdict's claim.
type Answer uint8

// The answers. The zero value claims nothing.
const (
	Unknown Answer = iota
	Allowed
	Forbidden
)

// String is the answer's name in output.
func (a Answer) String() string {
	switch a {
	case Allowed:
		return "allowed"
	case Forbidden:
		return "forbidden"
	default:
		return "unknown"
	}
}

// Verdict is the answer for one history under one model, with its evidence.
type Verdict struct {
	Answer Answer
	Model  string // canonical name
	// Procedure names what decided, for instance "greedy".
	Procedure string
	// Reason says why the answer is Unknown: budget, malformed input,
	// an incomplete procedure; empty otherwise.
	Reason string
	// Order is the evidence of Allowed under a Total model: accepted by
	// Replay.
	Order *Order
	// Closure is the evidence of Allowed under a model defined by a fixpoint:
	// accepted by CheckClosure.
	Closure *Closure
	// Refutation is the evidence of Forbidden: accepted by Verify. It is nil
	// only where Unproved says why.
	Refutation *Refutation
	// Inclusion is set where the verdict follows from that of another model;
	// see Carry.
	Inclusion Inclusion
	// Prover names the procedure that made Refutation, or failed to, where
	// Procedure, a search that is exhausted, has no proof of its own;
	// Stats.Proof is what that took. CaseSplits where a SAT solver decided: its
	// word counts for nothing, and the refutation is derived again.
	Prover string
	// Unproved says why Forbidden has no refutation: the search of Procedure is
	// exhausted, which it claims is an answer, but the proof was not
	// finished within the budget. Empty otherwise.
	Unproved string
	Stats    Stats
	_        struct{}
}

// CaseSplits is the Prover of refutations of what a SAT solver found to be
// impossible: trees of case splits, each leaf a cycle.
const CaseSplits = "case splits"

// Stats says what a verdict cost. Counts are deterministic, times are not.
type Stats struct {
	Ops        int           // operations in the history
	Derived    int           // edges inferred by saturation
	Backtracks int           // first choices of the greedy search taken back
	Clauses    int           // learned by the SAT fallback
	Search     time.Duration // spent deciding, without Proof
	Proof      time.Duration // spent by Prover
	Evidence   time.Duration // spent checking the evidence
	_          struct{}
}
