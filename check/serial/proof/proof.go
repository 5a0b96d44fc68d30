// Package proof has the evidence of answers about the serializability of a history, and
// checks it without sharing code with the search that found it (package possible).
//
// What a transaction conflicts with in an execution depends, up to conflicts
// that others imply, on what reads read, which the history says, and on the order of
// the writes to each location:
//
//   - a write conflicts with a read of it in another thread, and with the next write;
//   - a read conflicts with the write that comes next after the one it read;
//   - operations of one thread conflict as the relation says: under SC all;
//     under TSO all but a write, or a read that may be forwarded from the store buffer,
//     with a later read of another location.
//
// An execution is serializable if and only if no cycle of transactions is made of
// such conflicts (Enea and Farzan, TACAS 2016). So a known execution shows its
// answer by an order of its transactions or a cycle of them, and that all executions
// have one answer is shown by cases: in each the order of some writes is assumed, which either
// no execution has, by a cycle in the order of memory, or which is enough for such
// an order or cycle.
package proof

import (
	"errors"
	"fmt"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Claim is what is said of executions.
type Claim bool

// The claims.
const (
	Serializable    Claim = true
	NotSerializable Claim = false
)

// String is the claim in words.
func (c Claim) String() string {
	if c {
		return "serializable"
	}
	return "not serializable"
}

// Argument shows the claim about executions in which the order of some writes
// is known: one of its fields does.
type Argument struct {
	// Cycle is a list of conflicts between operations of different transactions.
	// Each ends in the transaction where the next begins.
	Cycle [][2]parse.OpID
	// Transactions is an order of all transactions, each given by its
	// first operation; what stands outside of transactions is one of its own.
	Transactions []parse.OpID
	_            struct{}
}

// Execution is one of the model's executions, and its argument.
type Execution struct {
	Order *witness.Order
	Argument
}

// Proof is the evidence of an answer about the executions of a history.
type Proof struct {
	// Executions are at most one with each claim, the evidence that there is one.
	Executions []Execution
	// Cases shows that no execution has the other claim; nil where there
	// is one, or where that is not proved. Its leaves without a cycle are in Arguments.
	Cases     *witness.Refutation
	Arguments map[*witness.Node]*Argument
	_         struct{}
}

// Check checks a proof about the executions that a model allows a history: SC, with
// conflicts of SC, or TSO, with those of TSO. It takes time linear in the history times
// the executions and cases of orders, and in the proof. It returns the claims that some execution
// has, and whether all executions have the same, which is shown then. An error says
// what is wrong with the proof. It trusts that h is well formed.
func Check(h *parse.History, m model.Model, p *Proof) (some []Claim, all bool, err error) {
	if m.Name != model.SC.Name && m.Name != model.TSO.Name {
		return nil, false, fmt.Errorf("there is no serializability under %s", m.Name)
	}
	c := newChecker(h, m)
	for i := range p.Executions {
		x := &p.Executions[i]
		if x.Order == nil {
			return nil, false, fmt.Errorf("execution %d has no order", i)
		}
		if err := witness.Replay(h, m, x.Order); err != nil {
			return nil, false, fmt.Errorf("execution %d: %w", i, err)
		}
		place := make([]int32, len(h.Ops))
		for at, id := range x.Order.Ops {
			place[id] = int32(at)
		}
		err := c.argument(&x.Argument, func(a, b parse.OpID) bool { return place[a] < place[b] })
		if err != nil {
			return nil, false, fmt.Errorf("execution %d: %w", i, err)
		}
		some = append(some, x.claim())
	}
	if p.Cases == nil {
		return some, false, nil
	}
	if len(some) != 1 {
		return nil, false, fmt.Errorf("a proof about all executions, and %d of them", len(some))
	}
	seen := map[*witness.Node]bool{}
	err = witness.VerifyCases(h, m, p.Cases, func(leaf *witness.Node, assumed func(a, b parse.OpID) bool) error {
		a := p.Arguments[leaf]
		if seen[leaf] {
			return errors.New("an argument that stands in several places")
		}
		seen[leaf] = true
		if a == nil || a.claim() != some[0] {
			return errors.New("a case without a cycle or an argument for the claim")
		}
		return c.argument(a, assumed)
	})
	return some, err == nil, err
}

func (a *Argument) claim() Claim { return Claim(len(a.Cycle) == 0) }
