package search

import (
	"context"
	"math"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// early completes a verdict with an order of the history under a model, m itself or
// a stronger one, if one is found without saturation, on the static graph: what
// the stronger one allows, m allows. That is a fraction of the work, and needs
// no clock rows. Where decisions are wrong too often it gives up, and the verdict
// stays Unknown; then g, if not nil, is the static graph, for Saturated.
func early(ctx context.Context, h *parse.History, stronger, m model.Model, limits Limits, v *witness.Verdict) (g *saturate.Graph, err error) {
	if limits.Check(saturate.EstimateStaticBytes(h, stronger)) != nil {
		return nil, nil
	}
	g, err = saturate.Build(h, stronger)
	if err != nil || g.Contradictory() {
		return g, err
	}
	order, refusals, err := unclosed(ctx, g)
	if order == nil || err != nil {
		return g, err
	}
	allow(v, order, refusals, stronger, m)
	return g, nil
}

// mostThreads is the number of threads beyond which saturation is not much more work
// for more of them: its rows are mostly zero then.
const mostThreads = 64

// relaxedEffort is how much more work saturation is for models that do not keep the
// order of stores.
const relaxedEffort = 8

// unclosed tries to order the nodes of a graph that is not saturated. It takes back
// few placements, as measured by the work of saturation; order is nil if that does
// not suffice, which proves nothing.
func unclosed(ctx context.Context, g *saturate.Graph) (order *witness.Order, refusals int, err error) {
	p := newPlacer(g)
	p.due = make([]int32, g.Nodes())
	p.progress = make([]int32, g.History().Threads())
	p.choices.key = func(v saturate.Node) int32 { return p.due[v] }
	p.effort = 2*g.Nodes() + g.Nodes()/4*min(g.History().Threads(), mostThreads)
	if g.Model().PPO&parse.StoreStore == 0 {
		p.effort *= relaxedEffort
	}
	order, _, refusals, err = place(ctx, &window{p: p, most: 1024})
	return order, refusals, err
}

// dueAt estimates the length of the order when the first of the pending readers of
// w in their chains, as far as known, can be placed, if all chains go on at the
// same speed. A decision that blocks its location for a shorter time is less
// likely to be wrong.
func (p *placer) dueAt(w saturate.Node) int32 {
	due := int64(math.MaxInt32)
	for _, r := range p.g.LastReaders(int32(w)) {
		if !p.placed[r] {
			t := p.g.Thread(r)
			before := int64(int32(p.g.Op(r)-p.g.History().Start[t]) - p.progress[t])
			due = min(due, int64(len(p.seq))+before*int64(p.g.History().Threads()))
		}
	}
	return int32(due)
}
