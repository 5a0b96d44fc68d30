package search

import (
	"context"
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/check/witness"
)

// Unknown is a verdict that claims nothing, for the reason given.
func Unknown(m model.Model, procedure, reason string) witness.Verdict {
	return witness.Verdict{Answer: witness.Unknown, Model: m.Name, Procedure: procedure, Reason: reason}
}

// Interrupted turns the error of a done context into what a procedure
// returns: Unknown when time ran out, an error when it was cancelled.
func Interrupted(cause error, m model.Model, procedure string) (witness.Verdict, error) {
	if errors.Is(cause, context.DeadlineExceeded) {
		return Unknown(m, procedure, "time budget exhausted"), nil
	}
	return witness.Verdict{}, fmt.Errorf("judge under %s by %s: %w", m.Name, procedure, cause)
}

// OverMemory is the verdict of a procedure whose estimate exceeds its budget.
func OverMemory(m model.Model, procedure string, need, budget int64) witness.Verdict {
	return Unknown(m, procedure, fmt.Sprintf("memory budget exhausted: about %d MiB needed, %d MiB allowed", need>>20, budget>>20))
}
