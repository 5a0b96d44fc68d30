package saturate

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// maxDeletions bounds the operations among which Shrink tries single ones.
const maxDeletions = 256

// Shrink reduces the operations of a refutation of one leaf: it restricts the
// history to the operations that the refutation uses, refutes that part, and
// repeats; when this no longer helps, it tries to remove single operations. The
// result is a refutation of h in which no operation can be removed, unless the
// first one used more than maxDeletions or ctx is done.
func Shrink(ctx context.Context, h *parse.History, m model.Model, ref *witness.Refutation) *witness.Refutation {
	s := shrinker{h: h, m: m, best: ref, keep: witness.Uses(h, ref)}
	for s.refute(ctx, s.keep) {
	}
	if len(s.keep) <= maxDeletions {
		s.delete(ctx)
	}
	return s.best
}

type shrinker struct {
	h    *parse.History
	m    model.Model
	best *witness.Refutation
	keep []parse.OpID // that best uses
}

// refute tries to refute the part of the history that consists of keep. It
// reports whether that took fewer operations than the best so far.
func (s *shrinker) refute(ctx context.Context, keep []parse.OpID) bool {
	p := Restrict(s.h, s.m, keep)
	g, err := Build(p.h, s.m)
	if err != nil {
		panic("saturate: " + err.Error()) // the model was built for the whole history
	}
	if ok, err := g.Saturate(ctx); ok || err != nil {
		return false
	}
	ref := g.Refute()
	used := witness.Uses(p.h, ref) // where dependencies lead past what is left out
	if len(used) >= len(s.keep) {
		return false
	}
	p.Lift(ref)
	for i, id := range used {
		used[i] = p.op[id]
	}
	s.best, s.keep = ref, used
	return true
}

// delete tries to remove each operation, with its readers.
func (s *shrinker) delete(ctx context.Context) {
	for i := 0; i < len(s.keep); {
		dropped := s.keep[i]
		without := slices.DeleteFunc(slices.Clone(s.keep), func(id parse.OpID) bool {
			return id == dropped || s.h.Ops[id].Reads() && s.h.Ops[id].RF == dropped
		})
		without = readable(s.h, without)
		if !s.refute(ctx, without) {
			i++
			continue
		}
		// Operations before i may have been dropped, too; the others need no
		// second try.
		i, _ = slices.BinarySearch(s.keep, dropped)
	}
}

// readable leaves out reads whose writer is left out, until none is left.
func readable(h *parse.History, keep []parse.OpID) []parse.OpID {
	for {
		n := len(keep)
		keep = slices.DeleteFunc(keep, func(id parse.OpID) bool {
			o := &h.Ops[id]
			if !o.Reads() || o.RF == parse.Init {
				return false
			}
			_, ok := slices.BinarySearch(keep, o.RF)
			return !ok
		})
		if len(keep) == n {
			return keep
		}
	}
}

// Lift makes a refutation of the part one of the whole.
func (p *Part) Lift(ref *witness.Refutation) {
	each(ref, func(id *parse.OpID) {
		if *id >= 0 {
			*id = p.op[*id]
		}
	})
}

// each calls f for every place in a refutation that names an operation.
func each(ref *witness.Refutation, f func(*parse.OpID)) {
	for e := range ref.Edges() {
		f(&e.From)
		f(&e.To)
		f(&e.Via)
	}
	for n := range ref.Nodes() {
		if n.First != nil {
			f(&n.From)
			f(&n.To)
		}
	}
}
