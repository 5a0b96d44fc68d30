// Package minimal reduces histories that a model forbids, without running a
// program: it leaves out threads, locations and operations, and lets the reads
// of a write that is left out read another one, as long as the model still
// forbids the history. The result is 1-minimal: with any single operation left
// out, whatever its readers read then, the model allows it.
package minimal

import (
	"context"
	"fmt"
	"slices"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/gen/reduce"
	"ordeal/parse"
)

// Result is a minimal history.
type Result struct {
	History *parse.History
	Verdict check.Verdict
	// Checked counts the histories that were checked on the way.
	Checked int
	_       struct{}
}

// Reduce reduces a history that the model forbids. Options bound the checking
// of each candidate; one that is undecided is not taken. The error is ctx's,
// or says that the model does not forbid the history.
func Reduce(ctx context.Context, h *parse.History, m model.Model, o check.Options) (*Result, error) {
	r := &reducer{check: func(h *parse.History) (check.Verdict, error) { return check.Check(ctx, h, m, o) }}
	if !r.try(h) {
		if r.err != nil {
			return nil, r.err
		}
		return nil, fmt.Errorf("reduce history: model %s does not forbid it", m.Name)
	}
	if ref := r.best.Verdict.Refutation; ref != nil {
		small, _, _ := witness.Restrict(h, ref)
		r.try(small)
	}
	for before := -1; r.err == nil && before != r.size(); {
		before = r.size()
		r.threads()
		r.locations()
		r.operations()
		r.rewire()
		r.weaken()
	}
	if r.err != nil {
		return nil, r.err
	}
	r.best.Checked = r.checked
	return &r.best, nil
}

// reducer is a reduction under way.
type reducer struct {
	check   func(*parse.History) (check.Verdict, error)
	best    Result
	checked int
	err     error
}

// size decreases with every step of the reduction: operations, and halves of
// read-modify-writes.
func (r *reducer) size() int {
	n := 0
	for i := range r.best.History.Ops {
		n += 2
		if r.best.History.Ops[i].Kind == parse.RMW {
			n++
		}
	}
	return n
}

func (r *reducer) try(h *parse.History) bool {
	if r.err != nil || len(h.Ops) == 0 {
		return false
	}
	r.checked++
	v, err := r.check(h)
	if err != nil {
		r.err = err
		return false
	}
	if v.Answer != check.Forbidden {
		return false
	}
	r.best = Result{History: h, Verdict: v}
	return true
}

// keep tries the history of the operations that keep accepts, without the reads
// whose write is left out.
func (r *reducer) keep(h *parse.History, keep func(id parse.OpID) bool) bool {
	kept := make([]bool, len(h.Ops))
	for id := range h.Ops {
		kept[id] = keep(parse.OpID(id))
	}
	// The readers of a read-modify-write that is left out are, too, and so on.
	for changed := true; changed; {
		changed = false
		for id := range h.Ops {
			if rf := h.Ops[id].RF; kept[id] && rf >= 0 && !kept[rf] {
				kept[id], changed = false, true
			}
		}
	}
	list := slices.DeleteFunc(all(h), func(id parse.OpID) bool { return !kept[id] })
	if len(list) == len(h.Ops) {
		return false
	}
	sub, _ := h.Select(list)
	return r.try(sub)
}

// group leaves out groups of operations, of is the group of each.
func (r *reducer) group(n int, of func(h *parse.History, id parse.OpID) int) {
	base := r.best.History
	in := make([]bool, n+1)
	reduce.Subset(n, func(keep []int) bool {
		clear(in)
		for _, g := range keep {
			in[g] = true
		}
		return r.keep(base, func(id parse.OpID) bool {
			g := of(base, id)
			return g < 0 || in[g]
		})
	})
}

func (r *reducer) threads() {
	r.group(r.best.History.Threads(), func(h *parse.History, id parse.OpID) int { return h.Thread(id) })
}

func (r *reducer) locations() {
	r.group(len(r.best.History.Locations), func(h *parse.History, id parse.OpID) int { return int(h.Ops[id].Loc) })
}

func (r *reducer) operations() {
	r.group(len(r.best.History.Ops), func(_ *parse.History, id parse.OpID) int { return int(id) })
}

// rewire leaves out single writes whose readers then read something else: the
// initial value, or another write to the location.
func (r *reducer) rewire() {
	for id := parse.OpID(0); int(id) < len(r.best.History.Ops); id++ {
		op := &r.best.History.Ops[id]
		if !op.Writes() || !r.isRead(id) {
			continue
		}
		for other := parse.Init; int(other) < len(r.best.History.Ops); other++ {
			if other == id || other >= 0 && !(r.best.History.Ops[other].Writes() && r.best.History.Ops[other].Loc == op.Loc) {
				continue
			}
			if r.without(id, other) {
				id--
				break
			}
		}
	}
}

func (r *reducer) isRead(write parse.OpID) bool {
	return slices.ContainsFunc(r.best.History.Ops, func(op parse.Op) bool { return op.Reads() && op.RF == write })
}

// without tries the history without a write, whose readers read another one.
func (r *reducer) without(write, other parse.OpID) bool {
	h := r.best.History
	sub, number := h.Select(slices.Delete(all(h), int(write), int(write)+1))
	to := number(other)
	for i := range sub.Ops {
		if op := &sub.Ops[i]; op.Reads() && op.RF == parse.NoOp {
			if op.RF, op.Read = to, 0; to >= 0 {
				op.Read = sub.Ops[to].Write
			}
			if to == parse.OpID(i) {
				return false
			}
		}
	}
	return r.try(sub)
}

func (r *reducer) weaken() {
	for id := range r.best.History.Ops {
		for _, kind := range []parse.Kind{parse.Read, parse.Write} {
			h := r.best.History
			op := h.Ops[id]
			if op.Kind != parse.RMW || kind == parse.Read && (r.isRead(parse.OpID(id)) || slices.Contains(r.best.History.Final, parse.OpID(id))) {
				continue
			}
			op.Kind = kind
			if kind == parse.Read {
				op.Write = 0
			} else {
				op.RF, op.Read = parse.NoOp, 0
			}
			r.try(r.replaced(id, op))
		}
	}
}

func all(h *parse.History) []parse.OpID {
	list := make([]parse.OpID, len(h.Ops))
	for id := range list {
		list[id] = parse.OpID(id)
	}
	return list
}

// replaced is the history with another operation in the place of one.
func (r *reducer) replaced(id int, op parse.Op) *parse.History {
	h, _ := r.best.History.Select(all(r.best.History))
	h.Ops[id] = op
	for x, list := range h.StoreOrder {
		h.StoreOrder[x] = slices.DeleteFunc(list, func(w parse.OpID) bool { return !h.Ops[w].Writes() })
	}
	return h
}
