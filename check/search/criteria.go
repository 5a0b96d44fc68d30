package search

import (
	"context"

	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// The procedures of package causal. CCM and WCCM also decide SC and TSO, which
// imply their criteria; that refutes only.
var (
	Causal = Procedure{
		Name:     "causal",
		Summary:  "the causal criteria CC, CCv, CM, CCM and wCCM, by clocks",
		Complete: true,
		Supports: Only(model.CC, model.CCv, model.CM, model.CCM, model.WCCM),
		Decide:   decideCausal,
	}
	CCM = criterion("ccm", "convergent causal memory (CAV 2019): polynomial, refutes only",
		model.SC, model.CCM)
	WCCM = criterion("wccm", "weak convergent causal memory (CAV 2019): polynomial, refutes only",
		model.TSO, model.WCCM)
)

func decideCausal(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
	if err := limits.Check(causal.EstimateBytes(h, m)); err != nil {
		return err
	}
	return causal.Decide(ctx, h, m, v)
}

func criterion(name, summary string, total, weak model.Model) Procedure {
	return Procedure{
		Name: name, Summary: summary, Supports: Only(total, weak),
		Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
			err := decideCausal(ctx, h, weak, limits, v)
			if m == total && v.Answer == witness.Allowed {
				v.Answer, v.Closure = witness.Unknown, nil
				v.Reason = weak.Name + " holds, which proves nothing"
			}
			return err
		},
	}
}

// closureOf maps wSC, wTSO and wPSO to the models whose closures they are.
var closureOf = map[model.Model]model.Model{model.WSC: model.SC, model.WTSO: model.TSO, model.WPSO: model.PSO}

// Closure decides the fixpoints of saturation: Allowed carries what was
// inferred (witness.CheckClosure), Forbidden a cycle.
var Closure = Procedure{
	Name:     "closure",
	Summary:  "the closures wSC, wTSO and wPSO of SC, TSO and PSO, by saturation",
	Complete: true,
	Supports: Only(model.WSC, model.WTSO, model.WPSO),
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		g, err := saturated(ctx, h, closureOf[m], limits, nil, v)
		v.Procedure = "closure"
		if g == nil {
			return err
		}
		v.Answer, v.Closure = witness.Allowed, &witness.Closure{Arcs: make([]witness.Arc, g.Inferred())}
		g.EachInferred(func(i int, from, to saturate.Node, _ witness.Rule, _ saturate.Node) {
			v.Closure.Arcs[i] = witness.Arc{From: g.Op(from), To: g.Op(to)}
		})
		return nil
	},
}
