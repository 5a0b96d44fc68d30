// Package precedence holds, as a plain graph, what a model with a global
// memory order says at once about the order of a history's operations:
// preserved program order, fences, dependencies, external reads-from and
// coherence within threads. It infers nothing. The procedures that search
// without saturation, or with all store orders known, stand on it; what they
// add is arcs that follow from an order of two writes.
package precedence

import (
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Node is a vertex: an operation by its number or, from len(Ops) on, one
// component of a fence.
type Node int32

// Arc says that From precedes To in every global memory order that the model
// allows, for the reason that Rule and Via give as in witness.Edge.
type Arc struct {
	From, To Node
	Rule     witness.Rule
	Via      parse.OpID
	// Serial numbers derived and assumed arcs in the order of derivation,
	// from 1. The premise of a derived arc uses arcs with smaller numbers.
	Serial int32
}

// Graph is the arcs of one history under one model.
type Graph struct {
	History *parse.History
	Model   model.Model
	// Contradiction is a cycle of edges that needs no search, or nil.
	Contradiction []witness.Edge

	nodes int
	fence []parse.OpID // node - len(Ops) → its fence
	arcs  []Arc
	start []int32 // node → its first arc; nil until sorted by source
}

// New builds the graph in time linear in its arcs: a few for each operation,
// but for reads of an initial write one for each thread. Where the history tells its store
// order, each write precedes the next of its location and each read the write
// after the one it returned (A6 and A7 of Manovit and Hangal, SPAA 2005).
func New(h *parse.History, m model.Model) *Graph {
	g := &Graph{History: h, Model: m, nodes: len(h.Ops)}
	b := &builder{Graph: g, prev: make([]parse.OpID, len(h.Locations)), reads: make([][]parse.OpID, len(h.Locations))}
	for t := range h.Threads() {
		b.thread(t)
	}
	if m.Deps {
		for _, d := range h.Deps {
			if h.Ops[d.To].Kind != parse.Fence {
				g.add(Node(d.From), Node(d.To), witness.Dependency, parse.NoOp)
			}
		}
		if g.Contradiction == nil {
			g.Contradiction = thinAir(h)
		}
	}
	b.final()
	if h.StoreOrder != nil {
		b.storeOrder()
	} else {
		b.initial()
	}
	g.index()
	return g
}

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return g.nodes }

// IsAccess reports whether v is an operation other than a fence.
func (g *Graph) IsAccess(v Node) bool {
	return int(v) < len(g.History.Ops) && g.History.Ops[v].Kind != parse.Fence
}

// Out lists the arcs from v.
func (g *Graph) Out(v Node) []Arc { return g.arcs[g.start[v]:g.start[v+1]] }

// With returns the graph with more arcs.
func (g *Graph) With(more []Arc) *Graph {
	out := *g
	out.arcs = append(append(make([]Arc, 0, len(g.arcs)+len(more)), g.arcs...), more...)
	out.index()
	return &out
}

func (g *Graph) add(from, to Node, rule witness.Rule, via parse.OpID) {
	g.arcs = append(g.arcs, Arc{From: from, To: to, Rule: rule, Via: via})
}

// index sorts the arcs by source.
func (g *Graph) index() {
	g.start = make([]int32, g.nodes+1)
	for _, a := range g.arcs {
		g.start[a.From+1]++
	}
	for v := range g.nodes {
		g.start[v+1] += g.start[v]
	}
	fill := append([]int32(nil), g.start...)
	arcs := make([]Arc, len(g.arcs))
	for _, a := range g.arcs {
		arcs[fill[a.From]] = a
		fill[a.From]++
	}
	g.arcs = arcs
}

// Sort returns the accesses in a topological order, or a short cycle of arcs.
func (g *Graph) Sort() (order []parse.OpID, cycle []Arc) {
	all := g.sortAll()
	if len(all) < g.nodes {
		return nil, g.cycle(all)
	}
	for _, v := range all {
		if g.IsAccess(v) {
			order = append(order, parse.OpID(v))
		}
	}
	return order, nil
}

// sortAll returns the nodes in a topological order; those on cycles, and
// behind them, are left out.
func (g *Graph) sortAll() []Node {
	wait := g.InDegrees()
	free := make([]Node, 0, g.nodes)
	for v, w := range wait {
		if w == 0 {
			free = append(free, Node(v))
		}
	}
	for i := 0; i < len(free); i++ {
		for _, a := range g.Out(free[i]) {
			if wait[a.To]--; wait[a.To] == 0 {
				free = append(free, a.To)
			}
		}
	}
	return free
}

// Rank gives each node of a graph without cycles its position in a topological
// order.
func (g *Graph) Rank() []int32 {
	rank := make([]int32, g.nodes)
	for i, v := range g.sortAll() {
		rank[v] = int32(i)
	}
	return rank
}

// InDegrees counts, for each node, the arcs into it.
func (g *Graph) InDegrees() []int32 {
	wait := make([]int32, g.nodes)
	for _, a := range g.arcs {
		wait[a.To]++
	}
	return wait
}

// cycle finds a shortest cycle through some node that sortAll left out.
func (g *Graph) cycle(sorted []Node) []Arc {
	done := make([]bool, g.nodes)
	for _, v := range sorted {
		done[v] = true
	}
	pred := make([]Node, g.nodes)
	at := Node(-1)
	for _, a := range g.arcs {
		if !done[a.From] && !done[a.To] {
			pred[a.To], at = a.From, a.To
		}
	}
	seen := make([]bool, g.nodes)
	for !seen[at] {
		seen[at] = true
		at = pred[at]
	}
	return g.Path(at, at, nil)
}

// Path returns a shortest path of at least one arc from u to v along arcs
// that use accepts (nil: all), or nil if there is none.
func (g *Graph) Path(u, v Node, use func(Arc) bool) []Arc {
	came := make([]Arc, g.nodes)
	for i := range came {
		came[i].From = -1
	}
	queue := []Node{u}
	for i := 0; i < len(queue) && came[v].From < 0; i++ {
		for _, a := range g.Out(queue[i]) {
			if came[a.To].From < 0 && (use == nil || use(a)) {
				came[a.To] = a
				queue = append(queue, a.To)
			}
		}
	}
	if came[v].From < 0 {
		return nil
	}
	path := []Arc{came[v]}
	for path[len(path)-1].From != u {
		path = append(path, came[path[len(path)-1].From])
	}
	for a, b := 0, len(path)-1; a < b; a, b = a+1, b-1 {
		path[a], path[b] = path[b], path[a]
	}
	return path
}
