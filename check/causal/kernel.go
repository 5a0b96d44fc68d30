package causal

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// StoreOrder computes what criterion CCM or wCCM infers: edges that together
// with program order and reads-from make po ∪ wr ∪ pww ∪ rw[pww], in an order
// in which each follows from those before it. Their Lemma is -1. If the
// criterion forbids the history the refutation is one for it, and for the
// stronger SC or TSO as well.
func StoreOrder(ctx context.Context, h *parse.History, criterion model.Model) ([]witness.Edge, *witness.Refutation, error) {
	ppo := criterion.Name == model.WCCM.Name
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

// CCM and WCCM judge SC and TSO by the criterion alone, which refutes only.
var (
	CCM = refuter("ccm", "convergent causal memory (CAV 2019): polynomial, refutes only",
		model.SC, model.CCM)
	WCCM = refuter("wccm", "weak convergent causal memory (CAV 2019): polynomial, refutes only",
		model.TSO, model.WCCM)
)

func refuter(name, summary string, total, criterion model.Model) search.Procedure {
	return search.Procedure{
		Name: name, Summary: summary, Claims: search.ClaimsNames(total.Name, criterion.Name),
		Run: func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
			v, err := Judge(ctx, h, criterion, limits)
			v.Model, v.Procedure = m.Name, name
			if m.Name == total.Name && v.Answer == witness.Allowed {
				v.Answer, v.Closure = witness.Unknown, nil
				v.Reason = criterion.Name + " holds, which proves nothing"
			}
			return v, err
		},
	}
}

// Ordered returns the partial store order of CCM or wCCM for a history that
// the criterion allows, as a function of two different writes to one location:
// whether pww (wpww) has the first before the second. It panics if the
// criterion forbids the history.
func Ordered(ctx context.Context, h *parse.History, criterion model.Model) (func(a, b parse.OpID) bool, error) {
	ppo := criterion.Name == model.WCCM.Name
	p, ref, err := newGraph(newFrame(h, ppo)).convergent(ctx, ppo)
	if err != nil {
		return nil, err
	}
	if ref != nil {
		panic("causal: no partial store order where the criterion does not hold")
	}
	return p.before, nil
}
