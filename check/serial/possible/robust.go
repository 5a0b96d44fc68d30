package possible

import (
	"context"

	"github.com/go-air/gini/z"

	"ordeal/check/serial"
	"ordeal/check/serial/internal/orders"
	"ordeal/check/serial/robust"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/events"
)

// robustness searches the executions of a history for one that is robust and
// one that is not.
type robustness struct {
	*decider
	solver *solver
	// program orders the operations of executions of SC; order is one, and
	// events its events.
	program *orders.Graph
	order   *events.Sequence
	// op is the operation of each event of order that is no commit.
	op []parse.OpID
}

func (r *robustness) search(ctx context.Context) error {
	s := r.solver
	if r.answer.Fails == nil {
		if err := r.find(ctx, s, orders.Goal{Kind: s.Cyclic(r.program), Graph: s.c.modelGraph()}); err != nil {
			return err
		}
	}
	sc := s.Kind()
	order, err := s.find(ctx, orders.Goal{Kind: sc, Graph: r.program, Within: sc})
	if order == nil || err != nil {
		return err
	}
	if err := r.add(ctx, order); err != nil {
		return err
	}
	if r.complete() {
		return nil
	}
	return r.searchSC(ctx, order, sc)
}

// searchSC searches the executions of SC, of which order is one, for one with
// the answer that is missing. sc is their kind.
func (r *robustness) searchSC(ctx context.Context, order *witness.Order, sc z.Lit) error {
	if err := r.prepare(order); err != nil {
		return err
	}
	s := r.solver
	kind := s.Kind()
	s.Clause(kind.Not(), sc)
	check := r.without
	if r.answer.Fails == nil {
		check = r.with
	}
	return r.find(ctx, s, orders.Goal{Kind: kind, Graph: r.program, Within: sc, Check: func(p *orders.Proposal) error {
		return check(ctx, p, kind)
	}})
}

// prepare replays an execution of SC. What happens while a write waits depends
// on the order of the threads and on what reads read alone, and is the same in
// all of them.
func (r *robustness) prepare(order *witness.Order) error {
	h := r.h
	s, err := serial.FromHistory(h, order)
	if err != nil {
		return err
	}
	r.order = s.Trace()
	next := append([]parse.OpID(nil), h.Start...)
	r.op = make([]parse.OpID, len(r.order.Events))
	for i := range r.order.Events {
		at := &next[r.order.Events[i].Thread]
		for {
			id := *at
			*at++
			if _, ok := serial.EventKind(&h.Ops[id]); ok {
				r.op[i] = id
				break
			}
		}
	}
	return nil
}

// without learns from every violation next to a proposal that a robust
// execution lacks one of its conflicts.
func (r *robustness) without(ctx context.Context, p *orders.Proposal, kind z.Lit) error {
	return r.windows(ctx, func(w *window) bool {
		if path := w.path(p); path != nil {
			p.LearnAgainst(kind, path)
		}
		return true
	})
}

// with learns from a proposal that has no violation next to it that one that
// has has a conflict which leads on from what conflicts lead to.
func (r *robustness) with(ctx context.Context, p *orders.Proposal, kind z.Lit) error {
	var missing []z.Lit
	found := false
	err := r.windows(ctx, func(w *window) bool {
		if found = w.path(p) != nil; found {
			return false
		}
		for _, a := range w.missing {
			missing = append(missing, p.Lit(a.Label))
		}
		return true
	})
	if err == nil && !found {
		p.Learn(kind, missing)
	}
	return err
}

// windows calls visit for each write that may wait, until it returns false.
func (r *robustness) windows(ctx context.Context, visit func(*window) bool) error {
	w := &window{r: r, happens: make([]bool, len(r.h.Ops))}
	for v := range robust.Windows(r.order) {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &r.order.Events[v.Write]
		w.attacker, w.variable = e.Thread, e.Var
		for id := range w.happens {
			w.happens[id] = true // fences that are no events
		}
		for i, happens := range v.Happens {
			w.happens[r.op[i]] = happens
		}
		w.reads = w.reads[:0]
		for _, read := range v.Reads {
			w.reads = append(w.reads, int32(r.op[read]))
		}
		if !visit(w) {
			return nil
		}
	}
	return nil
}

// window is what can happen while a write waits, by operations.
type window struct {
	r                  *robustness
	attacker, variable int32
	happens            []bool
	reads              []int32
	// missing are the arcs that a proposal lacks and that lead on, after path
	// has found nothing.
	missing []orders.Arc
}

// path is a violation next to a proposal: conflicts from a read of the attacker
// to an access of the variable; nil if there is none. The last orders.Arc leads to
// that access.
func (w *window) path(p *orders.Proposal) []orders.Arc {
	w.missing = w.missing[:0]
	var queue []int32
	by := make(map[int32]orders.Arc)
	back := func(last orders.Arc) []orders.Arc {
		path := []orders.Arc{last}
		for {
			a, ok := by[path[len(path)-1].From]
			if !ok {
				return path
			}
			path = append(path, a)
		}
	}
	// follow takes the arcs from an operation, and reports the one that ends
	// the path.
	follow := func(from int32) (last orders.Arc, found bool) {
		for _, a := range w.r.program.Out(from) {
			target := w.target(a.To)
			if _, known := by[a.To]; known || w.r.solver.c.thread[a.To] == w.attacker || !target && !w.happens[a.To] {
				continue
			}
			switch {
			case !p.Holds(a.Label):
				w.missing = append(w.missing, a)
			case target:
				return a, true
			default:
				by[a.To] = a
				queue = append(queue, a.To)
			}
		}
		return orders.Arc{}, false
	}
	for _, read := range w.reads {
		if last, found := follow(read); found {
			return back(last)
		}
	}
	for i := 0; i < len(queue); i++ {
		if last, found := follow(queue[i]); found {
			return back(last)
		}
	}
	return nil
}

// target reports whether an operation accesses the variable, and all before it
// in its thread happen: it may return another value itself.
func (w *window) target(op int32) bool {
	h := w.r.h
	if h.Ops[op].Loc != w.variable {
		return false
	}
	for id := parse.OpID(op) - 1; id >= h.Start[w.r.solver.c.thread[op]]; id-- {
		if _, ok := serial.EventKind(&h.Ops[id]); ok {
			return w.happens[id]
		}
	}
	return true
}
