// Package linear decides linearizability of histories in which values repeat (package
// objects), key by key, after Wing and Gong (J. Parallel Distrib. Comput. 17, 1993) with
// the cache of configurations and the just-in-time linearization of Lowe (Testing for
// linearizability, Concurrency and Computation 29(4), 2017).
//
// The search runs through calls and returns in order of time. An operation is placed only
// when one has to be, at its return: then every sequence of operations under way that ends
// with it is tried. What spares most of them, each without loss of an order:
//
//   - A pure operation (see objects.Op) is placed as soon as it is legal: it leaves the
//     value as it is.
//   - Pending operations that do the same are taken in order of their calls, and a
//     configuration that has used more of them than another, equal otherwise, is not tried.
//
// The procedure is complete: a history is forbidden when all is tried. Both answers carry
// evidence, see Verdict.
package linear

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"ordeal/parse"
	"ordeal/parse/objects"
)

// ErrMemory says that the configurations tried exceed the memory allowed.
var ErrMemory = errors.New("memory budget exhausted by configurations")

var errLimit = errors.New("configurations exceed the limit")

// Verdict is the answer about a history, with its evidence.
type Verdict struct {
	Allowed bool
	// Order has the operations of each key one after the other as they take effect,
	// keys in ascending order; pending operations that did not are left out. Of a
	// forbidden history it is that of the longest prefix of the key that is linearizable,
	// in time before Last returns, with operations under way as pending ones.
	Order []int32
	// Last is the operation with whose return the prefix is no longer linearizable.
	Last int32
	// Window has the operations of the shortest stretch of time before that return
	// that no value at its beginning explains. Optional are those of them that may have
	// taken effect outside of it.
	Window, Optional []int32
	// From is the operation with whose call the window begins. Begins says that it is the
	// key's first: the value then is the initial one.
	From   int32
	Begins bool
	// Configurations counts what the search kept.
	Configurations int
	_              struct{}
}

// Check decides a history. The memory is in bytes; 0 means no bound. The evidence has been
// accepted by Replay, or where the window is small by enumeration.
func Check(ctx context.Context, h *objects.History, memory int64) (*Verdict, error) {
	v := &Verdict{Allowed: true}
	parts := partitions(h)
	orders := make([][]int32, len(parts))
	// Each key in turn with few configurations, then with more: one is enough to forbid.
	for limit, left := 1<<10, len(parts); left > 0; limit *= 8 {
		for k, ids := range parts {
			if orders[k] != nil {
				continue
			}
			p := newProblem(h, ids, Span{End: math.MaxInt64}, memory)
			p.limit = limit
			ok, err := p.search(ctx, 0)
			v.Configurations += len(p.memo.entries)
			switch {
			case errors.Is(err, errLimit):
			case err != nil:
				return nil, err
			case !ok:
				v.Allowed = false
				if err := v.explain(ctx, h, ids, p, memory); err != nil {
					return nil, err
				}
				return v, v.confirm(h)
			default:
				orders[k] = append([]int32{}, p.trail...)
				left--
			}
		}
	}
	v.Order = slices.Concat(orders...)
	return v, v.confirm(h)
}

// confirm has Verify accept the evidence, as far as it can.
func (v *Verdict) confirm(h *objects.History) error {
	if err := v.Verify(h); err != nil && !errors.Is(err, ErrLarge) {
		return fmt.Errorf("internal error: %w", err)
	}
	return nil
}

// partitions are the operations of each key, in order of calls; with transactions, which
// are of several keys, all of them.
func partitions(h *objects.History) [][]int32 {
	isTxn := func(op objects.Op) bool { return op.Kind == objects.Txn }
	parts := make([][]int32, len(h.Keys))
	if slices.ContainsFunc(h.Ops, isTxn) {
		parts = parts[:1]
	}
	for i := range h.Ops {
		k := int(h.Ops[i].Key)
		if len(parts) == 1 {
			k = 0
		}
		parts[k] = append(parts[k], int32(i))
	}
	return parts
}

// Span is a time from Start to before End. Operations that return after it are pending,
// those that were called before it may have taken effect before, and what returned before
// it is not part of it.
type Span struct{ Start, End int64 }

// within says what an operation is in a span.
func (s Span) within(o *objects.Op) (part, optional bool) {
	if o.Times.Call >= s.End || o.Times.Return < s.Start {
		return false, false
	}
	optional = o.Times.Call < s.Start || o.Times.Return >= s.End || o.Times.Return == parse.Pending
	return !optional || !o.Pure(), optional
}

// explain finds the last linearizable prefix and the smallest window of a key whose search
// p came to nothing.
func (v *Verdict) explain(ctx context.Context, h *objects.History, ids []int32, p *problem, memory int64) error {
	at := p.reached
	if p.appends { // what a read says later has ended the search before
		var err error
		if at, err = p.deepest(ctx, ids); err != nil {
			return err
		}
	}
	v.Last = p.ids[p.events[at].op]
	end := h.Ops[v.Last].Times.Return
	prefix := newProblem(h, ids, Span{End: end}, memory)
	ok, err := prefix.search(ctx, 0)
	switch {
	case err != nil:
		return err
	case !ok:
		return errors.New("internal error: the prefix before the deepest return is not linearizable")
	}
	v.Order = prefix.trail
	var calls []int64
	for _, id := range ids {
		if o := &h.Ops[id]; o.Times.Call <= end {
			calls = append(calls, o.Times.Call)
		}
	}
	// Windows of 2, 4, 8, … calls, and then between: a longer one is not more linearizable.
	refuted := func(count int) (bool, error) {
		bad, err := refute(ctx, h, ids, Span{calls[len(calls)-count], end + 1}, memory, 1<<14+len(p.memo.entries))
		if errors.Is(err, errLimit) {
			return false, nil // a longer one will do
		}
		return bad, err
	}
	low, high := 0, len(calls)
	for count := 2; count < len(calls); count *= 2 {
		bad, err := refuted(count)
		if err != nil {
			return err
		}
		if bad {
			high = count
			break
		}
		low = count
	}
	for low+1 < high {
		middle := (low + high) / 2
		bad, err := refuted(middle)
		if err != nil {
			return err
		}
		if bad {
			high = middle
		} else {
			low = middle
		}
	}
	v.Begins = high == len(calls)
	v.From = v.first(h, ids, high)
	v.Window, v.Optional = v.window(h, ids)
	return nil
}

// deepest is the first return among the events with which there is no order, found by
// bisection: with more returns there are not more orders.
func (p *problem) deepest(ctx context.Context, ids []int32) (int, error) {
	var returns []int
	for i := p.reached; i < len(p.events); i++ {
		if !p.events[i].isCall {
			returns = append(returns, i)
		}
	}
	low, high := 0, len(returns)-1
	for low < high {
		middle := (low + high) / 2
		part := newProblem(p.h, ids, Span{End: p.op(p.events[returns[middle]].op).Times.Return + 1}, p.memory)
		ok, err := part.search(ctx, 0)
		if err != nil {
			return 0, err
		}
		if ok {
			low = middle + 1
		} else {
			high = middle
		}
	}
	return returns[low], nil
}

// first is the operation that begins the window of the last calls of a key.
func (v *Verdict) first(h *objects.History, ids []int32, count int) int32 {
	end := h.Ops[v.Last].Times.Return + 1
	last, _ := slices.BinarySearchFunc(ids, end, func(id int32, t int64) int {
		if h.Ops[id].Times.Call < t {
			return -1
		}
		return 1
	})
	return ids[last-count]
}

// refute reports whether no value at its beginning explains a span of a key.
func refute(ctx context.Context, h *objects.History, ids []int32, span Span, memory int64, limit int) (bool, error) {
	p := newProblem(h, ids, span, memory)
	p.limit = limit
	starts, known := p.starts()
	if !known {
		return false, nil
	}
	for _, s := range starts {
		if ok, err := p.search(ctx, s); ok || err != nil {
			return false, err
		}
	}
	return true, nil
}
