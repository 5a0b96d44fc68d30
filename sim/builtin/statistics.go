package builtin

import (
	"fmt"

	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
)

// Statistics counts what happened in a run.
type Statistics struct {
	Ticks  event.Tick
	Events uint64
	// Hash is that of the sequence of events: two runs with the same hash did
	// the same things at the same times.
	Hash  uint64
	Cores core.Statistics // sums over all cores
	// Functional is the number of functional reads that found their line.
	Functional uint64
	_          struct{}
}

// String is the statistics in one line.
func (s Statistics) String() string {
	return fmt.Sprintf("%d ticks, %d events, hash %016x, %d loads forwarded, %d loads squashed, %d conditional stores failed",
		s.Ticks, s.Events, s.Hash, s.Cores.Forwarded, s.Cores.Squashed, s.Cores.Failed)
}

// work counts events, and what controllers do in them: with many cores one event has many transitions, or
// messages for a locked line to put off.
func (s *simulation) work() uint64 {
	n := s.queue.Count()
	if protocol, ok := s.system.(*ruby.System); ok {
		did := protocol.Activity()
		n += did.Transitions + did.Delayed
	}
	return n
}

func (s *simulation) statistics() Statistics {
	st := Statistics{Ticks: s.queue.Now(), Events: s.queue.Count(), Hash: s.queue.Hash()}
	if s.functional != nil {
		st.Functional = s.functional.Found
	}
	for _, c := range s.cores {
		of := c.Statistics()
		st.Cores.Forwarded += of.Forwarded
		st.Cores.Squashed += of.Squashed
		st.Cores.Failed += of.Failed
	}
	return st
}
