// Package check decides which memory models could have produced a history,
// with evidence for every verdict.
package check

import (
	"time"

	"ordeal/check/witness"
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

// Options steer Check. The zero value asks for the default pipeline.
type Options struct {
	// Procedure selects one by name; empty means "auto".
	Procedure string
	// Timeout bounds the search in wall-clock time; 0 means no bound.
	// Running out is Unknown, not an error.
	Timeout time.Duration
	// MemoryBytes bounds the estimated memory; 0 means no bound.
	MemoryBytes int64
	_           struct{}
}
