// Package enum decides a history by enumerating the store orders that extend
// a partial one: Algorithms 1 and 2 of Zennou et al., CAV 2019.
package enum

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/check/procedures"
	"ordeal/check/procedures/precedence"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// The procedures differ in the partial order they start from: the closure of
// saturation (Procedure, and WSC by the name of the wSC paper), or that of CCM
// and wCCM (CCM, for SC and TSO). All are complete, and exponential in the pairs
// of writes left. They prove Forbidden by the tree of their case splits, unless
// it exceeds treeLimit.
var (
	Procedure = procedure("enum", "extensions of the saturated store order, by backtracking", procedures.InferBySaturation, search.Total)
	WSC       = procedure("wsc+enum", "the same as enum", procedures.InferBySaturation, search.Total)
	CCM       = procedure("ccm+enum", "extensions of the store order of CCM or wCCM (CAV 2019)", procedures.InferByCriterion,
		search.Only(model.SC, model.TSO))
)

// treeLimit bounds the nodes of a refutation.
const treeLimit = 100_000

func procedure(name, summary string, infer procedures.Inference, supports func(model.Model) bool) search.Procedure {
	return procedures.Searching(search.Procedure{Name: name, Summary: summary, Complete: true, Supports: supports}, infer, find)
}

func find(ctx context.Context, g *precedence.Graph, limits search.Limits, v *witness.Verdict) ([]parse.OpID, error) {
	if err := limits.Check(g.MatrixBytes()); err != nil {
		return nil, err
	}
	e := newEnumeration(g)
	node, found := e.run(ctx)
	v.Stats.Backtracks = e.leaves
	switch {
	case e.err != nil:
		return nil, e.err
	case found:
		g.AddPushed()
		order, _ := g.Order()
		return order, nil
	case node != nil:
		v.Refutation = &witness.Refutation{Lemmas: e.proof.Lemmas, Root: node}
	}
	return nil, nil
}

// pair is two writes to one location whose order is open.
type pair struct{ a, b precedence.Node }

// enumeration is the state of the search. The arcs that it adds to the graph are
// pushed ones.
type enumeration struct {
	err     error
	g       *precedence.Graph
	rank    []int32
	readers [][]precedence.Node // write → its readers
	pairs   []pair
	serial  int32
	proof   *precedence.Proof
	leaves  int
	nodes   int
}

func newEnumeration(g *precedence.Graph) *enumeration {
	e := &enumeration{g: g, rank: g.Rank(), readers: make([][]precedence.Node, g.Nodes), proof: g.NewProof()}
	for _, a := range g.Arcs() {
		e.serial = max(e.serial, a.Label.Serial)
	}
	h := g.History
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			e.readers[op.RF] = append(e.readers[op.RF], precedence.Node(i))
		}
	}
	for _, ws := range h.Writes(nil) {
		slices.SortFunc(ws, func(a, b parse.OpID) int { return int(e.rank[a] - e.rank[b]) })
		for i, b := range ws {
			for _, a := range ws[:i] {
				e.pairs = append(e.pairs, pair{precedence.Node(a), precedence.Node(b)})
			}
		}
	}
	// Decide in the order in which a greedy execution would meet the pairs.
	slices.SortStableFunc(e.pairs, func(p, q pair) int { return int(e.rank[p.b] - e.rank[q.b]) })
	return e
}

// run fixes what follows from the base and enumerates the rest. A nil node
// that is not found means that the tree grew too big.
func (e *enumeration) run(ctx context.Context) (node *witness.Node, found bool) {
	// Pairs that the base orders need no case, but their readers may need
	// arcs, unless the base is closed under rule B.
	reach := e.g.Matrix()
	open := e.pairs[:0]
	for _, p := range e.pairs {
		if !reach.Has(p.a, p.b) { // a comes first topologically
			open = append(open, p)
			continue
		}
		for _, r := range e.readers[p.a] {
			if r != p.b && !reach.Has(r, p.b) {
				if cycle := e.add(r, p.b, witness.DerivedB, parse.OpID(p.a)); cycle != nil {
					return e.leaf(cycle), false
				}
			}
		}
	}
	e.pairs = open
	return e.decide(ctx, 0)
}

// decide enumerates the orders of the pairs from i on. It returns the case
// splits that refute them all, or found with the arcs of one that holds.
func (e *enumeration) decide(ctx context.Context, i int) (node *witness.Node, found bool) {
	for ; i < len(e.pairs); i++ {
		if e.nodes++; e.nodes%64 == 0 && e.err == nil {
			e.err = ctx.Err()
		}
		if e.err != nil {
			return nil, false
		}
		p := e.pairs[i]
		forward, backward := e.g.Path(p.a, p.b, nil) != nil, e.g.Path(p.b, p.a, nil) != nil
		switch {
		case forward:
			if cycle := e.before(p.a, p.b, false); cycle != nil {
				return e.leaf(cycle), false
			}
		case backward:
			if cycle := e.before(p.b, p.a, false); cycle != nil {
				return e.leaf(cycle), false
			}
		default:
			return e.split(ctx, i, p)
		}
	}
	return nil, true
}

func (e *enumeration) split(ctx context.Context, i int, p pair) (node *witness.Node, found bool) {
	node = &witness.Node{From: parse.OpID(p.a), To: parse.OpID(p.b)}
	first, found := e.assume(ctx, i, p.a, p.b)
	if found || e.err != nil {
		return nil, found
	}
	second, found := e.assume(ctx, i, p.b, p.a)
	if found || e.err != nil || first == nil || second == nil {
		return nil, found
	}
	node.First, node.Second = first, second
	return node, false
}

func (e *enumeration) assume(ctx context.Context, i int, a, b precedence.Node) (node *witness.Node, found bool) {
	pushed := e.g.Pushed()
	if cycle := e.before(a, b, true); cycle != nil {
		node = e.leaf(cycle)
	} else if node, found = e.decide(ctx, i+1); found {
		return nil, true
	}
	e.g.Pop(pushed)
	return node, false
}

// leaf makes the leaf of a cycle, or nil if the tree is too big already.
func (e *enumeration) leaf(cycle []precedence.Arc) *witness.Node {
	if e.leaves++; e.leaves > treeLimit {
		return nil
	}
	return &witness.Node{Cycle: e.proof.Edges(cycle)}
}

// before orders write a before write b: by an arc if that is assumed, and by
// arcs from a's readers to b. It returns a cycle that this closes, or nil.
func (e *enumeration) before(a, b precedence.Node, assumed bool) []precedence.Arc {
	if assumed {
		if cycle := e.add(a, b, witness.Assumed, parse.NoOp); cycle != nil {
			return cycle
		}
	}
	for _, r := range e.readers[a] {
		if r == b {
			continue
		}
		if cycle := e.add(r, b, witness.DerivedB, parse.OpID(a)); cycle != nil {
			return cycle
		}
	}
	return nil
}

// add adds an arc and returns the cycle it closes, or nil.
func (e *enumeration) add(from, to precedence.Node, rule witness.Rule, via parse.OpID) []precedence.Arc {
	back := e.g.Path(to, from, nil)
	e.serial++
	a := precedence.Arc{From: from, To: to, Label: precedence.Reason{Rule: rule, Via: via, Serial: e.serial}}
	e.g.Push(a)
	if back == nil {
		return nil
	}
	return append(back, a)
}
