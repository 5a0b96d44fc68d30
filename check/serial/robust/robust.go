// Package robust derives executions of TSO that are not equivalent to any of SC
// from executions of SC: the monitor of robustness that Enea and Farzan (TACAS
// 2016, Sect. 6.3) take from Burckhardt and Musuvathi (CAV 2008).
//
// A violation of the kind searched for has one thread, the attacker, that
// delays its writes from some write w on (Bouajjani, Derevenetc and Meyer,
// ESOP 2013: if a program has a violation at all, it has one with one
// attacker). While w waits in the store buffer, the attacker reads some r from
// memory; another thread overwrites what r read; and conflicts lead from there
// to an access e of w's variable by another thread, before w is committed:
//
//	w → r → overwriting write → … → e → w
//
// In the execution of SC w takes effect at once, but all else is in the same
// order, up to e: no event is needed whose value depends on w. So every such
// violation is one of the program, whatever it computes from what it reads.
package robust

import (
	"context"
	"errors"
	"fmt"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// Violation is an execution of TSO that is not equivalent to one of SC.
type Violation struct {
	// Write and Read are w and r, Access is e: events of the execution of
	// SC that was searched.
	Write, Read, Access int32
	// Execution is the violation: of each thread the first events of the
	// execution of SC, in the same order, the writes of the attacker from w on
	// being committed at the end. All reads but e read what they did.
	Execution *events.Sequence
	// Verdict is that of serial.SCEquivalent, with its cycle.
	Verdict serial.Verdict
	_       struct{}
}

// Search searches an execution of SC: a valid trace whose writes take effect
// where they are issued, or an execution whose writes are committed at once.
// It returns nil when there is no violation to be seen from it. A program is
// robust if and only if Search finds nothing in any of its executions of SC.
// The time is quadratic in the number of events between fences. An error is
// that of ctx, serial.ErrNotSC or an internal error.
func Search(ctx context.Context, s *events.Sequence) (*Violation, error) {
	if s.Execution {
		if err := committedAtOnce(s); err != nil {
			return nil, fmt.Errorf("search for violations of robustness: %w", err)
		}
		s = s.Trace()
	}
	a := newAttack(s)
	for w := range s.Events {
		if s.Events[w].Kind != events.Write {
			continue
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if r, e, ok := a.run(int32(w)); ok {
			return a.violation(int32(w), r, e)
		}
	}
	return nil, nil
}

func committedAtOnce(s *events.Sequence) error {
	for i := range s.Events {
		e := &s.Events[i]
		if e.Kind == events.Commit && int(e.Issue) != i-1 {
			return fmt.Errorf("event %d (%s) is late: %w", i+1, s.EventText(int32(i)), serial.ErrNotSC)
		}
	}
	return nil
}

// violation makes the execution, and has it accepted.
func (a *attack) violation(w, r, e int32) (*Violation, error) {
	v := &Violation{Write: w, Read: r, Access: e}
	var err error
	if v.Execution, err = a.execution(w, e); err != nil {
		return nil, fmt.Errorf("internal error: violation of robustness: %w", err)
	}
	if v.Verdict, err = serial.SCEquivalent(v.Execution); err != nil {
		return nil, err
	}
	if v.Verdict.Serializable {
		return nil, errors.New("internal error: the violation of robustness is none")
	}
	if err := accept(a.s, v.Execution); err != nil {
		return nil, fmt.Errorf("internal error: violation of robustness: %w", err)
	}
	return v, nil
}
