package robust

import (
	"context"
	"fmt"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// Observation is what an execution of SC says about a program whose
// transactions end with fences.
type Observation struct {
	// Classic is the verdict on the execution under SC.
	Classic serial.Verdict
	// Violation is one of robustness, nil if none is to be seen.
	Violation *Violation
	_         struct{}
}

// Clean reports whether the execution shows nothing against the program.
func (o *Observation) Clean() bool { return o.Classic.Serializable && o.Violation == nil }

// Observe is the monitor for transaction-fenced programs (Sect. 6.3), which
// watches executions of SC only and takes polynomial time whatever the number
// of threads: the program is serializable under TSO if and only if all of
// them are clean. It refuses executions that are not transaction-fenced
// (serial.ErrUnfenced); other errors are those of Search.
func Observe(ctx context.Context, s *events.Sequence) (Observation, error) {
	var o Observation
	if err := serial.Fenced(s); err != nil {
		return o, fmt.Errorf("observe execution of SC: %w", err)
	}
	var err error
	if o.Classic, err = serial.Decide(serial.SC, s); err != nil {
		return o, err
	}
	o.Violation, err = Search(ctx, s)
	return o, err
}
