package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// components divides the operations of a history into those of threads that
// share no location, not even by way of others; such parts are allowed, or
// forbidden, each by itself (Biswas and Enea, OOPSLA 2019, Sect. 5, for SC;
// orders of the parts, one after the other, are an order of the whole). The
// result is nil if the history does not fall apart.
func components(h *parse.History) [][]parse.OpID {
	threads := h.Threads()
	root := make([]int32, threads+len(h.Locations)) // threads, then locations
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	accesses := make([]bool, threads)
	for t := range threads {
		for _, op := range h.Ops[h.Start[t]:h.Start[t+1]] {
			if op.Kind != parse.Fence {
				accesses[t] = true
				root[find(int32(threads)+op.Loc)] = find(int32(t))
			}
		}
	}
	number := make(map[int32]int)
	sizes := make([]int, 0, 1)
	part := make([]int, threads)
	for t := range threads {
		if !accesses[t] {
			part[t] = -1 // what only fences do matters to nobody
			continue
		}
		r := find(int32(t))
		k, ok := number[r]
		if !ok {
			k = len(sizes)
			number[r] = k
			sizes = append(sizes, 0)
		}
		part[t] = k
		sizes[k] += int(h.Start[t+1] - h.Start[t])
	}
	if len(sizes) < 2 {
		return nil
	}
	parts := make([][]parse.OpID, len(sizes))
	for k, n := range sizes {
		parts[k] = make([]parse.OpID, 0, n)
	}
	for t := range threads {
		if k := part[t]; k >= 0 {
			for id := h.Start[t]; id < h.Start[t+1]; id++ {
				parts[k] = append(parts[k], id)
			}
		}
	}
	return parts
}

// separately judges a history by its components.
func separately(ctx context.Context, h *parse.History, m model.Model, limits Limits, parts [][]parse.OpID) (witness.Verdict, error) {
	all := witness.Verdict{Answer: witness.Allowed, Model: m.Name, Procedure: "greedy", Order: &witness.Order{}}
	all.Order.Ops = make([]parse.OpID, 0, len(h.Ops))
	for _, ops := range parts {
		part := saturate.Restrict(h, ops)
		v, err := connected(ctx, part.History(), m, limits, decompose)
		if err != nil {
			return v, err
		}
		all.Stats.Derived += v.Stats.Derived
		all.Stats.Backtracks += v.Stats.Backtracks
		all.Stats.Clauses += v.Stats.Clauses
		switch v.Answer {
		case witness.Allowed:
			for _, id := range v.Order.Ops {
				all.Order.Ops = append(all.Order.Ops, part.Op(id))
			}
			if v.Procedure != "greedy" {
				all.Procedure = v.Procedure
			}
		case witness.Forbidden:
			part.Lift(v.Refutation)
			v.Stats = all.Stats
			return v, nil
		default:
			v.Stats = all.Stats
			return v, nil
		}
	}
	return all, nil
}
