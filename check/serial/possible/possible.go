// Package possible decides questions of serializability about a history, which
// says what each read returned but not in which order writes took effect, over
// all executions that explain it. Where the answer depends on the execution
// there is one of each kind.
//
// The answers of package serial about an execution depend on what each read
// reads and on the order of the writes to each location alone: under TSO a read
// of a write that its own thread has buffered conflicts with no write that
// another thread commits meanwhile, and those before and after conflict with
// the buffered write itself, which the read's thread keeps in order with it.
// So the executions of a history differ in pairs of writes to one location that
// saturation leaves open, and each conflict between threads holds in all
// executions, in none, or with one order of one pair.
//
// A solver proposes orders of the open pairs. What a proposal gets wrong
// becomes a clause: a cycle in the order of operations under the model, in the
// conflicts of the transactions that an execution is to be serializable by, or
// in the order under SC. That an execution is to have a cycle of transactions,
// or of operations under SC, is a formula as in package trace: something is on
// it, and what is on it is followed by something that is, by a conflict that the
// execution has. That one is to have a violation of robustness next to it is
// searched for by its path of conflicts (package robust): where there is none,
// some conflict that leads out of what can be reached has to be added.
//
// The time is exponential in the number of open pairs in the worst case, as
// deciding SC is one of the questions.
package possible

import (
	"context"
	"fmt"

	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/serial"
	"ordeal/check/serial/internal/orders"
	"ordeal/check/serial/robust"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// Question is what is asked about each execution of a history.
type Question uint8

// The questions. Those of SC are about the executions of SC, the others about
// those of TSO.
const (
	SerializableSC  Question = iota // are its transactions serializable under SC?
	SerializableTSO                 // and under TSO?
	// Robust asks whether it is equivalent to one of SC, and package robust
	// finds no violation next to that.
	Robust
)

// String is the question in words.
func (q Question) String() string {
	return [...]string{"serializability under sc", "serializability under tso", "robustness"}[q]
}

// Model is the model whose executions a question is about.
func (q Question) Model() model.Model {
	if q == SerializableSC {
		return model.SC
	}
	return model.TSO
}

// relation is the conflicts of a question about serializability.
func (q Question) relation() serial.Relation {
	if q == SerializableSC {
		return serial.SC
	}
	return serial.TSO
}

// Answer says of which answers a history has executions.
type Answer struct {
	// Holds and Fails are executions for which the answer is yes and no; nil
	// if there is none. Both were replayed and decided by package serial.
	Holds, Fails *events.Sequence
	// HoldsOrder and FailsOrder are the orders that they were made of.
	HoldsOrder, FailsOrder *witness.Order
	// Searched says that a missing one is known not to exist. It is false
	// only beside an error.
	Searched bool
	// conflicts is what is known about all executions; nil where that was not
	// needed.
	conflicts *conflicts
}

// Decide answers a question about the executions of a well-formed history,
// given some of them: orders that the question's model, or SC, allows, the
// evidence of package check. There must be one at least. An error is that of
// ctx or limits, beside what was found until then, or an internal error.
func Decide(ctx context.Context, h *parse.History, q Question, known []*witness.Order, limits search.Limits) (Answer, error) {
	d := decider{h: h, q: q}
	for _, order := range known {
		if err := d.add(ctx, order); err != nil {
			return d.answer, err
		}
	}
	if d.complete() {
		return d.answer, nil
	}
	c, err := newConflicts(ctx, h, q.Model(), limits)
	if err != nil {
		return d.answer, err
	}
	d.answer.conflicts = c
	if !d.sameInAll(c) {
		if err := c.split(); err != nil {
			return d.answer, err
		}
		if err := d.search(ctx, c); err != nil {
			return d.answer, err
		}
	}
	d.answer.Searched = true
	return d.answer, nil
}

// decider is the state of Decide.
type decider struct {
	h      *parse.History
	q      Question
	answer Answer
}

func (d *decider) complete() bool {
	d.answer.Searched = d.answer.Holds != nil && d.answer.Fails != nil
	return d.answer.Searched
}

// add decides the execution of an order.
func (d *decider) add(ctx context.Context, order *witness.Order) error {
	if err := witness.Replay(d.h, d.q.Model(), order); err != nil {
		return fmt.Errorf("internal error: execution of a history: %w", err)
	}
	s, err := serial.FromHistory(d.h, order)
	if err != nil {
		return fmt.Errorf("internal error: execution of a history: %w", err)
	}
	holds, err := decideExecution(ctx, s, d.q)
	switch {
	case err != nil:
		return err
	case holds && d.answer.Holds == nil:
		d.answer.Holds, d.answer.HoldsOrder = s, order
	case !holds && d.answer.Fails == nil:
		d.answer.Fails, d.answer.FailsOrder = s, order
	}
	return nil
}

// decideExecution answers a question about one execution.
func decideExecution(ctx context.Context, s *events.Sequence, q Question) (bool, error) {
	switch q {
	case SerializableTSO:
		v, err := serial.Decide(serial.TSO, s)
		return v.Serializable, err
	case SerializableSC:
		v, err := serial.Decide(serial.SC, s)
		return v.Serializable, err
	}
	v, err := serial.SCEquivalent(s)
	if err != nil || !v.Serializable {
		return false, err
	}
	sc, err := serial.SCExecution(s, v.Order)
	if err != nil {
		return false, err
	}
	violation, err := robust.Search(ctx, sc)
	return violation == nil, err
}

// graph is what an execution must have no cycle in for the answer to be yes.
func (d *decider) graph(c *conflicts) *orders.Graph {
	switch d.q {
	case Robust:
		return c.programGraph()
	default:
		return c.transactionGraph(d.q.relation())
	}
}

func cyclic(g *orders.Graph) bool { return len(g.Sort()) < g.Nodes }

// sameInAll reports whether the conflicts that every execution has make the
// answer no: then none is missing.
func (d *decider) sameInAll(c *conflicts) bool {
	return d.answer.Holds == nil && cyclic(d.graph(c))
}

// search looks for an execution of each kind that is missing.
func (d *decider) search(ctx context.Context, c *conflicts) error {
	g := d.graph(c)
	if len(c.pairs) == 0 || d.q != Robust && d.answer.Fails == nil && !cyclic(g) {
		return nil // no execution has a cycle
	}
	s, err := newSolver(ctx, c)
	if err != nil {
		return err
	}
	if d.q == Robust {
		r := robustness{decider: d, solver: s, program: g}
		return r.search(ctx)
	}
	if d.answer.Fails == nil {
		return d.find(ctx, s, orders.Goal{Kind: s.Cyclic(g), Graph: c.modelGraph()})
	}
	serializable := s.Kind()
	return d.find(ctx, s, orders.Goal{Kind: serializable, Graph: c.modelGraph(), Check: func(p *orders.Proposal) error {
		p.Acyclic(g, serializable)
		return nil
	}})
}

// find looks for an execution that is missing.
func (d *decider) find(ctx context.Context, s *solver, g orders.Goal) error {
	order, err := s.find(ctx, g)
	if order == nil || err != nil {
		return err
	}
	had := d.answer
	if err := d.add(ctx, order); err != nil {
		return err
	}
	if had == d.answer {
		return fmt.Errorf("internal error: an execution that was to answer %s otherwise does not", d.q)
	}
	return nil
}
