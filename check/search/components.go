package search

import (
	"context"
	"iter"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Components divides the operations of a history into those of threads that
// share no location, directly or through others. The history is allowed exactly
// if each part is (Biswas and Enea, OOPSLA 2019, Sect. 5, for SC; orders of the
// parts, concatenated, are an order of the whole). The result is nil if there is
// one part only.
func Components(h *parse.History) [][]parse.OpID {
	threads := h.Threads()
	sets := closure.NewPartition(threads + len(h.Locations)) // threads, then locations
	accesses := make([]bool, threads)
	for t := range threads {
		for _, op := range h.Ops[h.Start[t]:h.Start[t+1]] {
			if op.Kind != parse.Fence {
				accesses[t] = true
				sets.Unite(int32(threads)+op.Loc, int32(t))
			}
		}
	}
	number := make(map[int32]int) // representative → part
	for t := range threads {
		if r := sets.Find(int32(t)); accesses[t] && number[r] == 0 {
			number[r] = len(number) + 1
		}
	}
	if len(number) < 2 {
		return nil
	}
	parts := make([][]parse.OpID, len(number))
	for t := range threads {
		if !accesses[t] {
			continue // fences alone order nothing
		}
		part := &parts[number[sets.Find(int32(t))]-1]
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			*part = append(*part, id)
		}
	}
	return parts
}

func decideComponents(ctx context.Context, h *parse.History, m model.Model, limits Limits, components [][]parse.OpID, v *witness.Verdict) error {
	parts := func(yield func(*saturate.Part) bool) {
		for _, ops := range components {
			if part := saturate.Restrict(h, m, ops); !yield(&part) {
				return
			}
		}
	}
	return decideParts(ctx, m, limits, parts, v, func(part *saturate.Part, ref *witness.Refutation) error {
		part.Lift(ref)
		v.Answer, v.Refutation = witness.Forbidden, ref
		return nil
	})
}

// decideParts decides a history that is allowed exactly if each of its parts
// is, where orders of the parts, one after the other, are an order of the
// whole. Each part is decided by connected; refute completes the
// verdict when a part is forbidden.
func decideParts(ctx context.Context, m model.Model, limits Limits, parts iter.Seq[*saturate.Part],
	v *witness.Verdict, refute func(*saturate.Part, *witness.Refutation) error) error {
	order := &witness.Order{}
	procedure := "greedy"
	for part := range parts {
		w := witness.Verdict{Procedure: v.Procedure}
		if err := connected(ctx, part.History(), m, limits, nil, splitCases, &w); err != nil {
			return err
		}
		v.Stats.Derived += w.Stats.Derived
		v.Stats.Backtracks += w.Stats.Backtracks
		v.Stats.Clauses += w.Stats.Clauses
		switch w.Answer {
		case witness.Allowed:
			for _, id := range w.Order.Ops {
				order.Ops = append(order.Ops, part.Op(id))
			}
			if w.Procedure != "greedy" {
				procedure = w.Procedure
			}
		case witness.Forbidden:
			v.Procedure = w.Procedure
			if w.Unproved != "" {
				v.Answer, v.Unproved = w.Answer, w.Unproved
				return nil
			}
			return refute(part, w.Refutation)
		default:
			v.Procedure, v.Reason = w.Procedure, w.Reason
			return nil
		}
	}
	v.Answer, v.Procedure, v.Order = witness.Allowed, procedure, order
	return nil
}
