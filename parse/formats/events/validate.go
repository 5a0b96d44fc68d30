package events

import (
	"errors"
	"fmt"
)

// ErrBuffered says that a fence or an update happened while writes of its
// thread were buffered.
var ErrBuffered = errors.New("it needs an empty one")

// Validate reports what keeps a sequence that no Builder made from being
// well formed, the first fault only: names are well formed and unique, and
// the same events, given to a Builder one by one, give the same sequence.
func (s *Sequence) Validate() error {
	if err := checkNames("thread", s.Threads); err != nil {
		return fmt.Errorf("validate sequence: %w", err)
	}
	if err := checkNames("variable", s.Variables); err != nil {
		return fmt.Errorf("validate sequence: %w", err)
	}
	b := NewBuilder(s.Execution, s.Threads, s.Variables)
	open := make([]int32, len(s.Threads))
	for t := range open {
		open[t] = -1
	}
	for i := range s.Events {
		if err := s.replay(b, open, i); err != nil {
			return fmt.Errorf("validate sequence: event %d: %w", i+1, err)
		}
	}
	if got, want := len(b.seq.Transactions), len(s.Transactions); got != want {
		return fmt.Errorf("validate sequence: %d transactions, the events have %d", want, got)
	}
	for tx, want := range b.seq.Transactions {
		if s.Transactions[tx] != want {
			return fmt.Errorf("validate sequence: transaction %d is %v: want %v", tx, s.Transactions[tx], want)
		}
	}
	return nil
}

// replay gives event i to the builder; open is the transaction of the last
// event of each thread.
func (s *Sequence) replay(b *Builder, open []int32, i int) error {
	e := &s.Events[i]
	if e.Thread < 0 || int(e.Thread) >= len(s.Threads) {
		return fmt.Errorf("thread %d of %d", e.Thread, len(s.Threads))
	}
	if e.Kind.Accesses() && (e.Var < 0 || int(e.Var) >= len(s.Variables)) {
		return fmt.Errorf("variable %d of %d", e.Var, len(s.Variables))
	}
	t := int(e.Thread)
	var err error
	switch {
	case e.Kind == Commit:
		err = b.Commit(t)
	case e.Kind == KindUnknown || e.Kind > Update:
		return fmt.Errorf("unknown kind %d", e.Kind)
	default:
		if e.Tx != open[t] {
			if open[t] >= 0 {
				err = b.End(t)
			}
			open[t] = e.Tx
			err = errors.Join(err, b.Begin(t))
		}
		err = errors.Join(err, b.Add(t, e.Kind, int(e.Var)))
	}
	if err != nil {
		return err
	}
	if made := b.seq.Events[i]; made != *e {
		return fmt.Errorf("%v: want %v", *e, made)
	}
	return nil
}

const maxNameBytes = 64

// checkNames reports the first name that is malformed or repeated.
func checkNames(noun string, names []string) error {
	seen := make(map[string]bool, len(names))
	for _, name := range names {
		switch {
		case !wellFormed(name):
			return fmt.Errorf("%s name %q: want visible ASCII without #, at most %d bytes", noun, name, maxNameBytes)
		case seen[name]:
			return fmt.Errorf("%s %s is named twice", noun, name)
		}
		seen[name] = true
	}
	return nil
}

func wellFormed(name string) bool {
	for i := range len(name) {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == '#' {
			return false
		}
	}
	return name != "" && len(name) <= maxNameBytes
}
