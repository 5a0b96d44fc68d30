package shapes_test

import (
	"slices"

	"ordeal/gen/shapes"
)

// machine is a memory model as four numbers: the pairs of program order that
// it keeps (1 load-load, 2 load-store, 4 store-load, 8 store-store), whether
// loads of one location may pass each other, and whether a thread may read
// its own store before others do.
type machine struct {
	ppo     int
	hazards bool
	forward bool
}

// event is an operation of a shape; event 0 stands for all initial writes.
type event struct {
	shapes.Op
	thread, index int
}

func (e event) reads() bool  { return e.Kind == shapes.Load || e.Kind == shapes.Exchange }
func (e event) writes() bool { return e.Kind == shapes.Store || e.Kind == shapes.Exchange }

// possible tries every coherence order against the axioms of Alglave et al.,
// "Herding cats", TOPLAS 2014, Sect. 4, in their multi-copy atomic form:
// uniproc, atomicity, and one global order.
func possible(s shapes.Shape, m machine) bool {
	events := []event{{thread: -1}}
	for t, ops := range s.Threads {
		for i, op := range ops {
			events = append(events, event{op, t, i})
		}
	}
	orders := [][][]int{nil}
	for loc := range s.Locations {
		var writes []int
		for i, e := range events {
			if e.writes() && e.Loc == loc {
				writes = append(writes, i)
			}
		}
		var next [][][]int
		for _, order := range permutations(writes) {
			if f := s.Final[loc]; f != 0 && events[order[len(order)-1]].Write != f {
				continue
			}
			for _, others := range orders {
				next = append(next, append(slices.Clone(others), order))
			}
		}
		orders = next
	}
	return slices.ContainsFunc(orders, func(co [][]int) bool { return holds(events, co, m) })
}

func permutations(list []int) [][]int {
	if len(list) == 0 {
		return [][]int{nil}
	}
	var all [][]int
	for i := range list {
		rest := slices.Delete(slices.Clone(list), i, i+1)
		for _, p := range permutations(rest) {
			all = append(all, append([]int{list[i]}, p...))
		}
	}
	return all
}

func holds(events []event, co [][]int, m machine) bool {
	n := len(events)
	uniproc, global := newGraph(n), newGraph(n)
	both := func(a, b int) { uniproc[a][b], global[a][b] = true, true }
	rank := func(loc, w int) int { return slices.Index(co[loc], w) } // -1: initial
	for i, e := range events {
		for _, order := range co {
			for k := range order {
				for _, later := range order[k+1:] {
					both(order[k], later)
				}
			}
		}
		if !e.reads() {
			continue
		}
		from := 0
		for j, w := range events {
			if w.writes() && w.Loc == e.Loc && w.Write == e.Read {
				from = j
			}
		}
		if from != 0 {
			uniproc[from][i] = true
			if !m.forward || events[from].thread != e.thread || e.Kind == shapes.Exchange {
				global[from][i] = true
			}
		}
		for _, w := range co[e.Loc][rank(e.Loc, from)+1:] {
			if w != i {
				both(i, w)
			}
		}
		if e.Kind == shapes.Exchange && rank(e.Loc, i) != rank(e.Loc, from)+1 {
			return false
		}
	}
	for i, a := range events {
		for j, b := range events {
			if a.thread != b.thread || a.index >= b.index || a.thread < 0 || a.Kind == shapes.Fence || b.Kind == shapes.Fence {
				continue
			}
			hazard := a.Kind == shapes.Load && b.Kind == shapes.Load && m.hazards
			if a.Loc == b.Loc && !hazard {
				uniproc[i][j] = true
			}
			fence := slices.ContainsFunc(events, func(f event) bool {
				return f.Kind == shapes.Fence && f.thread == a.thread && a.index < f.index && f.index < b.index
			})
			if fence || pairs(a, b)&m.ppo != 0 {
				global[i][j] = true
			}
		}
	}
	return uniproc.acyclic() && global.acyclic()
}

// pairs is the set of components of program order between a and b.
func pairs(a, b event) int {
	mask := 0
	if a.reads() && b.reads() {
		mask |= 1
	}
	if a.reads() && b.writes() {
		mask |= 2
	}
	if a.writes() && b.reads() {
		mask |= 4
	}
	if a.writes() && b.writes() {
		mask |= 8
	}
	return mask
}

type graph [][]bool

func newGraph(n int) graph {
	g := make(graph, n)
	for i := range g {
		g[i] = make([]bool, n)
	}
	return g
}

// acyclic is Warshall's closure: no node reaches itself.
func (g graph) acyclic() bool {
	for k := range g {
		for i := range g {
			for j := range g {
				g[i][j] = g[i][j] || g[i][k] && g[k][j]
			}
		}
	}
	for i := range g {
		if g[i][i] {
			return false
		}
	}
	return true
}
