// Package precedence builds, as a plain graph, what a model with a global
// memory order says without inference about the order of a history's
// operations: preserved program order, fences, dependencies, external
// reads-from and coherence within threads. The procedures that search without
// saturation, or with all store orders known, add arcs to it that follow from
// an order of two writes.
package precedence

import (
	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Node is a vertex: an operation by its number or, from len(Ops) on, one
// component of a fence.
type Node = int32

// Reason says why an arc holds, by Rule and Via as in witness.Edge.
type Reason struct {
	Rule witness.Rule
	Via  parse.OpID
	// Serial numbers derived and assumed arcs in the order of derivation,
	// from 1. The premise of a derived arc uses arcs with smaller numbers.
	Serial int32
}

// Arc says that From precedes To in every global memory order that the model
// allows.
type Arc = closure.Arc[Reason]

// Graph is the arcs of one history under one model.
type Graph struct {
	*closure.Graph[Reason]
	History *parse.History
	Model   model.Model
	// Contradiction is a cycle of edges that needs no search, or nil.
	Contradiction []witness.Edge

	fence []parse.OpID // node - len(Ops) → its fence
}

// New builds the graph in time linear in its arcs: a few for each operation,
// but for reads of an initial write one for each thread. Where the history
// includes its store order, each write precedes the next of its location and
// each read the write after the one it returned (A6 and A7 of Manovit and
// Hangal, SPAA 2005).
func New(h *parse.History, m model.Model) *Graph {
	g := &Graph{Graph: &closure.Graph[Reason]{Nodes: len(h.Ops)}, History: h, Model: m}
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
			g.Contradiction = saturate.ThinAir(h)
		}
	}
	b.final()
	if h.StoreOrder != nil {
		b.storeOrder()
	} else {
		b.initial()
	}
	return g
}

// IsAccess reports whether v is an operation other than a fence.
func (g *Graph) IsAccess(v Node) bool {
	return int(v) < len(g.History.Ops) && g.History.Ops[v].Kind != parse.Fence
}

// With returns the graph with more arcs.
func (g *Graph) With(more []Arc) *Graph {
	out := *g
	out.Graph = g.Graph.With(more)
	return &out
}

func (g *Graph) add(from, to Node, rule witness.Rule, via parse.OpID) {
	g.Add(from, to, Reason{Rule: rule, Via: via})
}

// Order returns the accesses in a topological order, or a refutation by a cycle.
func (g *Graph) Order() ([]parse.OpID, *witness.Refutation) {
	if g.Contradiction != nil {
		return nil, &witness.Refutation{Root: &witness.Node{Cycle: g.Contradiction}}
	}
	order := g.Sort()
	if len(order) < g.Nodes {
		return nil, g.NewProof().Refute(g.Cycle())
	}
	return g.accesses(order), nil
}

func (g *Graph) accesses(nodes []Node) []parse.OpID {
	ops := make([]parse.OpID, 0, len(nodes))
	for _, v := range nodes {
		if g.IsAccess(v) {
			ops = append(ops, parse.OpID(v))
		}
	}
	return ops
}

// Rank gives each node of a graph without cycles its position in a topological
// order.
func (g *Graph) Rank() []int32 {
	rank := make([]int32, g.Nodes)
	for i, v := range g.Sort() {
		rank[v] = int32(i)
	}
	return rank
}
