// Package trace decides traces, which do not record when writes were committed,
// after Enea and Farzan, TACAS 2016, Sect. 5 and 6: a trace is serializable
// under TSO when every execution is that the trace may be of (Definition 3).
//
// Such an execution has the events of the trace in their order, and the commit
// of every write somewhere after its issue and before the next fence of its
// thread, in the order of the issues. The moments of commits are all that is
// open, and each conflict between threads is a comparison of two moments; see
// timeline. The paper's Theorem 5, which requires acyclic orientations of the
// conflicts only, forgets that reads keep their order in the trace.
package trace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

// Verdict says whether a trace is serializable under TSO.
type Verdict struct {
	Serializable bool
	// Execution is an execution of the trace, and Evidence the verdict on
	// it with its evidence, which was accepted: a cycle when the trace is
	// not serializable.
	Execution *events.Sequence
	Evidence  serial.Verdict
	// Rank says of each transaction of a serializable trace where it stands: no execution has a conflict from one to
	// another of smaller rank. Transactions of one rank may conflict in both
	// directions, but in no execution at once, as the search has found; when
	// all ranks differ, they are an order of serialization for every
	// execution. CheckRank has accepted it.
	Rank []int32
	// Clusters counts the ranks of more than one transaction.
	Clusters int
	_        struct{}
}

// Decide decides the trace of a valid sequence; the commits of an execution are
// ignored. It searches for cycles by profile, in a time that is polynomial for a fixed
// number of threads (Sect. 6.2). An error is that of ctx, or an internal error.
func Decide(ctx context.Context, s *events.Sequence) (Verdict, error) {
	s = s.Trace()
	l := newTimeline(s)
	g := l.directed()
	order := g.Sort()
	if len(order) < g.Nodes {
		return l.verdict([]constraint{})
	}
	clusters, rank := l.clusters(g)
	for _, a := range l.newArenas(g, order, clusters) {
		found, err := a.search(ctx)
		if err != nil {
			return Verdict{}, err
		}
		if found != nil {
			return l.verdict(found)
		}
	}
	// Stable: within a cluster in the order of the conflicts that all
	// executions have.
	slices.SortStableFunc(order, func(a, b int32) int { return int(rank[a] - rank[b]) })
	if err := accept(s, rank, order); err != nil {
		return Verdict{}, fmt.Errorf("internal error: ranks of a trace: %w", err)
	}
	v, err := l.verdict(nil)
	v.Rank, v.Clusters = rank, len(clusters)
	return v, err
}

// verdict makes the evidence: of an execution under constraints, or, if these
// are nil, of any.
func (l *timeline) verdict(found []constraint) (Verdict, error) {
	v := Verdict{Serializable: found == nil}
	var err error
	if v.Execution, err = l.execution(found); err != nil {
		return Verdict{}, fmt.Errorf("internal error: constraints of a violation: %w", err)
	}
	if !slices.Equal(v.Execution.Trace().Events, l.seq.Events) {
		return Verdict{}, errors.New("internal error: the execution is not one of the trace")
	}
	if v.Evidence, err = serial.Decide(serial.TSO, v.Execution); err != nil {
		return Verdict{}, err
	}
	if v.Evidence.Serializable != v.Serializable {
		return Verdict{}, fmt.Errorf("internal error: a trace that is serializable: %v, with an execution that is: %v", v.Serializable, v.Evidence.Serializable)
	}
	return v, nil
}
