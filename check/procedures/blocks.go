package procedures

import (
	"context"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Decomposed has a procedure decide a history in parts where it can.
//
// Under SC these are the blocks (biconnected components) of the communication
// graph, in which two threads are joined if they access a location in common: the
// history is allowed exactly if, for each block, the accesses to its locations
// are (Biswas and Enea, OOPSLA 2019, Sect. 5; theirs are transactions). Orders of
// the parts and program order have no cycle together: two parts share one thread
// at most, whose accesses both orders keep in program order, so that a path
// through a part that begins and ends at that thread does not lead back.
//
// A model that relaxes program order lets it lead back (TestBlocksNeedSC), and
// real time leads from part to part. Under other models than SC the parts are
// those of threads that share no location, directly or through others.
func Decomposed(p search.Procedure) search.Procedure {
	whole := p.Decide
	p.Decide = func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits, v *witness.Verdict) error {
		parts := communicating(h, m)
		if len(parts) < 2 {
			return whole(ctx, h, m, limits, v)
		}
		var orders [][]parse.OpID
		for _, ops := range parts {
			part := saturate.Restrict(h, m, ops)
			w := witness.Verdict{Model: v.Model, Procedure: v.Procedure}
			if err := whole(ctx, part.History(), m, limits, &w); err != nil {
				return err
			}
			w.Stats.Ops = v.Stats.Ops
			w.Stats.Derived += v.Stats.Derived
			w.Stats.Backtracks += v.Stats.Backtracks
			if w.Answer != witness.Allowed {
				if w.Refutation != nil {
					part.Lift(w.Refutation)
				}
				*v = w
				return nil
			}
			for i, id := range w.Order.Ops {
				w.Order.Ops[i] = part.Op(id)
			}
			orders = append(orders, w.Order.Ops)
			v.Stats = w.Stats
		}
		order := slices.Concat(orders...)
		if m == model.SC {
			order = inProgramOrder(h, orders)
		}
		v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
		return nil
	}
	return p
}

// communicating divides the accesses of a history into parts; there is nothing
// to divide if the result has fewer than two.
func communicating(h *parse.History, m model.Model) [][]parse.OpID {
	switch {
	case m == model.SC:
		return blocks(h)
	case m.RealTime:
		return nil
	default:
		return search.Components(h)
	}
}

// blocks divides the accesses by blocks of the communication graph. Locations
// of one thread alone belong to some block of that thread, or are a part.
func blocks(h *parse.History) [][]parse.OpID {
	users := make([][]int32, len(h.Locations)) // threads, in order
	for t := range h.Threads() {
		for _, op := range h.Ops[h.Start[t]:h.Start[t+1]] {
			if op.Kind == parse.Fence {
				continue
			}
			if at := &users[op.Loc]; len(*at) == 0 || (*at)[len(*at)-1] != int32(t) {
				*at = append(*at, int32(t))
			}
		}
	}
	// A circle of a location's threads is in one block, as all pairs are.
	joined := make(map[[2]int32]bool)
	for _, threads := range users {
		for i, t := range threads {
			u := threads[(i+1)%len(threads)]
			joined[[2]int32{min(t, u), max(t, u)}] = true
		}
	}
	list := closure.Blocks(h.Threads(), func(u, v int32) bool { return joined[[2]int32{min(u, v), max(u, v)}] })
	of := make([][]int, h.Threads()) // the blocks of each thread
	for b, threads := range list {
		for _, t := range threads {
			of[t] = append(of[t], b)
		}
	}
	number := len(list)
	block := make([]int, len(h.Locations))
	for x, threads := range users {
		if len(threads) == 0 {
			continue
		}
		t := threads[0]
		if len(of[t]) == 0 {
			of[t] = append(of[t], number)
			number++
		}
		block[x] = of[t][0]
		if len(threads) > 1 { // two threads have one block in common
			other := of[threads[1]]
			block[x] = of[t][slices.IndexFunc(of[t], func(b int) bool { return slices.Contains(other, b) })]
		}
	}
	parts := make([][]parse.OpID, number)
	for id := range h.Ops {
		if o := &h.Ops[id]; o.Kind != parse.Fence {
			part := &parts[block[o.Loc]]
			*part = append(*part, parse.OpID(id))
		}
	}
	return parts
}

// inProgramOrder merges orders of parts into one that keeps each of them and
// program order.
func inProgramOrder(h *parse.History, orders [][]parse.OpID) []parse.OpID {
	g := closure.Graph[struct{}]{Nodes: len(h.Ops)}
	for _, order := range orders {
		for i := 1; i < len(order); i++ {
			g.Add(int32(order[i-1]), int32(order[i]), struct{}{})
		}
	}
	for t := range h.Threads() {
		for id := h.Start[t]; id+1 < h.Start[t+1]; id++ {
			g.Add(int32(id), int32(id+1), struct{}{})
		}
	}
	merged := make([]parse.OpID, 0, len(h.Ops))
	for _, v := range g.Sort() {
		if h.Ops[v].Kind != parse.Fence {
			merged = append(merged, parse.OpID(v))
		}
	}
	return merged
}
