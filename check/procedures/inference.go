// Package procedures holds what the procedures of the papers have in common, each of
// which is a package below: they infer a part of the store order, then search a plain
// graph of what is known for a memory order, in independent parts where there are any.
package procedures

import (
	"context"

	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/check/procedures/precedence"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Inference infers a partial store order, with which other procedures begin. A
// refutation means that the model forbids the history; arcs are numbered from
// 1 and hold in every memory order that the model allows.
type Inference func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (arcs []precedence.Arc, ref *witness.Refutation, err error)

// InferNothing is the inference of procedures that begin with the axioms.
func InferNothing(context.Context, *parse.History, model.Model, search.Limits) ([]precedence.Arc, *witness.Refutation, error) {
	return nil, nil, nil
}

// InferBySaturation is the closure of package saturate: wSC under SC, and its
// counterparts under other models.
func InferBySaturation(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) ([]precedence.Arc, *witness.Refutation, error) {
	g, ok, err := search.Saturated(ctx, h, m, limits, nil)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, g.Refute(), nil
	}
	arcs := make([]precedence.Arc, g.Inferred())
	g.EachInferred(func(i int, from, to saturate.Node, rule witness.Rule, via saturate.Node) {
		e := witness.Edge{From: g.Op(from), To: g.Op(to), Rule: rule, Via: parse.NoOp}
		if via != saturate.NoNode {
			e.Via = g.Op(via)
		}
		arcs[i] = inferred(e, i)
	})
	return arcs, nil, nil
}

// InferByCriterion is the closure of CCM under SC and of wCCM under TSO (Zennou
// et al., CAV 2019, Algorithms 1 and 2).
func InferByCriterion(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) ([]precedence.Arc, *witness.Refutation, error) {
	weak := model.CCM
	if m == model.TSO {
		weak = model.WCCM
	}
	if err := limits.Check(causal.EstimateBytes(h, weak)); err != nil {
		return nil, nil, err
	}
	edges, ref, err := causal.StoreOrder(ctx, h, weak)
	arcs := make([]precedence.Arc, len(edges))
	for i, e := range edges {
		arcs[i] = inferred(e, i)
	}
	return arcs, ref, err
}

func inferred(e witness.Edge, i int) precedence.Arc {
	return precedence.Arc{From: precedence.Node(e.From), To: precedence.Node(e.To),
		Label: precedence.Reason{Rule: e.Rule, Via: e.Via, Serial: int32(i) + 1}}
}

// Find searches a graph for a memory order of its history: nil if there is none,
// with v.Refutation if the search proves that, or with v.Reason if the procedure
// gives up.
type Find func(ctx context.Context, g *precedence.Graph, limits search.Limits, v *witness.Verdict) (order []parse.OpID, err error)

// precedenceBytes is about what an operation takes in a precedence graph while it
// is ordered, as measured in runs of 2 to 64 threads.
func precedenceBytes(m model.Model) int64 {
	switch m {
	case model.SC:
		return 135
	case model.TSO:
		return 160
	case model.PSO:
		return 200
	}
	return 285 // fences of RMO have more arcs
}

// Searching completes a procedure that infers arcs and then searches for a
// memory order. A search that is exhausted without a refutation of its own is
// Forbidden and Exhausted.
func Searching(p search.Procedure, infer Inference, find Find) search.Procedure {
	p.Decide = func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits, v *witness.Verdict) error {
		if err := limits.Check(int64(len(h.Ops)) * precedenceBytes(m)); err != nil {
			return err
		}
		g := precedence.New(h, m)
		if g.Contradiction == nil {
			arcs, ref, err := infer(ctx, h, m, limits)
			if err != nil {
				return err
			}
			v.Stats.Derived, v.Refutation = len(arcs), ref
			g = g.With(arcs)
		}
		if v.Refutation == nil {
			_, v.Refutation = g.Order()
		}
		if v.Refutation != nil {
			v.Answer = witness.Forbidden
			return nil
		}
		order, err := find(ctx, g, limits, v)
		switch {
		case err != nil:
			return err
		case order != nil:
			v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
		case v.Refutation != nil:
			v.Answer = witness.Forbidden
		case v.Reason == "":
			v.Answer, v.Unproved = witness.Forbidden, search.Exhausted
		}
		return nil
	}
	return p
}
