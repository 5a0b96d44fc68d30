package serial

import (
	"errors"
	"fmt"

	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// FromHistory makes an execution of a history and the order in which its
// operations took effect, the evidence that TSO or SC allows it. Writes are
// issued as late as the other operations of their threads permit: under SC
// they are committed at once. Fences that do not order writes with later reads
// have no effect under TSO and are left out. An error says that the order is
// no order of TSO.
//
// The commits are only one possibility: what holds for every run with this
// history is decided by package possible.
func FromHistory(h *parse.History, order *witness.Order) (*events.Sequence, error) {
	if order == nil {
		return nil, errors.New("make execution of history: there is no order")
	}
	w := historian{
		h: h, b: events.NewBuilder(true, h.ThreadNames, h.Locations),
		next: append([]parse.OpID(nil), h.Start[:h.Threads()]...), open: make([]bool, h.Threads()),
		tx: make([]int, h.Threads()),
	}
	for t := range w.tx {
		for w.tx[t] < len(h.Transactions) && h.Transactions[w.tx[t]].First < h.Start[t] {
			w.tx[t]++
		}
	}
	w.b.Grow(2 * len(h.Ops))
	for _, id := range order.Ops {
		t := h.Thread(id)
		if err := w.perform(t, id); err != nil {
			return nil, fmt.Errorf("make execution of history: operation %d of thread %s: %w", id-h.Start[t], h.ThreadNames[t], err)
		}
	}
	for t := range w.next {
		if err := w.issue(t, h.Start[t+1]); err != nil {
			return nil, fmt.Errorf("make execution of history: thread %s: %w", h.ThreadNames[t], err)
		}
	}
	return w.b.Sequence(), nil
}

// historian is the state of FromHistory.
type historian struct {
	h    *parse.History
	b    *events.Builder
	next []parse.OpID // of each thread, what has not been issued yet
	tx   []int        // of each thread, its next or open transaction
	open []bool       // whether that is open
}

func (w *historian) perform(t int, id parse.OpID) error {
	op := &w.h.Ops[id]
	if op.Kind != parse.Write && id < w.next[t] {
		return errors.New("it is not in program order")
	}
	if id >= w.next[t] {
		if err := w.issue(t, id+1); err != nil {
			return err
		}
	}
	if op.Kind != parse.Write {
		return nil
	}
	if oldest := w.b.Oldest(t); oldest != int(op.Loc) {
		return errors.New("it is not the oldest in its store buffer")
	}
	return w.b.Commit(t)
}

// issue lets the operations of thread t before end happen that did not, but
// for commits.
func (w *historian) issue(t int, end parse.OpID) error {
	for ; w.next[t] < end; w.next[t]++ {
		id := w.next[t]
		if err := w.border(t, id); err != nil {
			return err
		}
		op := &w.h.Ops[id]
		kind, ok := EventKind(op)
		if !ok {
			continue
		}
		if err := w.b.Add(t, kind, int(op.Loc)); err != nil {
			return err
		}
	}
	return nil
}

// EventKind is the event that an operation is before it is committed; none for
// fences that have no effect under TSO.
func EventKind(op *parse.Op) (kind events.Kind, ok bool) {
	switch op.Kind {
	case parse.Read:
		return events.Read, true
	case parse.Write:
		return events.Write, true
	case parse.RMW:
		return events.Update, true
	default:
		return events.Fence, op.Mask&parse.StoreLoad != 0
	}
}

func (w *historian) border(t int, id parse.OpID) error {
	list := w.h.Transactions
	if w.open[t] && id == list[w.tx[t]].End {
		w.open[t] = false
		w.tx[t]++
		if err := w.b.End(t); err != nil {
			return err
		}
	}
	if !w.open[t] && w.tx[t] < len(list) && id == list[w.tx[t]].First {
		w.open[t] = true
		return w.b.Begin(t)
	}
	return nil
}
