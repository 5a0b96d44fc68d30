package search

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// early completes a verdict with an order of the history under a model, m itself or
// a stronger one, if one is found without saturation, on the static graph: what
// the stronger one allows, m allows. That is a fraction of the work, and needs
// no clock rows. Where decisions are wrong too often it gives up, and the verdict
// stays Unknown; then g, if not nil, is the static graph, for Saturated, and fronts, if
// not nil, says where the order got stuck: see placer.fronts.
func early(ctx context.Context, h *parse.History, stronger, m model.Model, limits Limits, v *witness.Verdict) (g *saturate.Graph, fronts []parse.OpID, err error) {
	if limits.Check(saturate.EstimateStaticBytes(h, stronger)) != nil {
		return nil, nil, nil
	}
	fenced := saturate.FencedOnly(h, stronger)
	if fenced {
		g = saturate.BuildFenced(h, stronger)
	} else if g, err = saturate.Build(h, stronger); err != nil {
		return nil, nil, err
	}
	if !g.Contradictory() {
		order, stuck, refusals, err := unclosed(ctx, g)
		if err != nil {
			return nil, nil, err
		}
		if order != nil {
			allow(v, order, refusals, stronger, m)
			return g, nil, nil
		}
		fronts = stuck.fronts()
	}
	if fenced {
		g, err = saturate.Build(h, stronger)
	}
	return g, fronts, err
}

// mostThreads is the number of threads beyond which saturation is not much more work
// for more of them: its rows are mostly zero then.
const mostThreads = 64

// relaxedEffort is how much more work saturation is for models that do not keep the
// order of stores.
const relaxedEffort = 8

// unclosed tries to order the nodes of a graph that is not saturated. It takes back
// few placements, as measured by the work of saturation; order is nil if that does
// not suffice, which proves nothing, and stuck is the state at the last dead end.
func unclosed(ctx context.Context, g *saturate.Graph) (order *witness.Order, stuck *placer, refusals int, err error) {
	p := newPlacer(g)
	p.due = make([]int32, g.Nodes())
	p.startProgress()
	p.choices.key = func(v saturate.Node) int32 { return p.due[v] }
	p.effort = 2*g.Nodes() + g.Nodes()/4*min(g.History().Threads(), mostThreads)
	if g.Model().PPO&parse.StoreStore == 0 {
		p.effort *= relaxedEffort
	}
	return place(ctx, &window{p: p, most: 1024})
}
