package saturate

import "ordeal/check/witness"

// inferredEdge is an edge that a rule produced or a caller assumed, in one
// word: its target, the previous inferred edge of the same source, and its
// reason. The target determines the third operation of the rule or vice versa:
//
//   - rule A derives u → rf(r) from a read r: the edge names r;
//   - rule B derives r → w, and what r reads from is the third.
//
// Its index in Graph.inferred is its serial number: the premise of a rule uses
// edges with smaller numbers only.
type inferredEdge uint64

// reason is why an inferred edge holds.
type reason uint8

const (
	byRuleA   reason = iota
	byRuleB          // also with the initial write, which needs no premise
	byCaller         // assumed
	byPath           // a path through other locations leads from a write to another
	reasonBit = 62
	nextBit   = 31
	fieldMask = 1<<nextBit - 1
)

// edge packs an edge. next is the serial number of the source's previous
// inferred edge, -1 for none.
func edge(names Node, next int32, why reason) inferredEdge {
	return inferredEdge(why)<<reasonBit | inferredEdge(next+1)<<nextBit | inferredEdge(names)
}

func (e inferredEdge) next() int32    { return int32(e>>nextBit&fieldMask) - 1 }
func (e inferredEdge) reason() reason { return reason(e >> reasonBit) }

// names is the target, or for rule A the read that the target is read by.
func (e inferredEdge) names() Node { return Node(e & fieldMask) }

func (g *Graph) target(e inferredEdge) Node {
	if e.reason() == byRuleA {
		return Node(g.rf[e.names()])
	}
	return e.names()
}

// rule is the rule and the third operation of an inferred edge from u: a read
// for DerivedA, a writer for DerivedB, else NoNode.
func (g *Graph) rule(u Node, e inferredEdge) (witness.Rule, Node) {
	switch {
	case e.reason() == byRuleA:
		return witness.DerivedA, e.names()
	case e.reason() == byCaller:
		return witness.Assumed, NoNode
	case e.reason() == byPath:
		panic("saturate: a path is no rule")
	case g.isInit(g.rf[u]):
		return witness.FromRead, NoNode
	default:
		return witness.DerivedB, Node(g.rf[u])
	}
}

// link adds an inferred edge out of u and returns its reference.
func (g *Graph) link(u, names Node, why reason) edgeRef {
	id := int32(g.inferred.count)
	e := edge(names, g.head[u], why)
	g.inferred.push(e)
	g.head[u] = id
	if why == byPath {
		g.paths++
	}
	if g.trail != nil {
		g.trail.sources = append(g.trail.sources, u)
	}
	return edgeRef{from: u, to: g.target(e), static: -1, inferred: id}
}

// Inferred is the number of edges that rules or callers added so far.
func (g *Graph) Inferred() int { return g.inferred.count - g.paths }

// EachInferred calls f for each of these edges, source by source, with its
// number in the order of inference, its ends, rule and third operation. via is
// a read for DerivedA, the writer for DerivedB, else NoNode.
func (g *Graph) EachInferred(f func(i int, from, to Node, rule witness.Rule, via Node)) {
	number := g.inferred.numbers(g.paths)
	for u := range Node(g.n) {
		for i := g.head[u]; i >= 0; {
			e := g.inferred.at(i)
			if e.reason() != byPath {
				rule, via := g.rule(u, e)
				f(number(i), u, g.target(e), rule, via)
			}
			i = e.next()
		}
	}
}

// numbers returns the function from the index of an edge to its number among
// those that are no paths, given how many are.
func (l *edgeLog) numbers(paths int) func(int32) int {
	if paths == 0 {
		return func(i int32) int { return int(i) }
	}
	number := make([]int32, 0, l.count)
	next := int32(0)
	for _, block := range l.blocks {
		for _, e := range block {
			number = append(number, next)
			if e.reason() != byPath {
				next++
			}
		}
	}
	return func(i int32) int { return int(number[i]) }
}

const (
	blockBits  = 13
	blockEdges = 1 << blockBits // edges in a block of an edgeLog
)

// edgeLog is a list of edges in blocks, which it need not copy to grow.
type edgeLog struct {
	blocks [][]inferredEdge // all but the last are full
	count  int
}

func (l *edgeLog) at(i int32) inferredEdge {
	return l.blocks[i>>blockBits][i&(blockEdges-1)]
}

func (l *edgeLog) push(e inferredEdge) {
	last := l.count >> blockBits
	switch {
	case last < len(l.blocks):
	case last == 0:
		l.blocks = append(l.blocks, nil)
	default:
		l.blocks = append(l.blocks, make([]inferredEdge, 0, blockEdges))
	}
	l.blocks[last] = append(l.blocks[last], e)
	l.count++
}

func (l *edgeLog) truncate(n int) {
	for i := n >> blockBits; i < len(l.blocks); i++ {
		keep := max(n-i<<blockBits, 0)
		l.blocks[i] = l.blocks[i][:min(keep, len(l.blocks[i]))]
	}
	l.count = n
}
