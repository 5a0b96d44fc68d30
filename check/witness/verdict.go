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
	// Refutation is the evidence of Forbidden: accepted by Verify.
	Refutation *Refutation
	Stats      Stats
	_          struct{}
}

// Stats says what a verdict cost. Counts are deterministic, times are not.
type Stats struct {
	Ops        int           // operations in the history
	Derived    int           // edges inferred by saturation
	Backtracks int           // first choices of the greedy search taken back
	Clauses    int           // learned by the SAT fallback
	Search     time.Duration // spent deciding
	Evidence   time.Duration // spent checking the evidence
	_          struct{}
}
