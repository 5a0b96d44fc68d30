package serial

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/parse/formats/events"
)

// Errors about what only complete or fenced executions allow.
var (
	ErrUnfenced = errors.New("a transaction does not end with a fence")
	ErrPending  = errors.New("a write is not committed")
)

// Fenced checks that a sequence is transaction-fenced: every transaction ends
// with a fence or an update, but the last one of a thread need not. The paper
// requires that of all, in every prefix of a program's sequences (Sect. 4.2),
// which no transaction of two events can satisfy.
func Fenced(s *events.Sequence) error {
	last := slices.Repeat([]int32{none}, len(s.Threads)) // event of each thread but commits
	for i := range s.Events {
		e := &s.Events[i]
		if e.Kind == events.Commit {
			continue
		}
		if l := last[e.Thread]; l != none && s.Events[l].Tx != e.Tx && !s.Events[l].Kind.Drains() {
			return fmt.Errorf("transaction %s: %w", s.TxName(s.Events[l].Tx), ErrUnfenced)
		}
		last[e.Thread] = int32(i)
	}
	return nil
}

// SCExecution is the execution of SC that a verdict of SCEquivalent gives the
// order of: every write is committed at once.
func SCExecution(s *events.Sequence, order []int32) (*events.Sequence, error) {
	c := NewCopier(s)
	c.Grow(len(s.Events))
	for _, i := range order {
		if err := c.Copy(i); err != nil {
			return nil, err
		}
		if e := &s.Events[i]; e.Kind == events.Write {
			if err := c.Commit(int(e.Thread)); err != nil {
				return nil, err
			}
		}
	}
	return c.Sequence(), nil
}

// FencedVerdict is what Theorem 3 makes of an execution.
type FencedVerdict struct {
	Serializable bool
	// Robust says whether the execution is equivalent to one of SC.
	Robust Verdict
	// Classic is the verdict on that execution, SC, under SC; only if there
	// is one.
	Classic Verdict
	SC      *events.Sequence
	_       struct{}
}

// DecideFenced decides a transaction-fenced execution under TSO without its
// conflicts under TSO: it is serializable if and only if it is equivalent to an
// execution of SC that is serializable under SC (Theorem 3). The error is
// ErrTrace, ErrUnfenced, ErrPending or an internal error.
func DecideFenced(s *events.Sequence) (FencedVerdict, error) {
	var v FencedVerdict
	if err := Fenced(s); err != nil {
		return v, err
	}
	var err error
	if v.Robust, err = SCEquivalent(s); err != nil || !v.Robust.Serializable {
		return v, err
	}
	commits := 0
	for i := range s.Events {
		switch s.Events[i].Kind {
		case events.Write:
			commits++
		case events.Commit:
			commits--
		}
	}
	if commits > 0 {
		return v, fmt.Errorf("%d times: %w", commits, ErrPending)
	}
	if v.SC, err = SCExecution(s, v.Robust.Order); err != nil {
		return v, fmt.Errorf("internal error: execution of SC: %w", err)
	}
	v.Classic, err = Decide(SC, v.SC)
	v.Serializable = v.Classic.Serializable
	return v, err
}
