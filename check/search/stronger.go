package search

import (
	"context"
	"errors"
	"slices"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// triedFirst is a model stronger than m whose graph has far fewer chains, so that
// an order of it, where there is one, is found sooner; m itself if there is none.
// RMO without fences and dependencies is decided in linear time.
func triedFirst(h *parse.History, m model.Model) model.Model {
	fence := func(o parse.Op) bool { return o.Kind == parse.Fence }
	if m == model.PSO || m == model.RMO && (len(h.Deps) > 0 || slices.ContainsFunc(h.Ops, fence)) {
		return model.TSO
	}
	return m
}

const (
	// longHistory is the number of operations from which on the beginning of a
	// history is looked at first, and beginningShare the part that is: a violation
	// is met there, if threads violate the model all the time.
	longHistory    = 1 << 16
	beginningShare = 32
	// longRuled is longHistory for models with Rules, whose graphs take longer.
	longRuled = 1 << 13
)

// refuteBeginning reports whether the stronger model, if it is another one, forbids the
// beginning of the history, so that no order of it need be tried. If m forbids that, too, this
// completes the verdict, and the graph of the whole is never built.
func refuteBeginning(ctx context.Context, h *parse.History, stronger, m model.Model, limits Limits, v *witness.Verdict) (bool, error) {
	part := saturate.Beginning(h, m, beginningShare)
	if stronger != m {
		if g, err := refutedGraph(ctx, part.History(), stronger, limits); g == nil {
			return false, err
		}
	}
	g, err := refutedGraph(ctx, part.History(), m, limits)
	if g != nil {
		refute(ctx, h, &part, g, v)
	}
	return true, err
}

// refute completes a verdict with the refutation of a part of a history, whose graph
// contradicts itself.
func refute(ctx context.Context, h *parse.History, part *saturate.Part, g *saturate.Graph, v *witness.Verdict) {
	ref := g.Refute()
	part.Lift(ref)
	v.Stats.Derived = g.Inferred()
	v.Answer, v.Procedure, v.Refutation = witness.Forbidden, "saturate", saturate.Shrink(ctx, h, g.Model(), ref)
}

// refutedGraph is the saturated graph of a history that it contradicts; nil where the
// history has an early order, or that and saturation leave it open.
func refutedGraph(ctx context.Context, h *parse.History, m model.Model, limits Limits) (*saturate.Graph, error) {
	var v witness.Verdict
	static, _, err := early(ctx, h, m, m, limits, &v)
	if err != nil || static == nil || v.Answer == witness.Allowed {
		return nil, err
	}
	g, ok, err := Saturated(ctx, h, m, limits, static)
	if ok || err != nil {
		return nil, err
	}
	return g, nil
}

// orderOfStronger completes a verdict with an order of the history under a
// stronger model, if a greedy order without forward checking
// finds one: what it allows, m allows. A verdict left Unknown says nothing.
func orderOfStronger(ctx context.Context, h *parse.History, stronger, m model.Model, limits Limits, v *witness.Verdict) error {
	if stronger == m {
		return nil
	}
	g, ok, err := Saturated(ctx, h, stronger, limits, nil)
	var memory *memoryError
	switch {
	case errors.As(err, &memory):
		return nil
	case !ok:
		return err
	}
	order, _, refusals, err := greedy(ctx, g, false)
	if order != nil {
		allow(v, order, refusals, stronger, m)
		v.Stats.Derived = g.Inferred()
	}
	return err
}

// allow completes a verdict under m with a greedy order of the stronger model, or of
// m itself.
func allow(v *witness.Verdict, order *witness.Order, refusals int, stronger, m model.Model) {
	v.Answer, v.Procedure, v.Order = witness.Allowed, "greedy", order
	v.Stats.Backtracks = refusals
	if stronger != m {
		v.Inclusion = witness.Inclusion{Model: stronger.Name, Checked: true}
	}
}

// Saturated builds the graph of a history, unless it is given one, and saturates
// it, within the limits; ok is false if it contains a contradiction.
func Saturated(ctx context.Context, h *parse.History, m model.Model, limits Limits, static *saturate.Graph) (g *saturate.Graph, ok bool, err error) {
	var most, sparse int64
	limit := limits.bound()
	if limit > 0 {
		if static != nil {
			most, sparse = static.EstimateBytes()
		} else {
			most, sparse = saturate.EstimateBytes(h, m)
		}
		if err := limits.Check(most - sparse); err != nil {
			return nil, false, err
		}
	}
	if g = static; g == nil {
		if g, err = saturate.Build(h, m); err != nil {
			return nil, false, err
		}
	}
	if sparse > 0 {
		g.SetPageMemory(max(limit-(most-sparse), 1))
	}
	ok, err = g.Saturate(ctx)
	if errors.Is(err, saturate.ErrPages) {
		err = &memoryError{most - sparse + g.PageBytes(), limit}
	}
	return g, ok, err
}
