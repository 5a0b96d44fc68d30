package causal

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// StoreOrder computes what criterion CCM or wCCM infers: edges that together
// with program order and reads-from make po ∪ wr ∪ pww ∪ rw[pww], in an order
// in which each follows from those before it. Their Lemma is -1. If the
// criterion forbids the history the refutation is one for it, and for the
// stronger SC or TSO as well.
func StoreOrder(ctx context.Context, h *parse.History, criterion model.Model) ([]witness.Edge, *witness.Refutation, error) {
	ppo := criterion == model.WCCM
	g := newGraph(newFrame(h, ppo))
	_, ref, err := g.convergent(ctx, ppo)
	if ref != nil || err != nil {
		return nil, ref, err
	}
	edges := make([]witness.Edge, len(g.edges))
	for i, e := range g.edges {
		edges[i] = witness.Edge{From: e.from, To: e.to, Rule: e.rule, Via: e.via, Lemma: -1}
	}
	return edges, nil, nil
}

// Ordered returns the partial store order of CCM or wCCM for a history that
// the criterion allows, as a function of two different writes to one location:
// whether pww (wpww) has the first before the second. It panics if the
// criterion forbids the history.
func Ordered(ctx context.Context, h *parse.History, criterion model.Model) (func(a, b parse.OpID) bool, error) {
	ppo := criterion == model.WCCM
	p, ref, err := newGraph(newFrame(h, ppo)).convergent(ctx, ppo)
	if err != nil {
		return nil, err
	}
	if ref != nil {
		panic("causal: no partial store order where the criterion does not hold")
	}
	return p.before, nil
}
