// Package enum decides a history by enumerating the store orders that extend
// a partial one: Algorithms 1 and 2 of Zennou et al., CAV 2019.
package enum

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/base"
	"ordeal/check/search/precedence"
	"ordeal/check/witness"
	"ordeal/parse"
)

// The procedures differ in the partial order they start from: the closure of
// saturation (Procedure, and WSC by the name of the wSC paper), or CCM's and
// wCCM's (CCM, for SC and TSO). All are complete, and exponential in the pairs
// of writes left. They prove Forbidden by the tree of their case splits, unless
// it exceeds treeLimit: then see base.Exhausted.
var (
	Procedure = procedure("enum", "extensions of the saturated store order, by backtracking", base.Saturation, search.ClaimsTotal)
	WSC       = procedure("wsc+enum", "the same as enum", base.Saturation, search.ClaimsTotal)
	CCM       = procedure("ccm+enum", "extensions of the store order of CCM or wCCM (CAV 2019)", base.Causal,
		search.ClaimsNames(model.SC.Name, model.TSO.Name))
)

// treeLimit bounds the nodes of a refutation.
const treeLimit = 100_000

func procedure(name, summary string, closure base.Closure, claims func(model.Model) bool) search.Procedure {
	return search.Procedure{
		Name: name, Summary: summary, Complete: true, Claims: claims,
		Run: func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits) (witness.Verdict, error) {
			g, v, err := base.Graph(ctx, closure, h, m, name)
			if g == nil {
				return v, err
			}
			if need := g.ReachBytes(); limits.MemoryBytes > 0 && need > limits.MemoryBytes {
				return search.OverMemory(m, name, need, limits.MemoryBytes), nil
			}
			e := newEnumeration(ctx, g)
			node, found := e.run()
			v.Stats.Backtracks = e.leaves
			switch {
			case e.err != nil:
				return search.Interrupted(e.err, m, name)
			case found:
				v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: e.order()}
				return v, nil
			case node == nil:
				return base.Exhausted(ctx, h, m, limits, v)
			}
			v.Answer = witness.Forbidden
			v.Refutation = &witness.Refutation{Lemmas: e.proof.Lemmas, Root: node}
			return v, nil
		},
	}
}

// pair is two writes to one location whose order is open.
type pair struct{ a, b precedence.Node }

// enumeration is the state of the search: the arcs added so far.
type enumeration struct {
	ctx     context.Context
	err     error
	g       *precedence.Graph
	rank    []int32
	readers [][]precedence.Node // write → its readers
	pairs   []pair
	more    [][]precedence.Arc // node → arcs added
	added   []precedence.Node  // their sources, in order
	serial  int32
	proof   *precedence.Proof
	leaves  int
	nodes   int
	// marks for path
	came  []precedence.Arc
	seen  []int32
	epoch int32
	queue []precedence.Node
}

func newEnumeration(ctx context.Context, g *precedence.Graph) *enumeration {
	e := &enumeration{
		ctx: ctx, g: g, rank: g.Rank(), readers: make([][]precedence.Node, g.Nodes()),
		more: make([][]precedence.Arc, g.Nodes()), proof: g.NewProof(),
		came: make([]precedence.Arc, g.Nodes()), seen: make([]int32, g.Nodes()),
	}
	e.proof.Search = e.path
	for v := range precedence.Node(g.Nodes()) {
		for _, a := range g.Out(v) {
			e.serial = max(e.serial, a.Serial)
		}
	}
	h := g.History
	writes := make([][]precedence.Node, len(h.Locations))
	for i := range h.Ops {
		op := &h.Ops[i]
		if op.Writes() {
			writes[op.Loc] = append(writes[op.Loc], precedence.Node(i))
		}
		if op.Reads() && op.RF != parse.Init {
			e.readers[op.RF] = append(e.readers[op.RF], precedence.Node(i))
		}
	}
	for _, ws := range writes {
		slices.SortFunc(ws, func(a, b precedence.Node) int { return int(e.rank[a] - e.rank[b]) })
		for i, b := range ws {
			for _, a := range ws[:i] {
				e.pairs = append(e.pairs, pair{a, b})
			}
		}
	}
	// Decide in the order in which a greedy execution would meet the pairs.
	slices.SortStableFunc(e.pairs, func(p, q pair) int { return int(e.rank[p.b] - e.rank[q.b]) })
	return e
}

// run fixes what follows from the base and enumerates the rest. A nil node
// that is not found means that the tree grew too big.
func (e *enumeration) run() (node *witness.Node, found bool) {
	// Pairs that the base orders need no case, but their readers may need
	// arcs, unless the base is closed under rule B.
	reach := e.g.Reach()
	open := e.pairs[:0]
	for _, p := range e.pairs {
		if !reach.Has(p.a, p.b) { // a comes first topologically
			open = append(open, p)
			continue
		}
		for _, r := range e.readers[p.a] {
			if r != p.b && !reach.Has(r, p.b) {
				if cycle := e.add(precedence.Arc{From: r, To: p.b, Rule: witness.DerivedB, Via: parse.OpID(p.a)}); cycle != nil {
					return e.leaf(cycle), false
				}
			}
		}
	}
	e.pairs = open
	return e.decide(0)
}

// decide enumerates the orders of the pairs from i on. It returns the case
// splits that refute them all, or found with the arcs of one that holds.
func (e *enumeration) decide(i int) (node *witness.Node, found bool) {
	for ; i < len(e.pairs); i++ {
		if e.nodes++; e.nodes%64 == 0 && e.err == nil {
			e.err = e.ctx.Err()
		}
		if e.err != nil {
			return nil, false
		}
		p := e.pairs[i]
		forward, backward := e.path(p.a, p.b, nil) != nil, e.path(p.b, p.a, nil) != nil
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
			return e.split(i, p)
		}
	}
	return nil, true
}

// split tries both orders of a pair.
func (e *enumeration) split(i int, p pair) (node *witness.Node, found bool) {
	node = &witness.Node{From: parse.OpID(p.a), To: parse.OpID(p.b)}
	first, found := e.assume(i, p.a, p.b)
	if found || e.err != nil {
		return nil, found
	}
	second, found := e.assume(i, p.b, p.a)
	if found || e.err != nil || first == nil || second == nil {
		return nil, found
	}
	node.First, node.Second = first, second
	return node, false
}

func (e *enumeration) assume(i int, a, b precedence.Node) (node *witness.Node, found bool) {
	mark := len(e.added)
	if cycle := e.before(a, b, true); cycle != nil {
		node = e.leaf(cycle)
	} else if node, found = e.decide(i + 1); found {
		return nil, true
	}
	for len(e.added) > mark {
		v := e.added[len(e.added)-1]
		e.added = e.added[:len(e.added)-1]
		e.more[v] = e.more[v][:len(e.more[v])-1]
	}
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
		if cycle := e.add(precedence.Arc{From: a, To: b, Rule: witness.Assumed, Via: parse.NoOp}); cycle != nil {
			return cycle
		}
	}
	for _, r := range e.readers[a] {
		if r == b {
			continue
		}
		if cycle := e.add(precedence.Arc{From: r, To: b, Rule: witness.DerivedB, Via: parse.OpID(a)}); cycle != nil {
			return cycle
		}
	}
	return nil
}

// add adds an arc and returns the cycle it closes, or nil.
func (e *enumeration) add(a precedence.Arc) []precedence.Arc {
	back := e.path(a.To, a.From, nil)
	e.serial++
	a.Serial = e.serial
	e.more[a.From] = append(e.more[a.From], a)
	e.added = append(e.added, a.From)
	if back == nil {
		return nil
	}
	return append(back, a)
}

// path is precedence.Graph.Path with the arcs added.
func (e *enumeration) path(u, v precedence.Node, use func(precedence.Arc) bool) []precedence.Arc {
	e.epoch++
	e.queue = append(e.queue[:0], u)
	for i := 0; i < len(e.queue) && e.seen[v] != e.epoch; i++ {
		from := e.queue[i]
		for _, arcs := range [2][]precedence.Arc{e.g.Out(from), e.more[from]} {
			for _, a := range arcs {
				if e.seen[a.To] != e.epoch && (use == nil || use(a)) {
					e.seen[a.To], e.came[a.To] = e.epoch, a
					e.queue = append(e.queue, a.To)
				}
			}
		}
	}
	if e.seen[v] != e.epoch {
		return nil
	}
	path := []precedence.Arc{e.came[v]}
	for path[len(path)-1].From != u {
		path = append(path, e.came[path[len(path)-1].From])
	}
	slices.Reverse(path)
	return path
}

// order is a memory order for the store order found.
func (e *enumeration) order() []parse.OpID {
	var arcs []precedence.Arc
	for _, more := range e.more {
		arcs = append(arcs, more...)
	}
	order, _ := e.g.With(arcs).Sort()
	return order
}
