package search

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Auto is the default pipeline. Under models with a global memory order, a greedy
// order is tried at once. If that fails, saturation refutes, a greedy order by what
// it derived allows, and the few histories that neither decides are cut into
// independent windows, which go to SAT if a greedy order fails again. Under PSO and
// RMO an order of TSO is tried first; under models with Rules, where the order got stuck is
// looked at before the whole is saturated. Other models are decided by their criteria.
var Auto = Procedure{
	Name:     "auto",
	Summary:  "the default: greedy, then saturation, greedy again, sat; causal models by their criteria",
	Complete: true,
	Supports: func(model.Model) bool { return true },
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		for _, p := range []*Procedure{&Causal, &Closure} {
			if p.Supports(m) {
				v.Procedure = p.Name
				return p.Decide(ctx, h, m, limits, v)
			}
		}
		if m.RealTime {
			return decideTimed(ctx, h, m, limits, v)
		}
		first := triedFirst(h, m)
		if first != m && len(h.Ops) >= longHistory || m.Rules != nil && len(h.Ops) >= longRuled {
			refuted, err := refuteBeginning(ctx, h, first, m, limits, v)
			if err != nil || v.Answer != witness.Unknown {
				return err
			}
			if refuted {
				first = m
			}
		}
		var static *saturate.Graph // of m
		var fronts []parse.OpID
		for _, stronger := range slices.Compact([]model.Model{first, m}) {
			var err error
			if static, fronts, err = early(ctx, h, stronger, m, limits, v); err != nil || v.Answer != witness.Unknown {
				return err
			}
		}
		if m.Rules != nil && fronts != nil {
			if err := refuteVicinity(ctx, h, m, fronts, limits, v); err != nil || v.Answer != witness.Unknown {
				return err
			}
		}
		if err := orderOfStronger(ctx, h, first, m, limits, v); err != nil || v.Answer != witness.Unknown {
			return err
		}
		if parts := components(h); parts != nil {
			return decideComponents(ctx, h, m, limits, parts, v)
		}
		return connected(ctx, h, m, limits, static, decompose, v)
	},
}

// finisher completes a verdict on a saturated graph on which a greedy order is
// stuck.
type finisher func(context.Context, *saturate.Graph, *placer, Limits, *witness.Verdict) error

// connected decides a history that does not fall into components, by finish if
// saturation and a greedy order leave it open. static is its graph, or nil.
func connected(ctx context.Context, h *parse.History, m model.Model, limits Limits, static *saturate.Graph, finish finisher, v *witness.Verdict) error {
	g, err := saturated(ctx, h, m, limits, static, v)
	if g == nil {
		return err
	}
	order, stuck, refusals, err := greedy(ctx, g, true)
	v.Stats.Backtracks = refusals
	switch {
	case err != nil:
		return err
	case order == nil:
		return finish(ctx, g, stuck, limits, v)
	}
	allow(v, order, refusals, m, m)
	return nil
}

// saturated builds and saturates the graph of a history. The graph is nil if
// that decides the history, or fails. static is the graph that is built already,
// or nil.
func saturated(ctx context.Context, h *parse.History, m model.Model, limits Limits, static *saturate.Graph, v *witness.Verdict) (*saturate.Graph, error) {
	if m.RealTime && h.Times == nil {
		v.Reason = "the history has no times of calls and returns"
		return nil, nil
	}
	g, ok, err := Saturated(ctx, h, m, limits, static)
	if err != nil {
		return nil, err
	}
	v.Stats.Derived = g.Inferred()
	if !ok {
		v.Answer, v.Procedure, v.Refutation = witness.Forbidden, "saturate", saturate.Shrink(ctx, h, m, g.Refute())
		return nil, nil
	}
	return g, nil
}

// Saturate is the polynomial criterion alone: wSC, and its counterparts for the
// other models. It refutes most forbidden histories and never answers Allowed.
var Saturate = Procedure{
	Name:     "saturate",
	Summary:  "closure under the rules of saturation; refutes only",
	Supports: totalOrTimed,
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		g, err := saturated(ctx, h, m, limits, nil, v)
		if g != nil {
			v.Reason = "saturation found no contradiction, which proves nothing"
		}
		return err
	},
}

// Greedy saturates, then orders the operations without backtracking.
var Greedy = Procedure{
	Name:     "greedy",
	Summary:  "saturation, then a greedy order with forward checking; gives up at a dead end",
	Supports: totalOrTimed,
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		return connected(ctx, h, m, limits, nil, giveUp, v)
	},
}

// giveUp is the finisher of procedures that do not split cases.
func giveUp(_ context.Context, _ *saturate.Graph, _ *placer, _ Limits, v *witness.Verdict) error {
	v.Reason = "the greedy order reached a dead end, which proves nothing"
	return nil
}
