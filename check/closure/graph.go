// Package closure has directed graphs and what is reachable in them: topological
// orders, cycles, shortest paths, strongly connected components, and the
// transitive closure as a bit matrix. All procedures of check use it; only the
// clocks of packages saturate and causal, which grow with every inferred edge,
// stand beside their rules.
package closure

import "slices"

// Arc is an edge from node to node with a label that says why it is there.
type Arc[L any] struct {
	From, To int32
	Label    L
}

// Graph is a directed graph on the nodes from 0 to Nodes-1. Add may be called
// at any time; the methods that follow arcs sort them by source first.
type Graph[L any] struct {
	Nodes int
	arcs  []Arc[L]
	start []int32 // node → its first arc; nil until the arcs are sorted

	pushed [][]Arc[L] // node → arcs of Push
	stack  []int32    // their sources, in order

	// State of Path: a node is reached if its mark is the latest one.
	mark   []int32
	latest int32
	by     []Arc[L] // node → the arc that reached it
	queue  []int32
}

// Add adds an arc.
func (g *Graph[L]) Add(from, to int32, label L) {
	g.arcs = append(g.arcs, Arc[L]{from, to, label})
	g.start = nil
}

// Grow makes room for n more arcs.
func (g *Graph[L]) Grow(n int) { g.arcs = slices.Grow(g.arcs, n) }

// With returns a graph with more arcs.
func (g *Graph[L]) With(more []Arc[L]) *Graph[L] {
	return &Graph[L]{Nodes: g.Nodes, arcs: slices.Concat(g.arcs, more)}
}

// Arcs lists the arcs, in the order of Add as long as no method followed them.
func (g *Graph[L]) Arcs() []Arc[L] { return g.arcs }

// Out lists the arcs that leave a node, in the order of Add.
func (g *Graph[L]) Out(v int32) []Arc[L] {
	if g.start == nil {
		g.sort()
	}
	return g.arcs[g.start[v]:g.start[v+1]]
}

func (g *Graph[L]) sort() {
	g.start, g.arcs = Group(g.Nodes, g.arcs, func(a Arc[L]) int32 { return a.From })
}

// Group sorts items by a key from 0 to n-1, in linear time: those of key k are
// grouped[start[k]:start[k+1]], in their order.
func Group[T any](n int, items []T, key func(T) int32) (start []int32, grouped []T) {
	start = make([]int32, n+1)
	for _, item := range items {
		start[key(item)+1]++
	}
	for k := range n {
		start[k+1] += start[k]
	}
	next := slices.Clone(start)
	grouped = make([]T, len(items))
	for _, item := range items {
		k := key(item)
		grouped[next[k]] = item
		next[k]++
	}
	return start, grouped
}

// Push adds an arc that only Path follows, until Pop removes it.
func (g *Graph[L]) Push(a Arc[L]) {
	if g.pushed == nil {
		g.pushed = make([][]Arc[L], g.Nodes)
	}
	g.pushed[a.From] = append(g.pushed[a.From], a)
	g.stack = append(g.stack, a.From)
}

// Pushed is the number of pushed arcs.
func (g *Graph[L]) Pushed() int { return len(g.stack) }

// Pop removes the latest pushed arcs, all but the first n.
func (g *Graph[L]) Pop(n int) {
	for _, v := range slices.Backward(g.stack[n:]) {
		g.pushed[v] = g.pushed[v][:len(g.pushed[v])-1]
	}
	g.stack = g.stack[:n]
}

// AddPushed makes the pushed arcs ordinary ones.
func (g *Graph[L]) AddPushed() {
	g.arcs = slices.Concat(g.arcs, slices.Concat(g.pushed...))
	g.pushed, g.stack, g.start = nil, nil, nil
}

// InDegrees counts, for each node, the arcs into it.
func (g *Graph[L]) InDegrees() []int32 {
	count := make([]int32, g.Nodes)
	for i := range g.arcs {
		count[g.arcs[i].To]++
	}
	return count
}

// Sort returns the nodes in a topological order; nodes on cycles, and nodes
// that a cycle leads to, are left out.
func (g *Graph[L]) Sort() []int32 {
	wait := g.InDegrees()
	order := make([]int32, 0, g.Nodes)
	for v, n := range wait {
		if n == 0 {
			order = append(order, int32(v))
		}
	}
	for i := 0; i < len(order); i++ {
		for _, a := range g.Out(order[i]) {
			if wait[a.To]--; wait[a.To] == 0 {
				order = append(order, a.To)
			}
		}
	}
	return order
}

// Path returns a shortest path of at least one arc from u to v along arcs that
// use accepts (nil: all), or nil if there is none.
func (g *Graph[L]) Path(u, v int32, use func(Arc[L]) bool) []Arc[L] {
	if g.mark == nil {
		g.mark, g.by = make([]int32, g.Nodes), make([]Arc[L], g.Nodes)
	}
	g.latest++
	g.queue = append(g.queue[:0], u)
	follow := func(arcs []Arc[L]) {
		for _, a := range arcs {
			if g.mark[a.To] != g.latest && (use == nil || use(a)) {
				g.mark[a.To], g.by[a.To] = g.latest, a
				g.queue = append(g.queue, a.To)
			}
		}
	}
	for i := 0; i < len(g.queue) && g.mark[v] != g.latest; i++ {
		follow(g.Out(g.queue[i]))
		if g.pushed != nil {
			follow(g.pushed[g.queue[i]])
		}
	}
	if g.mark[v] != g.latest {
		return nil
	}
	path := []Arc[L]{g.by[v]}
	for path[len(path)-1].From != u {
		path = append(path, g.by[path[len(path)-1].From])
	}
	slices.Reverse(path)
	return path
}

// starts bounds the nodes from which Cycle looks for a shortest cycle.
const starts = 32

// Cycle returns a short cycle, or nil if there is none: the shortest one
// through some nodes of the smallest component that has cycles.
func (g *Graph[L]) Cycle() []Arc[L] {
	component, count := g.Components()
	size := make([]int32, count)
	for _, c := range component {
		size[c]++
	}
	smallest := int32(-1)
	for c, n := range size {
		if n > 1 && (smallest < 0 || n < size[smallest]) {
			smallest = int32(c)
		}
	}
	var nodes []int32
	for v, c := range component {
		if c == smallest {
			nodes = append(nodes, int32(v))
		}
	}
	var shortest []Arc[L]
	for i := 0; i < len(nodes); i += max(1, len(nodes)/starts) {
		cycle := g.Path(nodes[i], nodes[i], func(a Arc[L]) bool { return component[a.To] == smallest })
		if shortest == nil || len(cycle) < len(shortest) {
			shortest = cycle
		}
	}
	return shortest
}
