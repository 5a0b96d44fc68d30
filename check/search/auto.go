package search

import (
	"context"
	"errors"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Auto is the default: the stages below, one after the other, until one decides.
var Auto = Procedure{
	Name:     "auto",
	Summary:  "the default: greedy, then saturation, greedy again, sat; causal models by their criteria",
	Complete: true,
	Supports: func(model.Model) bool { return true },
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		_, err := (&task{h: h, m: m, limits: limits, v: v}).decide(ctx)
		return err
	},
}

// task is a history that Auto decides.
type task struct {
	h      *parse.History
	m      model.Model
	limits Limits
	v      *witness.Verdict
	static *saturate.Graph // built by an earlier stage, or nil
}

// decide runs the stages that apply until one decides, and names that.
func (t *task) decide(ctx context.Context) (by string, err error) {
	for _, s := range stages {
		if !s.applies(t) {
			continue
		}
		if err := s.run(ctx, t); err != nil || s.last || t.v.Answer != witness.Unknown {
			return s.name, err
		}
	}
	panic("search: the last stage did not apply")
}

// stage is one attempt of Auto. It completes the verdict, or leaves it Unknown for
// the next one; a last stage is the final word even so.
type stage struct {
	name    string
	last    bool
	applies func(*task) bool
	run     func(context.Context, *task) error
}

// stages are in the order in which they are tried: cheap ones first, those that
// decide everything last. Figures are user CPU time of BenchmarkWhole and its kin in
// check/internal/suite.
var stages = []stage{
	// Polynomial criteria and closures have procedures of their own.
	{"causal", true, func(t *task) bool { return Causal.Supports(t.m) }, by(&Causal)},
	{"closure", true, func(t *task) bool { return Closure.Supports(t.m) }, by(&Closure)},
	// Real time makes histories local, so that each location is decided alone.
	{"timed", true, func(t *task) bool { return t.m.RealTime }, func(ctx context.Context, t *task) error {
		return decideTimed(ctx, t.h, t.m, t.limits, t.v)
	}},
	// Where the log has the order of stores there is nothing to search.
	{"conflict", true, func(t *task) bool { return t.h.StoreOrder != nil }, by(&Conflict)},
	// A machine that violates a model does so all the time: a long history is mostly
	// refuted by its first operations (PSO, forbidden, 100,000 operations: 0.04 s,
	// without 0.16 s).
	{"beginning", false, isLong, refuteBeginning},
	// Most histories have an order that a greedy search on the static edges finds, in a
	// fraction of the time and memory of saturation (TSO, a million operations of 64
	// threads: 2.4 s, without 13.5 s).
	{"early", false, func(*task) bool { return true }, early},
	// Threads that share no location, directly or through others, are independent.
	{"components", true, func(t *task) bool { return Components(t.h) != nil }, func(ctx context.Context, t *task) error {
		return decideComponents(ctx, t.h, t.m, t.limits, Components(t.h), t.v)
	}},
	// Saturation refutes nearly all forbidden histories; a greedy order by what it
	// derived allows nearly all others; case splits decide the rest.
	{"closed", true, func(*task) bool { return true }, func(ctx context.Context, t *task) error {
		return connected(ctx, t.h, t.m, t.limits, t.static, splitCases, t.v)
	}},
}

// by is the stage that a procedure is.
func by(p *Procedure) func(context.Context, *task) error {
	return func(ctx context.Context, t *task) error {
		t.v.Procedure = p.Name
		return p.Decide(ctx, t.h, t.m, t.limits, t.v)
	}
}

// staticGraph builds the graph of a history, if the limits have room for a search on it.
func staticGraph(h *parse.History, m model.Model, limits Limits) (*saturate.Graph, error) {
	if err := limits.Check(saturate.EstimateStaticBytes(h, m)); err != nil {
		return nil, err
	}
	return saturate.Build(h, m)
}

// isLong reports whether the beginning of a history is looked at first.
func isLong(t *task) bool {
	if t.m.Rules != nil {
		return len(t.h.Ops) >= longRuled
	}
	return len(t.h.Ops) >= longHistory
}

// refuteBeginning completes the verdict if the model forbids the beginning of the
// history, which refutes the whole: its graph is never built then.
func refuteBeginning(ctx context.Context, t *task) error {
	part := saturate.Beginning(t.h, t.m, beginningShare)
	var v witness.Verdict
	first := &task{h: part.History(), m: t.m, limits: t.limits, v: &v}
	if err := early(ctx, first); err != nil || first.static == nil || v.Answer == witness.Allowed {
		return err
	}
	g, ok, err := Saturated(ctx, first.h, t.m, t.limits, first.static)
	if ok || err != nil {
		return err
	}
	ref := g.Refute()
	part.Lift(ref)
	t.v.Stats.Derived = g.Inferred()
	t.v.Answer, t.v.Procedure, t.v.Refutation = witness.Forbidden, "saturate", saturate.Shrink(ctx, t.h, t.m, ref)
	return nil
}

// early completes the verdict with an order of the history, if one is found
// without saturation, on the static graph. That is a fraction of the work, and needs
// no clock rows. Where decisions are wrong too often it gives up, and the verdict
// stays Unknown; then t.static is the graph, if the limits have room for it.
func early(ctx context.Context, t *task) error {
	g, err := staticGraph(t.h, t.m, t.limits)
	if errors.Is(err, ErrMemory) {
		return nil
	}
	if err != nil {
		return err
	}
	t.static = g
	if g.Contradictory() {
		return nil
	}
	order, refusals, err := unclosed(ctx, g)
	if order != nil {
		allow(t.v, order, refusals)
	}
	return err
}

// unclosed tries to order the nodes of a graph that is not saturated. It takes back
// few placements, as measured by the work of saturation; order is nil if that does
// not suffice, which proves nothing.
func unclosed(ctx context.Context, g *saturate.Graph) (order *witness.Order, refusals int, err error) {
	p := newPlacer(g)
	p.due = make([]int32, g.Nodes())
	p.progress = &progress{of: make([]int32, g.History().Threads())}
	p.choices.key = func(v saturate.Node) int32 { return p.due[v] }
	p.effort = 2*g.Nodes() + g.Nodes()/4*min(g.History().Threads(), mostThreads)
	if g.Model().PPO&parse.StoreStore == 0 {
		p.effort *= relaxedEffort
	}
	order, _, refusals, err = p.order(ctx, earlyNogoods)
	return order, refusals, err
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
	order, stuck, refusals, err := greedy(ctx, g)
	v.Stats.Backtracks = refusals
	switch {
	case err != nil:
		return err
	case order == nil:
		return finish(ctx, g, stuck, limits, v)
	}
	allow(v, order, refusals)
	return nil
}

// allow completes a verdict with a greedy order.
func allow(v *witness.Verdict, order *witness.Order, refusals int) {
	v.Answer, v.Procedure, v.Order = witness.Allowed, "greedy", order
	v.Stats.Backtracks = refusals
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

// Saturated builds the graph of a history, unless it is given one, and saturates
// it, within the limits; ok is false if it contains a contradiction.
func Saturated(ctx context.Context, h *parse.History, m model.Model, limits Limits, static *saturate.Graph) (g *saturate.Graph, ok bool, err error) {
	if g = static; g == nil {
		if g, err = staticGraph(h, m, limits); err != nil {
			return nil, false, err
		}
	}
	if limits.bound() > 0 {
		if err := limits.Check(g.EstimateBytes()); err != nil {
			return nil, false, err
		}
	}
	ok, err = g.Saturate(ctx)
	return g, ok, err
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
	Summary:  "saturation, then a greedy order; gives up at a dead end",
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
