package possible

import (
	"fmt"
	"slices"
	"testing"

	"ordeal/check/serial"
	"ordeal/check/serial/proof"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// proved checks that the evidence of an answer is accepted and shows just that.
func proved(t *testing.T, h *parse.History, q Question, a Answer) {
	t.Helper()
	if q == Robust {
		return
	}
	p, err := Prove(t.Context(), h, q, a)
	if err != nil {
		t.Fatalf("%s: %v\n%v", q, err, h.Ops)
	}
	some, all, err := proof.Check(h, q.Model(), p)
	if err != nil {
		t.Fatalf("%s: %v\n%v", q, err, h.Ops)
	}
	if slices.Contains(some, proof.Serializable) != (a.Holds != nil) || slices.Contains(some, proof.NotSerializable) != (a.Fails != nil) {
		t.Fatalf("%s: executions %v for %v, %v", q, some, a.Holds != nil, a.Fails != nil)
	}
	if all != (len(some) == 1) {
		t.Fatalf("%s: proof of all: %v, of executions %v\n%v", q, all, some, h.Ops)
	}
	permuted(t, h, q, a.Holds, a.HoldsOrder)
	permuted(t, h, q, a.Fails, a.FailsOrder)
	noCycles(t, h, q, a.HoldsOrder)
}

// noCycles offers every list of one or two pairs of few operations as the argument that a
// serializable execution is not: none is accepted.
func noCycles(t *testing.T, h *parse.History, q Question, order *witness.Order) {
	t.Helper()
	n := len(h.Ops)
	if order == nil || n > 6 {
		return
	}
	offer := func(cycle ...[2]parse.OpID) {
		x := proof.Execution{Order: order, Argument: proof.Argument{Cycle: cycle}}
		if _, _, err := proof.Check(h, q.Model(), &proof.Proof{Executions: []proof.Execution{x}}); err == nil {
			t.Fatalf("%s: the cycle %v of a serializable execution is accepted\n%v\n%v", q, cycle, h.Ops, h.Transactions)
		}
	}
	var pairs [][2]parse.OpID
	for i := range n * n {
		pairs = append(pairs, [2]parse.OpID{parse.OpID(i / n), parse.OpID(i % n)})
	}
	for _, first := range pairs {
		offer(first)
		for _, second := range pairs {
			offer(first, second)
		}
	}
}

// permuted offers every order of the few transactions of an execution as the argument that
// it is serializable: those are accepted, that keep every conflict of the execution by the
// definition of package serial.
func permuted(t *testing.T, h *parse.History, q Question, s *events.Sequence, order *witness.Order) {
	t.Helper()
	if s == nil {
		return
	}
	first := map[string]parse.OpID{}
	for thread := range h.Threads() {
		number := 0
		for tx := range h.Blocks(thread) {
			number++
			first[fmt.Sprintf("%s.%d", s.Threads[thread], number)] = tx.First
		}
	}
	if len(first) > 5 || len(first) != len(s.Transactions) {
		return
	}
	list := make([]int32, len(first))
	for i := range list {
		list[i] = int32(i)
	}
	var from func(i int)
	from = func(i int) {
		if i < len(list) {
			for j := i; j < len(list); j++ {
				list[i], list[j] = list[j], list[i]
				from(i + 1)
				list[i], list[j] = list[j], list[i]
			}
			return
		}
		x := proof.Execution{Order: order}
		for _, tx := range list {
			x.Transactions = append(x.Transactions, first[s.TxName(tx)])
		}
		want := serial.CheckOrder(q.relation(), s, func(e int32) int32 { return s.Events[e].Tx }, list)
		_, _, got := proof.Check(h, q.Model(), &proof.Proof{Executions: []proof.Execution{x}})
		if (want == nil) != (got == nil) {
			t.Fatalf("%s: order %v of the transactions: %v, want %v\n%v", q, x.Transactions, got, want, h.Ops)
		}
	}
	from(0)
}
