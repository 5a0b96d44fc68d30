// Package base gives the procedures that complete a partial store order the
// polynomial closures to start from, in one form: derived arcs.
package base

import (
	"context"
	"fmt"

	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/search/precedence"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Closure infers what it can about a history under a model. A refutation
// means that the model forbids the history; arcs are numbered from 1 and hold
// in every memory order that the model allows.
type Closure func(ctx context.Context, h *parse.History, m model.Model) (arcs []precedence.Arc, ref *witness.Refutation, err error)

// Nothing infers nothing.
func Nothing(context.Context, *parse.History, model.Model) ([]precedence.Arc, *witness.Refutation, error) {
	return nil, nil, nil
}

// Saturation is the closure of package saturate: wSC under SC, and its kin.
func Saturation(ctx context.Context, h *parse.History, m model.Model) ([]precedence.Arc, *witness.Refutation, error) {
	g, err := saturate.Build(h, m)
	if err != nil {
		return nil, nil, err
	}
	ok, err := g.Saturate(ctx)
	if err != nil {
		return nil, nil, err
	}
	if !ok {
		return nil, g.Refute(), nil
	}
	arcs := make([]precedence.Arc, g.Inferred())
	g.EachInferred(func(i int, from, to saturate.Node, rule witness.Rule, via saturate.Node) {
		a := precedence.Arc{
			From: precedence.Node(g.Op(from)), To: precedence.Node(g.Op(to)),
			Rule: rule, Via: parse.NoOp, Serial: int32(i) + 1,
		}
		if via != saturate.NoNode {
			a.Via = g.Op(via)
		}
		arcs[i] = a
	})
	return arcs, nil, nil
}

// Causal is the closure of CCM under SC and of wCCM under TSO (Zennou et al.,
// CAV 2019, Algorithms 1 and 2), and nothing under other models.
func Causal(ctx context.Context, h *parse.History, m model.Model) ([]precedence.Arc, *witness.Refutation, error) {
	criterion := model.CCM
	switch m.Name {
	case model.SC.Name:
	case model.TSO.Name:
		criterion = model.WCCM
	default:
		return nil, nil, nil
	}
	edges, ref, err := causal.StoreOrder(ctx, h, criterion)
	arcs := make([]precedence.Arc, len(edges))
	for i, e := range edges {
		arcs[i] = precedence.Arc{
			From: precedence.Node(e.From), To: precedence.Node(e.To),
			Rule: e.Rule, Via: e.Via, Serial: int32(i) + 1,
		}
	}
	return arcs, ref, err
}

// Graph builds the graph of a history with what a closure infers. If that
// decides the matter, or cannot be done, g is nil and the verdict or error is
// final.
func Graph(ctx context.Context, closure Closure, h *parse.History, m model.Model, procedure string) (g *precedence.Graph, v witness.Verdict, err error) {
	v = witness.Verdict{Answer: witness.Forbidden, Model: m.Name, Procedure: procedure, Stats: witness.Stats{Ops: len(h.Ops)}}
	g = precedence.New(h, m)
	if g.Contradiction != nil {
		v.Refutation = g.Refutation()
		return nil, v, nil
	}
	arcs, ref, err := closure(ctx, h, m)
	if err != nil {
		v, err = search.Interrupted(err, m, procedure)
		return nil, v, err
	}
	v.Stats.Derived = len(arcs)
	if ref != nil {
		v.Refutation = ref
		return nil, v, nil
	}
	g = g.With(arcs)
	if _, cycle := g.Sort(); cycle != nil {
		v.Refutation = g.NewProof().Refute(cycle)
		return nil, v, nil
	}
	v.Answer = witness.Unknown
	return g, v, nil
}

// Exhausted completes the verdict of a procedure that has searched everything
// in vain. Such a search leaves no proof behind, so that the default pipeline
// is asked for one; where time or memory runs out first the answer is Unknown.
// That the pipeline allows the history is an error: one of the two is wrong.
func Exhausted(ctx context.Context, h *parse.History, m model.Model, limits search.Limits, v witness.Verdict) (witness.Verdict, error) {
	second, err := search.Auto.Run(ctx, h, m, limits)
	if err != nil {
		return witness.Verdict{}, err
	}
	switch second.Answer {
	case witness.Allowed:
		return witness.Verdict{}, fmt.Errorf("judge under %s: %s finds no memory order, %s finds one",
			m.Name, v.Procedure, search.Auto.Name)
	case witness.Forbidden:
		v.Answer, v.Refutation = witness.Forbidden, second.Refutation
	default:
		v.Answer, v.Reason = witness.Unknown, "no memory order is left, but the proof is not done: "+second.Reason
	}
	return v, nil
}
