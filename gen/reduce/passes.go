package reduce

import (
	"slices"

	"ordeal/gen"
)

// maxUnrolled bounds the operations of a program that rounds are written out
// into.
const maxUnrolled = 400

// Subset is delta debugging over n parts, all of them kept at first: try says
// whether the kept parts alone, of which there is at least one, still fail. It
// leaves out groups of parts, of half of them at first and of single ones in
// the end, until no single part can be left out any more. Try is last true for
// the parts that are left, or never.
func Subset(n int, try func(keep []int) bool) {
	keep := make([]int, n)
	for i := range keep {
		keep[i] = i
	}
	for size := (n + 1) / 2; size >= 1; {
		removed := false
		for at := 0; at < len(keep); {
			end := min(at+size, len(keep))
			if rest := slices.Concat(keep[:at], keep[end:]); len(rest) > 0 && try(rest) {
				keep, removed = rest, true
			} else {
				at = end
			}
		}
		switch {
		case size > 1:
			size = (size + 1) / 2
			if size > len(keep) {
				size = (len(keep) + 1) / 2
			}
		case !removed:
			return
		}
	}
}

// hints tries the sets of operations that are likely to fail alone.
func (r *reducer) hints() {
	start := r.best
	for _, hint := range r.o.Hints {
		c := Candidate{Program: Extract(start.Program, hint), Rounds: 1, Sizes: start.Sizes}
		if r.try(c) {
			return
		}
	}
}

// Extract is the program of one round that has the operations of a hint only, with
// a constant of its own for each that stores or adds. It has no threads without
// operations and no locations that no operation names.
func Extract(p *gen.Program, hint Hint) *gen.Program {
	threads := make([][]gen.Op, len(p.Threads))
	for t, keep := range hint {
		threads[t] = gen.Pick(p.Threads[t], keep)
	}
	return tidy(renumber(withThreads(p, threads)))
}

// renumber is the program with a constant of its own for every operation that
// stores or adds, as written-out rounds repeat them.
func renumber(p *gen.Program) *gen.Program {
	threads := make([][]gen.Op, len(p.Threads))
	for t, ops := range p.Threads {
		threads[t] = slices.Clone(ops)
	}
	numbered := withThreads(p, threads)
	numbered.NumberValues()
	return numbered
}

// rounds searches for the fewest rounds: by halves, then one by one where the
// rest is short.
func (r *reducer) rounds() {
	for r.best.Rounds > 1 {
		c := r.best
		fewer := []int{1, c.Rounds / 8, c.Rounds / 2, c.Rounds - 1} // none at all is no candidate
		if !slices.ContainsFunc(fewer, func(n int) bool { c.Rounds = n; return r.try(c) }) {
			return
		}
	}
}

func (r *reducer) threads() {
	base := r.best.Program
	Subset(len(base.Threads), func(keep []int) bool {
		return r.try(r.with(filter(base, func(t, _ int, _ gen.Op) bool { return slices.Contains(keep, t) })))
	})
}

func filter(p *gen.Program, keep func(t, i int, op gen.Op) bool) *gen.Program {
	threads := make([][]gen.Op, len(p.Threads))
	for t, ops := range p.Threads {
		for i, op := range ops {
			if keep(t, i, op) {
				threads[t] = append(threads[t], op)
			}
		}
	}
	return withThreads(p, threads)
}

// locations leaves out all operations on some locations.
func (r *reducer) locations() {
	base := r.best.Program
	Subset(len(base.Locations), func(keep []int) bool {
		return r.try(r.with(filter(base, func(_, _ int, op gen.Op) bool {
			access := op.Kind.Reads() || op.Kind.Writes()
			return !access || slices.Contains(keep, int(op.Loc))
		})))
	})
}

// operations leaves out operations, those of all threads being one list in
// which neighbours of a thread are neighbours.
func (r *reducer) operations() {
	base := r.best.Program
	first := make([]int, len(base.Threads)+1)
	for t, ops := range base.Threads {
		first[t+1] = first[t] + len(ops)
	}
	kept := make([]bool, first[len(base.Threads)])
	Subset(len(kept), func(keep []int) bool {
		clear(kept)
		for _, i := range keep {
			kept[i] = true
		}
		return r.try(r.with(filter(base, func(t, i int, _ gen.Op) bool { return kept[first[t]+i] })))
	})
}

// unroll writes the rounds of a short program out, so that operations of
// single rounds can go.
func (r *reducer) unroll() {
	if r.best.Rounds == 1 || r.best.Ops() > maxUnrolled {
		return
	}
	p := r.best.Program
	threads := make([][]gen.Op, len(p.Threads))
	for t, ops := range p.Threads {
		for range r.best.Rounds {
			threads[t] = append(threads[t], ops...)
		}
	}
	r.try(Candidate{Program: renumber(withThreads(p, threads)), Rounds: 1, Sizes: r.best.Sizes})
}

func (r *reducer) each(change func(op gen.Op) (gen.Op, bool)) {
	for t := 0; t < len(r.best.Program.Threads); t++ {
		for i := 0; i < len(r.best.Program.Threads[t]); i++ {
			base := r.best.Program
			if op, ok := change(base.Threads[t][i]); ok {
				threads := slices.Clone(base.Threads)
				threads[t] = slices.Clone(threads[t])
				threads[t][i] = op
				r.try(r.with(withThreads(base, threads)))
			}
		}
	}
}

// kinds makes plain loads and stores of atomic operations.
func (r *reducer) kinds() {
	for _, kind := range []gen.OpKind{gen.Load, gen.Store} {
		r.each(func(op gen.Op) (gen.Op, bool) {
			if op.Kind != gen.Exchange && op.Kind != gen.FetchAdd {
				return op, false
			}
			op.Kind, op.Attr = kind, 0
			if kind == gen.Load {
				op.Value = 0
			} else {
				op.Value = r.best.Program.Stride()
			}
			return op, true
		})
	}
}

func (r *reducer) delays() {
	for _, div := range []gen.Value{64, 8, 2} {
		r.each(func(op gen.Op) (gen.Op, bool) {
			if op.Kind != gen.Delay || op.Value < div {
				return op, false
			}
			op.Value /= div
			return op, true
		})
	}
}

// merge makes one location of two, wherever the program still fails then.
func (r *reducer) merge() {
	for from := len(r.best.Program.Locations) - 1; from > 0; from-- {
		for to := 0; to < from && from < len(r.best.Program.Locations); to++ {
			base := r.best.Program
			threads := make([][]gen.Op, len(base.Threads))
			for t, ops := range base.Threads {
				threads[t] = slices.Clone(ops)
				for i := range threads[t] {
					if op := &threads[t][i]; op.Loc == gen.LocID(from) {
						op.Loc = gen.LocID(to)
					}
				}
			}
			if r.try(r.with(withThreads(base, threads))) {
				break
			}
		}
	}
}

var layouts = []gen.Layout{gen.Spread, gen.Packed, gen.Pairs, gen.Conflict}

func (r *reducer) layout() {
	for _, l := range layouts {
		if l == r.best.Program.Layout {
			return
		}
		p := withThreads(r.best.Program, r.best.Program.Threads)
		p.Layout = l
		if r.try(r.with(p)) {
			return
		}
	}
}

func (r *reducer) sizes() {
	for i, s := range r.o.Sizes {
		for _, v := range s.Values {
			if v == r.best.Sizes[i] {
				break
			}
			c := r.best
			c.Sizes = slices.Clone(c.Sizes)
			c.Sizes[i] = v
			if r.try(c) {
				break
			}
		}
	}
}

var letters = []string{"x", "y", "z", "w", "u", "v", "a", "b", "c", "d", "e", "f"}

// values names locations x, y, z and numbers stores from 1.
func (r *reducer) values() {
	p := renumber(r.best.Program)
	if len(p.Locations) <= len(letters) {
		p.Locations = letters[:len(p.Locations):len(p.Locations)]
	}
	r.try(r.with(p))
}
