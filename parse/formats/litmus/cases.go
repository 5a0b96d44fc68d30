package litmus

import (
	"slices"

	"ordeal/gen"
)

// unfold makes the cases of the test: combinations of paths of its threads. What loads
// may return is what stores of such paths write, found by iteration.
func (r *reader) unfold() {
	t := r.t
	for loc, n := range t.initial {
		r.candidates[gen.LocID(loc)] = []int64{n}
	}
	paths := make([][]path, len(r.threads))
	for rounds := 0; ; rounds++ {
		grown, decided, writes := false, false, 0
		for number := range r.threads {
			paths[number] = r.paths(number)
			decided = decided || len(paths[number]) > 1 || slices.ContainsFunc(paths[number], func(p path) bool { return len(p.assumed) > 0 })
			most := 0
			for _, p := range paths[number] {
				most = max(most, len(p.ops))
				grown = r.gather(p) || grown
			}
			writes += most
		}
		// A value goes through each store once.
		if r.faults.Count() > 0 || !grown || !decided || rounds > writes {
			break
		}
	}
	if r.faults.Count() == 0 {
		r.combine(paths, nil)
	}
	if r.faults.Count() == 0 {
		t.Case = t.Cases[0]
	}
}

// gather adds what a path stores to what loads may return, and reports whether it is new.
func (r *reader) gather(p path) (grown bool) {
	for i, op := range p.ops {
		if !op.Kind.Writes() {
			continue
		}
		at, known := slices.BinarySearch(r.candidates[op.Loc], p.stored[i])
		if !known {
			grown, r.candidates[op.Loc] = true, slices.Insert(r.candidates[op.Loc], at, p.stored[i])
		}
	}
	return grown
}

// combine makes a case of every combination of paths in which what is assumed is written.
func (r *reader) combine(paths [][]path, chosen []path) {
	if len(chosen) < len(paths) {
		for _, p := range paths[len(chosen)] {
			if r.faults.Count() == 0 {
				r.combine(paths, append(chosen[:len(chosen):len(chosen)], p))
			}
		}
		return
	}
	r.combined++
	if r.consistent(chosen) {
		r.t.Cases = append(r.t.Cases, r.newCase(chosen))
	}
	if len(r.t.Cases) > maxCases || r.combined > 16*maxCases {
		r.fault(r.at, "more than %d combinations of what loads return: not supported", maxCases)
	}
}

// consistent reports whether a store of the paths, or the initial state, has each value that
// a read is assumed to return.
func (r *reader) consistent(chosen []path) bool {
	writes := func(loc gen.LocID, n int64) bool {
		return r.t.initial[loc] == n || slices.ContainsFunc(chosen, func(p path) bool {
			for i, op := range p.ops {
				if op.Kind.Writes() && op.Loc == loc && p.stored[i] == n {
					return true
				}
			}
			return false
		})
	}
	return !slices.ContainsFunc(chosen, func(p path) bool {
		return slices.ContainsFunc(p.assumed, func(a assumption) bool { return !a.status && !writes(a.loc, a.n) })
	})
}

// newCase makes a program of a path of each thread. Stores have constants of their own, in the
// order of their lines.
func (r *reader) newCase(chosen []path) *Case {
	c := &Case{
		test: r.t, values: map[gen.Value]int64{}, registers: map[Variable]source{}, kept: map[string]kept{}, NoReturn: map[[2]int]bool{},
		Program: &gen.Program{ISA: r.arch.isa, Layout: gen.Spread, Locations: r.t.names, Threads: make([][]gen.Op, len(chosen))},
	}
	type store struct{ line, thread, index int }
	var stores []store
	for t, p := range chosen {
		c.Program.Threads[t] = slices.Clone(p.ops)
		for i, op := range p.ops {
			if op.Kind.Writes() {
				stores = append(stores, store{p.lines[i], t, i})
			}
		}
		for name, s := range p.registers {
			c.registers[Variable{t, name}] = s
		}
		for name, s := range p.kept {
			c.kept[name] = kept{t, s}
		}
		for _, i := range p.noReturn {
			c.NoReturn[[2]int{t, i}] = true
		}
		for _, a := range p.assumed {
			c.assumed = append(c.assumed, assumed{t, a})
		}
		c.depend(p)
	}
	slices.SortStableFunc(stores, func(a, b store) int { return a.line - b.line })
	for n, s := range stores {
		constant := gen.Value(n + 1)
		c.Program.Threads[s.thread][s.index].Value = constant
		c.values[constant] = chosen[s.thread].stored[s.index]
	}
	return c
}

// depend puts dependencies into the program where an operation has one source, of few operations
// before, and leaves the others beside it.
func (c *Case) depend(p path) {
	for _, d := range p.deps {
		op := &c.Program.Threads[d.Thread][d.To]
		same := !slices.ContainsFunc(p.deps, func(o gen.Dependency) bool {
			return o.To == d.To && o.From != d.From || o.To == d.To && o.Kind == gen.DepPick
		})
		if same && p.ops[d.From].Kind != gen.StoreConditional && d.To-d.From <= gen.MaxBack {
			op.Dep, op.Back = op.Dep|d.Kind, uint8(d.To-d.From)
		} else {
			c.Deps = append(c.Deps, d)
		}
	}
}
