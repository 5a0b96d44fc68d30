package serial

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/check/closure"
	"ordeal/parse/formats/events"
)

// Edge says that event From precedes event To and conflicts with it.
type Edge struct{ From, To int32 }

// Verdict says whether an execution is serializable, with evidence that
// CheckOrder or CheckCycle has accepted.
type Verdict struct {
	Relation     Relation
	Serializable bool
	// Order lists the transactions in an order in which they could have been
	// executed one after the other. Of SCEquivalent it lists the events, the
	// commits left out, in an order of SC.
	Order []int32
	// Cycle is a cycle of conflicts between transactions: edge i leads from
	// the transaction of its From to that of its To, which is that of the
	// From of edge i+1. Of SCEquivalent it leads through events, where a
	// write and its commit are one.
	Cycle []Edge
	_     struct{}
}

// Errors about executions that a relation cannot decide.
var (
	ErrTrace = errors.New("the sequence is a trace: its writes have no commits")
	// ErrNotSC: some writes of an execution are committed late.
	ErrNotSC = errors.New("the execution is not one of SC")
)

// Decide decides a valid execution by relation SC or TSO. Under SC it must
// commit every write at once, or be a trace, whose writes take effect where they
// are issued. The error is ErrTrace, ErrNotSC or an internal error: evidence
// that was not accepted.
func Decide(rel Relation, s *events.Sequence) (Verdict, error) {
	switch rel {
	case SC:
		if err := atomicWrites(s); err != nil {
			return Verdict{}, err
		}
	case TSO:
		if !s.Execution {
			return Verdict{}, fmt.Errorf("decide under TSO: %w", ErrTrace)
		}
	default:
		return Verdict{}, fmt.Errorf("decide by relation %s: want sc or tso", rel)
	}
	m := NewMonitor(rel, s)
	for m.Next() {
	}
	return m.Verdict()
}

// SCEquivalent decides whether a valid execution is equivalent to one of SC:
// whether the write-contraction of its graph, each write and its commit being
// one node and program order being kept, has no cycle (Sect. 4.2). The error
// is as of Decide.
func SCEquivalent(s *events.Sequence) (Verdict, error) {
	if !s.Execution {
		return Verdict{}, fmt.Errorf("decide equivalence to SC: %w", ErrTrace)
	}
	m := newMonitor(TSOPO, s)
	m.g.Nodes = len(s.Events)
	m.node = contracted(s)
	for m.Next() {
	}
	return m.Verdict()
}

func contracted(s *events.Sequence) func(int32) int32 {
	return func(i int32) int32 {
		if s.Events[i].Kind == events.Commit {
			return s.Events[i].Issue
		}
		return i
	}
}

func atomicWrites(s *events.Sequence) error {
	for i := range s.Events {
		late := s.Events[i].Kind == events.Write &&
			(i+1 == len(s.Events) || s.Events[i+1].Kind != events.Commit || s.Events[i+1].Issue != int32(i))
		if s.Execution && late {
			return fmt.Errorf("decide under SC: event %d (%s) is not committed at once: %w", i+1, s.EventText(int32(i)), ErrNotSC)
		}
	}
	return nil
}

// Verdict decides the events that Next has taken.
func (m *Monitor) Verdict() (Verdict, error) {
	v := Verdict{Relation: m.rel}
	seq := *m.seq
	seq.Events = seq.Events[:m.next]
	order := m.g.Sort()
	if len(order) < m.g.Nodes {
		v.Cycle = shorten(m.rel, &seq, m.node, labels(m.g.Cycle()))
		if err := CheckCycle(m.rel, &seq, m.node, v.Cycle); err != nil {
			return Verdict{}, fmt.Errorf("internal error: cycle of conflicts: %w", err)
		}
		return v, nil
	}
	v.Serializable, v.Order = true, order
	if m.rel == TSOPO {
		v.Order = slices.DeleteFunc(v.Order, func(i int32) bool {
			return i >= m.next || seq.Events[i].Kind == events.Commit
		})
	}
	if err := CheckOrder(m.rel, &seq, m.node, v.Order); err != nil {
		return Verdict{}, fmt.Errorf("internal error: order of serialization: %w", err)
	}
	return v, nil
}

func labels(cycle []closure.Arc[Edge]) []Edge {
	edges := make([]Edge, len(cycle))
	for i, a := range cycle {
		edges[i] = a.Label
	}
	return edges
}
