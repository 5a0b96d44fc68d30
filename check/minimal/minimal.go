// Package minimal makes refutations small: it looks for the fewest operations of
// a history that a model still forbids, without running a program. It only
// leaves operations out, and with a write the reads of it, so that each that is
// left did and returned what the log says. The result is 1-minimal: with any
// single operation left out, and those that read from it, the model allows it.
package minimal

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/gen/reduce"
	"ordeal/parse"
)

// Result is a minimal part of a history.
type Result struct {
	// History has the operations that are left, Ops their numbers in the whole
	// history, and Verdict the refutation that is about History.
	History *parse.History
	Ops     []parse.OpID
	Verdict check.Verdict
	// Refutation is the same refutation about the whole history, for which
	// witness.Verify has accepted it too.
	Refutation *witness.Refutation
	// Checked counts the histories that were checked on the way.
	Checked int
	_       struct{}
}

// ErrNot says that there is nothing to reduce.
var ErrNot = errors.New("the history is not forbidden, or not refuted within the limits")

// Reduce reduces a history that the model forbids. Options bound the checking
// of each candidate; one that is undecided is not taken, nor is one without a
// refutation. The error is ctx's or wraps ErrNot.
func Reduce(ctx context.Context, h *parse.History, m model.Model, o check.Options) (*Result, error) {
	r := &reducer{check: func(h *parse.History) (check.Verdict, error) { return check.Check(ctx, h, m, o) }}
	if !r.try(h, all(h)) {
		if r.err != nil {
			return nil, r.err
		}
		return nil, fmt.Errorf("reduce history: %w: model %s", ErrNot, m.Name)
	}
	small, kept := used(h, m, r.best.Verdict.Refutation)
	r.try(small, kept)
	for before := -1; r.err == nil && before != len(r.best.Ops); {
		before = len(r.best.Ops)
		r.threads()
		r.locations()
		r.operations()
	}
	if r.err != nil {
		return nil, r.err
	}
	r.best.Checked = r.checked
	r.best.Refutation = lift(r.best.History, r.best.Verdict.Refutation, h, m, r.best.Ops)
	if err := witness.Verify(h, m, r.best.Refutation); err != nil {
		return nil, fmt.Errorf("reduce history: internal error: what refutes a part does not refute the whole: %w", err)
	}
	return &r.best, nil
}

// Refuted reduces a history that a refutation is about by what the refutation
// looks at, see witness.Restrict: the rest of the history is not checked again.
// Result.Ops and Result.Refutation are about h, and of the same history and
// refutation they are the same. The error is as that of Reduce.
func Refuted(ctx context.Context, h *parse.History, m model.Model, refutation *witness.Refutation, o check.Options) (*Result, error) {
	part, kept := used(h, m, refutation)
	least, err := Reduce(ctx, part, m, o)
	if err != nil {
		return nil, err
	}
	least.Refutation = lift(part, least.Refutation, h, m, kept)
	for i, id := range least.Ops {
		least.Ops[i] = kept[id]
	}
	if err := witness.Verify(h, m, least.Refutation); err != nil {
		return nil, fmt.Errorf("reduce history: internal error: what refutes a part does not refute the whole: %w", err)
	}
	return least, nil
}

// used is the part of a history that a refutation looks at, and its operations.
func used(h *parse.History, m model.Model, refutation *witness.Refutation) (*parse.History, []parse.OpID) {
	view := m.View(h)
	small, _, kept := witness.Restrict(view, refutation)
	if len(view.Ops) == len(h.Ops) {
		return small, kept
	}
	// An RMW may be used for what it writes alone.
	in := map[parse.OpID]bool{}
	for _, id := range m.Events(h).Ops(kept) {
		for ; id >= 0 && !in[id]; id = h.Ops[id].RF {
			in[id] = true
		}
	}
	kept = slices.Sorted(maps.Keys(in))
	small, _ = h.Select(kept)
	return small, kept
}

// lift makes a refutation of a part of a history one of the whole.
func lift(part *parse.History, refutation *witness.Refutation, h *parse.History, m model.Model, ops []parse.OpID) *witness.Refutation {
	from, to := m.Events(part), m.Events(h)
	return witness.Rename(m.View(part), refutation, func(id parse.OpID) parse.OpID { return from.Lift(id, to, ops) })
}

// reducer is a reduction under way.
type reducer struct {
	check   func(*parse.History) (check.Verdict, error)
	best    Result
	checked int
	err     error
}

// try takes a history if the model forbids it; ops are the numbers of its
// operations in the whole one.
func (r *reducer) try(h *parse.History, ops []parse.OpID) bool {
	if r.err != nil || len(h.Ops) == 0 {
		return false
	}
	r.checked++
	v, err := r.check(h)
	if err != nil {
		r.err = err
		return false
	}
	if v.Answer != check.Forbidden || v.Refutation == nil {
		return false
	}
	r.best = Result{History: h, Ops: ops, Verdict: v}
	return true
}

// keep tries the history of the operations of one before that keep accepts,
// without the reads whose write is left out.
func (r *reducer) keep(before *Result, keep func(id parse.OpID) bool) bool {
	h := before.History
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
	ops := make([]parse.OpID, len(list))
	for i, id := range list {
		ops[i] = before.Ops[id]
	}
	return r.try(sub, ops)
}

// group leaves out groups of operations, of is the group of each.
func (r *reducer) group(n int, of func(h *parse.History, id parse.OpID) int) {
	base := r.best
	in := make([]bool, n+1)
	reduce.Subset(n, func(keep []int) bool {
		clear(in)
		for _, g := range keep {
			in[g] = true
		}
		return r.keep(&base, func(id parse.OpID) bool {
			g := of(base.History, id)
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

func all(h *parse.History) []parse.OpID {
	list := make([]parse.OpID, len(h.Ops))
	for id := range list {
		list[id] = parse.OpID(id)
	}
	return list
}
