// Package closure decides wSC, wTSO and wPSO: the fixpoints that saturation
// computes for SC, TSO and PSO.
package closure

import (
	"context"
	"fmt"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Name is the name of the procedure of this package.
const Name = "closure"

// Procedure decides the closures: Allowed carries what was inferred
// (witness.CheckClosure), Forbidden a cycle.
var Procedure = search.Procedure{
	Name:     Name,
	Summary:  "the closures wSC, wTSO and wPSO of SC, TSO and PSO, by saturation",
	Complete: true,
	Claims:   search.ClaimsNames(model.WSC.Name, model.WTSO.Name, model.WPSO.Name),
	Run:      judge,
}

// of is the model whose closure m is.
func of(m model.Model) (model.Model, error) {
	switch m.Name {
	case model.WSC.Name:
		return model.SC, nil
	case model.WTSO.Name:
		return model.TSO, nil
	case model.WPSO.Name:
		return model.PSO, nil
	default:
		return model.Model{}, fmt.Errorf("judge under %s by %s: no such closure", m.Name, Name)
	}
}

func judge(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
	total, err := of(m)
	if err != nil {
		return witness.Verdict{}, err
	}
	if need := saturate.EstimateBytes(h, total); limits.MemoryBytes > 0 && need > limits.MemoryBytes {
		return search.OverMemory(m, Name, need, limits.MemoryBytes), nil
	}
	g, err := saturate.Build(h, total)
	if err != nil {
		return witness.Verdict{}, fmt.Errorf("judge under %s by %s: %w", m.Name, Name, err)
	}
	consistent, err := g.Saturate(ctx)
	if err != nil {
		return search.Interrupted(err, m, Name)
	}
	v := witness.Verdict{Model: m.Name, Procedure: Name, Stats: witness.Stats{Ops: len(h.Ops), Derived: g.Inferred()}}
	if !consistent {
		v.Answer, v.Refutation = witness.Forbidden, saturate.Shrink(h, total, g.Refute())
		return v, nil
	}
	v.Answer, v.Closure = witness.Allowed, &witness.Closure{Arcs: make([]witness.Arc, g.Inferred())}
	g.EachInferred(func(i int, from, to saturate.Node, _ witness.Rule, _ saturate.Node) {
		v.Closure.Arcs[i] = witness.Arc{From: g.Op(from), To: g.Op(to)}
	})
	return v, nil
}
