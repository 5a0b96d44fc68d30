package causal

import (
	"context"

	"ordeal/check/witness"
	"ordeal/parse"
)

// derived is an edge that a rule produced. Its index in graph.edges is its
// serial number.
type derived struct {
	from, to, via parse.OpID
	next          int32 // the source's previous derived edge, -1 for none
	thread        int32 // of an edge of hb_o: o's thread; else -1
	rule          witness.Rule
}

// graph is a frame with derived edges and clocks. Row v holds for each chain
// the largest position of an operation that precedes or is v.
type graph struct {
	*frame
	edges []derived
	head  []int32 // operation → its latest linked edge, -1 for none
	rows  []int32
}

// contextInterval is how many operations pass between looks at the context: with a
// hundred thousand chains each takes a fraction of a millisecond.
const contextInterval = 64

func newGraph(f *frame) *graph {
	g := &graph{frame: f, head: make([]int32, len(f.h.Ops)), rows: make([]int32, len(f.h.Ops)*f.chains)}
	g.unlink()
	return g
}

func (g *graph) unlink() {
	for i := range g.head {
		g.head[i] = -1
	}
}

func (g *graph) row(v parse.OpID) []int32 {
	lo := int(v) * g.chains
	return g.rows[lo : lo+g.chains : lo+g.chains]
}

// before reports whether u precedes v or is v.
func (g *graph) before(u, v parse.OpID) bool { return g.row(v)[g.chain[u]] >= g.pos[u] }

func (g *graph) add(e derived) {
	g.edges = append(g.edges, e)
	g.link(int32(len(g.edges)) - 1)
}

func (g *graph) link(i int32) {
	e := &g.edges[i]
	e.next = g.head[e.from]
	g.head[e.from] = i
}

// linkNew links edge i unless one with its ends is linked already.
func (g *graph) linkNew(i int32) {
	e := &g.edges[i]
	for j := g.head[e.from]; j >= 0; j = g.edges[j].next {
		if g.edges[j].to == e.to {
			return
		}
	}
	g.link(i)
}

// hop is one step from an operation: along its chain, a static edge or a
// derived one.
type hop struct {
	from, to parse.OpID
	rule     witness.Rule
	derived  int32 // index in edges, or -1
}

// hops calls f for every edge out of v until f returns false.
func (g *graph) hops(v parse.OpID, f func(hop) bool) {
	if s := g.next[v]; s != parse.NoOp && !f(hop{v, s, witness.PPO, -1}) {
		return
	}
	for _, e := range g.out[g.outStart[v]:g.outStart[v+1]] {
		if !f(hop{v, e.to, e.rule, -1}) {
			return
		}
	}
	for i := g.head[v]; i >= 0; i = g.edges[i].next {
		if !f(hop{v, g.edges[i].to, g.edges[i].rule, i}) {
			return
		}
	}
}

// join adds row b to row a and reports whether that changed it.
func join(a, b []int32) bool {
	changed := false
	for c, p := range b {
		if p > a[c] {
			a[c] = p
			changed = true
		}
	}
	return changed
}

// sort returns the operations in a topological order, or, if the edges linked have a
// cycle, a refutation of some kind. With clocks it also computes the rows of a new graph,
// each of which has as many entries as there are chains.
func (g *graph) sort(ctx context.Context, clocks bool, kind func(*graph) limits) ([]parse.OpID, *witness.Refutation, error) {
	wait := make([]int32, len(g.h.Ops))
	for v := range g.h.Ops {
		g.hops(parse.OpID(v), func(e hop) bool { wait[e.to]++; return true })
	}
	order := make([]parse.OpID, 0, g.nodes)
	for v := range g.h.Ops {
		if g.chain[v] >= 0 && wait[v] == 0 {
			order = append(order, parse.OpID(v))
		}
	}
	for i := 0; i < len(order); i++ {
		if i%contextInterval == 0 && ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		v := order[i]
		row := g.row(v)
		if clocks {
			row[g.chain[v]] = g.pos[v]
		}
		g.hops(v, func(e hop) bool {
			if clocks {
				join(g.row(e.to), row)
			}
			if wait[e.to]--; wait[e.to] == 0 {
				order = append(order, e.to)
			}
			return true
		})
	}
	if len(order) < g.nodes {
		return nil, g.proof(kind).refuteCycle(), nil
	}
	return order, nil, nil
}
