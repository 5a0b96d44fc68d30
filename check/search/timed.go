package search

import (
	"cmp"
	"context"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// decideTimed decides a history under a model with real time. Where no thread has
// two operations at a time, linearizability is local (Herlihy and Wing, TOPLAS
// 12(3), 1990, Sect. 3.3): the history is allowed exactly if the operations on
// each location are, and an order of the whole can be merged from those of the
// locations. Otherwise the history is decided as a whole.
func decideTimed(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
	all := accesses(h)
	if h.Times == nil || !sequential(h, all) || len(h.Locations) < 2 {
		return connected(ctx, h, m, limits, nil, splitCases, v)
	}
	start, ids := byLocation(h, all)
	parts := func(yield func(*saturate.Part) bool) {
		for x := range h.Locations {
			if part := saturate.Restrict(h, m, ids[start[x]:start[x+1]]); !yield(&part) {
				return
			}
		}
	}
	err := decideParts(ctx, m, limits, parts, v, func(part *saturate.Part, ref *witness.Refutation) error {
		part.Lift(ref)
		v.Answer, v.Refutation = witness.Forbidden, ref
		return nil
	})
	if err == nil && v.Answer == witness.Allowed {
		v.Order.Ops = mergeTimed(h, v.Order.Ops)
	}
	return err
}

// accesses are the operations but fences, in order.
func accesses(h *parse.History) []parse.OpID {
	ids := make([]parse.OpID, 0, len(h.Ops))
	for id := range h.Ops {
		if h.Ops[id].Kind != parse.Fence {
			ids = append(ids, parse.OpID(id))
		}
	}
	return ids
}

// byLocation groups operations by location.
func byLocation(h *parse.History, ids []parse.OpID) (start []int32, grouped []parse.OpID) {
	return closure.Group(len(h.Locations), ids, func(id parse.OpID) int32 { return h.Ops[id].Loc })
}

// sequential reports whether each of the operations, given in order, returns
// before the next of its thread is called.
func sequential(h *parse.History, ids []parse.OpID) bool {
	for i := 1; i < len(ids); i++ {
		a, b := ids[i-1], ids[i]
		if !h.Times[a].Before(h.Times[b]) && h.Thread(a) == h.Thread(b) {
			return false
		}
	}
	return true
}

// mergeTimed merges orders of the operations on each location, given one after
// the other, into one that respects real time, too. The relation of the orders
// and real time has no cycle, so that the first operation by call among the heads
// of the orders is always possible: whatever precedes it in real time is placed.
func mergeTimed(h *parse.History, order []parse.OpID) []parse.OpID {
	byCall := slices.Clone(order)
	slices.SortFunc(byCall, func(a, b parse.OpID) int {
		return cmp.Or(cmp.Compare(h.Times[a].Call, h.Times[b].Call), cmp.Compare(a, b))
	})
	rank := make([]int32, len(h.Ops))
	for i, id := range byCall {
		rank[id] = int32(i)
	}
	start, queue := byLocation(h, order)
	heads := NewHeap(func(id parse.OpID) int32 { return rank[id] })
	next := slices.Clone(start)
	push := func(x int32) {
		if next[x] < start[x+1] {
			heads.Push(queue[next[x]])
			next[x]++
		}
	}
	for x := range h.Locations {
		push(int32(x))
	}
	merged := make([]parse.OpID, 0, len(order))
	for heads.Len() > 0 {
		id := heads.Pop()
		merged = append(merged, id)
		push(h.Ops[id].Loc)
	}
	return merged
}
