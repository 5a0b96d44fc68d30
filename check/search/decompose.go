package search

import (
	"context"
	"slices"

	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// decompose completes a verdict on a saturated graph that a greedy order could
// not: it cuts the history into independent windows, so that case splits see
// only those windows that need them.
func decompose(ctx context.Context, g *saturate.Graph, stuck *placer, limits Limits, v *witness.Verdict) error {
	nodes := swept(g)
	places := cuts(g, nodes, minWindow)
	if len(places) == 0 {
		return splitCases(ctx, g, stuck, limits, v)
	}
	windows := func(yield func(*saturate.Part) bool) {
		start := 0
		for _, end := range append(places, len(nodes)) {
			if part := windowOf(g, nodes, start, end); !yield(&part) {
				return
			}
			start = end
		}
	}
	return decideParts(ctx, g.Model(), limits, windows, splitCases, v, func(window *saturate.Part, _ *witness.Refutation) error {
		return refuteWindow(ctx, g, limits, window, v)
	})
}

// windowOf is the part between two cuts. Its final values are those that reads
// beyond it return.
func windowOf(g *saturate.Graph, nodes []saturate.Node, start, end int) saturate.Part {
	part := saturate.Restrict(g.History(), g.Model(), operations(g, nodes[start:end]))
	for _, v := range nodes[start:end] {
		if !g.IsWrite(v) {
			continue
		}
		if slices.ContainsFunc(g.LastReaders(int32(v)), func(r saturate.Node) bool { return int(g.SweepOrder(r)) > end }) {
			part.SetFinal(g.Op(v))
		}
	}
	return part
}

func operations(g *saturate.Graph, nodes []saturate.Node) []parse.OpID {
	ops := make([]parse.OpID, len(nodes))
	for i, v := range nodes {
		ops[i] = g.Op(v)
	}
	slices.Sort(ops)
	return ops
}

// refuteWindow refutes the history, given that a window is forbidden when started
// from the values that it reads from outside. The writers of these values join
// the window; a refutation of that part of the history refutes the whole. If
// there is none, because the contradiction involves the rest of the history,
// the whole is decided by case splits.
func refuteWindow(ctx context.Context, g *saturate.Graph, limits Limits, window *saturate.Part, v *witness.Verdict) error {
	h := g.History()
	part := saturate.Restrict(h, g.Model(), withWriters(h, window.Ops()))
	var w witness.Verdict
	if err := connected(ctx, part.History(), g.Model(), limits, nil, splitCases, &w); err != nil {
		return err
	}
	v.Stats.Clauses += w.Stats.Clauses
	if w.Refutation == nil {
		return splitCases(ctx, g, nil, limits, v)
	}
	part.Lift(w.Refutation)
	v.Answer, v.Procedure, v.Refutation = witness.Forbidden, w.Procedure, w.Refutation
	return nil
}

// withWriters adds to operations, in order, what they read from, and what
// that reads from, where it is an RMW.
func withWriters(h *parse.History, ops []parse.OpID) []parse.OpID {
	ops = slices.Clone(ops)
	seen := make(map[parse.OpID]bool, len(ops))
	for _, id := range ops {
		seen[id] = true
	}
	for i := 0; i < len(ops); i++ {
		if o := &h.Ops[ops[i]]; o.Reads() && o.RF != parse.Init && !seen[o.RF] {
			seen[o.RF] = true
			ops = append(ops, o.RF)
		}
	}
	slices.Sort(ops)
	return ops
}
