package papers

import (
	"context"

	"ordeal/check/model"
	"ordeal/check/procedures/precedence"
	"ordeal/parse"
)

// naive is the analysis of TSOtool before vector clocks (Hangal et al., ISCA
// 2004; Manovit and Hangal, SPAA 2005, Fig. 1), the baseline of the paper's
// first claim: it applies rules R6 and R7 by tracing the whole graph backward
// from each load and forward from each store, until no edge is added. An edge
// that the graph implies already is not added. Its static edges are those of
// the procedures "vc" and "tsotool".
type naive struct {
	g       *precedence.Graph
	readers [][]parse.OpID
	next    [][]precedence.Node // by node, what follows it
	back    [][]precedence.Node // by node, what it follows
	added   []precedence.Arc    // by R6 and R7
	marks   [2][]int32          // by trace
	epoch   int32
	queue   []precedence.Node
}

// refutes reports whether rules R1 to R7 lead to a cycle.
func refutes(ctx context.Context, h *parse.History) (bool, error) {
	g := precedence.New(h, model.TSO)
	if g.Contradiction != nil {
		return true, nil
	}
	n := &naive{
		g: g, readers: make([][]parse.OpID, len(h.Ops)),
		next: make([][]precedence.Node, g.Nodes), back: make([][]precedence.Node, g.Nodes),
		marks: [2][]int32{make([]int32, g.Nodes), make([]int32, g.Nodes)},
	}
	for v := range precedence.Node(g.Nodes) {
		for _, a := range g.Out(v) {
			n.edge(v, a.To)
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			n.readers[op.RF] = append(n.readers[op.RF], parse.OpID(i))
		}
	}
	for changed := true; changed; {
		changed = false
		for i := range h.Ops {
			if i%256 == 0 && ctx.Err() != nil {
				return false, ctx.Err()
			}
			id, op := parse.OpID(i), &h.Ops[i]
			if op.Reads() && op.RF != parse.Init { // static edges take care of those
				changed = n.rule6(id, op) || changed
			}
			if op.Writes() {
				changed = n.rule7(id, op) || changed
			}
		}
	}
	return len(g.With(n.added).Sort()) < g.Nodes, nil // cyclic
}

func (n *naive) edge(from, to precedence.Node) {
	n.next[from] = append(n.next[from], to)
	n.back[to] = append(n.back[to], from)
}

func (n *naive) add(from, to parse.OpID) {
	n.edge(precedence.Node(from), precedence.Node(to))
	n.added = append(n.added, precedence.Arc{From: precedence.Node(from), To: precedence.Node(to)})
}

// trace marks the nodes that v leads to by edges: next or back.
func (n *naive) trace(v precedence.Node, edges [][]precedence.Node, mark []int32) {
	n.epoch++
	n.queue = append(n.queue[:0], v)
	for i := 0; i < len(n.queue); i++ {
		for _, to := range edges[n.queue[i]] {
			if mark[to] != n.epoch {
				mark[to] = n.epoch
				n.queue = append(n.queue, to)
			}
		}
	}
}

// same lists the stores to op's location that the last trace marked, but not
// id and not but.
func (n *naive) same(op *parse.Op, id, but parse.OpID) []parse.OpID {
	var list []parse.OpID
	for _, v := range n.queue[1:] {
		if !n.g.IsAccess(v) {
			continue
		}
		o, s := &n.g.History.Ops[v], parse.OpID(v)
		if o.Writes() && o.Loc == op.Loc && s != but && s != id {
			list = append(list, s)
		}
	}
	return list
}

// rule6: a store before a load of another one's value precedes that.
func (n *naive) rule6(id parse.OpID, op *parse.Op) (changed bool) {
	n.trace(precedence.Node(id), n.back, n.marks[0])
	before := n.same(op, id, op.RF)
	n.trace(precedence.Node(op.RF), n.back, n.marks[1])
	for _, s := range before {
		if n.marks[1][s] != n.epoch {
			n.add(s, op.RF)
			changed = true
		}
	}
	return changed
}

// rule7: all loads of a store's value precede the stores after it.
func (n *naive) rule7(id parse.OpID, op *parse.Op) (changed bool) {
	if len(n.readers[id]) == 0 {
		return false
	}
	n.trace(precedence.Node(id), n.next, n.marks[0])
	after := n.same(op, id, parse.NoOp)
	for _, l := range n.readers[id] {
		n.trace(precedence.Node(l), n.next, n.marks[1])
		for _, s := range after {
			if s != l && n.marks[1][s] != n.epoch {
				n.add(l, s)
				changed = true
			}
		}
	}
	return changed
}
