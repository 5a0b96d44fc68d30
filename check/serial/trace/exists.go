package trace

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/orders"
	"ordeal/parse/formats/events"
)

const (
	// ownBudget bounds the memory of Serializable when the caller does not.
	ownBudget = 2 << 30
	// openBytes is about what an open pair of events needs.
	openBytes = 512
)

// Serializable returns an execution of the trace of a valid sequence that is
// serializable under TSO, with its evidence; nil if none is. It tries writes
// that are committed at once and as late as can be, then asks a solver for the
// order of all pairs of moments that are open: exponential in their number in
// the worst case. An error is that of ctx or limits, or an internal error.
func Serializable(ctx context.Context, s *events.Sequence, limits search.Limits) (*events.Sequence, error) {
	limits = limits.WithDefault(ownBudget)
	l := newTimeline(s.Trace())
	late, err := l.execution(nil)
	if err != nil {
		return nil, fmt.Errorf("internal error: execution of a trace: %w", err)
	}
	all := make([]int32, len(l.seq.Events))
	for i := range all {
		all[i] = int32(i)
	}
	early, err := serial.SCExecution(l.seq, all)
	if err != nil {
		return nil, fmt.Errorf("internal error: execution of a trace: %w", err)
	}
	for _, x := range []*events.Sequence{early, late} {
		if ok, err := decideTSO(x); ok || err != nil {
			return x, err
		}
	}
	o, err := l.openOrders(limits)
	if err != nil {
		return nil, err
	}
	return o.search(ctx)
}

func decideTSO(x *events.Sequence) (bool, error) {
	v, err := serial.Decide(serial.TSO, x)
	return v.Serializable, err
}

// conflict is a conflict that is possible between accesses of different
// transactions.
type conflict struct{ u, v int32 }

// openOrders is the orders of the moments of conflicting events, and what
// follows from them.
type openOrders struct {
	l      *timeline
	solver *orders.Solver
	pairs  []conflict // u's moment is before v's, or after it
	// moments orders the events, and from the number of events on the
	// commits; transactions are the conflicts.
	moments, transactions orders.Graph
}

// openOrders finds the open pairs, and the conflicts that depend on them.
func (l *timeline) openOrders(limits search.Limits) (*openOrders, error) {
	o := &openOrders{l: l}
	n := len(l.seq.Events)
	accesses := make([][]int32, len(l.seq.Variables))
	for i := range int32(n) {
		if x := l.seq.Events[i].Var; x >= 0 {
			accesses[x] = append(accesses[x], i)
		}
	}
	index := make(map[conflict]orders.Literal)
	var open []conflict // in some executions, not in all
	for _, list := range accesses {
		for _, u := range list {
			for _, v := range list {
				if !l.conflicting(u, v) {
					continue
				}
				if u < v && !l.before(u, v) && !l.before(v, u) {
					next := orders.Literal(2 * len(o.pairs))
					index[conflict{u, v}], index[conflict{v, u}] = next, next+1
					o.pairs = append(o.pairs, conflict{u, v})
				}
				if l.possible(u, v) && !l.must(u, v) {
					open = append(open, conflict{u, v})
				}
			}
			if err := limits.Check(int64(len(open)) * openBytes); err != nil {
				return nil, err
			}
		}
	}
	o.solver = orders.New(len(o.pairs))
	o.moments.Nodes = 2 * n
	l.eachMoment(func(from, to int32) { o.moments.Add(from, to, orders.Always) })
	for i, p := range o.pairs {
		o.moments.Add(l.moment(p.u), l.moment(p.v), orders.Literal(2*i))
		o.moments.Add(l.moment(p.v), l.moment(p.u), orders.Literal(2*i+1))
	}
	o.transactions.Nodes = len(l.seq.Transactions)
	for _, a := range l.directed().Arcs() {
		o.transactions.Add(a.From, a.To, orders.Always)
	}
	for _, c := range open {
		// What is not in index is before in every execution.
		lit, isOpen := index[c]
		if !isOpen {
			lit = orders.Always
		}
		if early, isOpen := index[conflict{l.source[c.u], c.v}]; isOpen && lit == orders.Always {
			lit = early
		} else if isOpen {
			lit = o.solver.And(lit, early)
		}
		o.transactions.Add(l.seq.Events[c.u].Tx, l.seq.Events[c.v].Tx, lit)
	}
	return o, nil
}

// search returns an execution that is serializable, nil if there is none.
func (o *openOrders) search(ctx context.Context) (*events.Sequence, error) {
	serializable := o.solver.Kind()
	found, moments, err := o.solver.Find(ctx, orders.Goal{Kind: serializable, Graph: &o.moments, Check: func(p *orders.Proposal) error {
		p.Acyclic(&o.transactions, serializable)
		return nil
	}})
	if moments == nil || err != nil {
		return nil, err
	}
	var constraints []constraint
	for i, p := range o.pairs {
		c := constraint{p.u, p.v}
		if !found.Holds(orders.Literal(2 * i)) {
			c = constraint{p.v, p.u}
		}
		constraints = append(constraints, c)
	}
	x, err := o.l.execution(constraints)
	if err != nil {
		return nil, fmt.Errorf("internal error: orders of a trace: %w", err)
	}
	switch ok, err := decideTSO(x); {
	case err != nil:
		return nil, err
	case !ok || !slices.Equal(x.Trace().Events, o.l.seq.Events):
		return nil, errors.New("internal error: an execution that was to be serializable is not, or is not one of the trace")
	}
	return x, nil
}
