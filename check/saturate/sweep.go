package saturate

import (
	"context"
	"slices"
)

// pollEvery is how many nodes are processed between looks at the context.
const pollEvery = 256

// Saturate closes the graph under rules A and B. It returns false when the
// edges contradict each other, so that the model forbids the history (see
// Refute); an error only when ctx is done. It must be called once, before any
// Assume.
//
// It is a topological sweep: a node is processed when all its known
// predecessors are. Its clock row is then final unless rule A adds an edge to a
// processed node, whose changed components the repair queue propagates. A write
// whose rule B has a reader not yet processed waits for it.
func (g *Graph) Saturate(ctx context.Context) (bool, error) {
	if g.conflict.found {
		return false, nil
	}
	g.inStart, g.inFrom = nil, nil // a search on the static graph may have made them
	g.collectGates()
	g.initRows()
	g.order = make([]int32, g.n)
	g.initCursors()
	g.initQueue()
	g.CountPredecessors(g.wait)
	s := sweep{g: g}
	for v := range Node(g.n) {
		if g.wait[v] == 0 {
			s.ready(v)
		}
	}
	for done := 0; ; {
		v, ok := s.pop()
		if !ok {
			if done < g.n {
				g.failBlocked()
				return false, nil
			}
			break
		}
		waiting, ok := s.process(v)
		if !ok {
			return false, nil
		}
		if waiting {
			continue
		}
		if done++; done%pollEvery == 0 && ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
	}
	g.wait, g.cursors = nil, cursors{}
	return true, nil
}

// sweep holds the nodes whose predecessors are all processed.
type sweep struct {
	g       *Graph
	reads   []Node // a stack: reads and fences go first
	writes  []Node // a queue
	first   int    // of writes
	counter int32
}

func (s *sweep) ready(v Node) {
	if s.g.kind[v]&bitWrite != 0 {
		s.writes = append(s.writes, v)
	} else {
		s.reads = append(s.reads, v)
	}
}

func (s *sweep) pop() (Node, bool) {
	if n := len(s.reads); n > 0 {
		v := s.reads[n-1]
		s.reads = s.reads[:n-1]
		return v, true
	}
	if s.first == len(s.writes) {
		return NoNode, false
	}
	v := s.writes[s.first]
	s.first++
	if s.first > 1024 && s.first*2 > len(s.writes) {
		s.writes = append(s.writes[:0], s.writes[s.first:]...)
		s.first = 0
	}
	return v, true
}

// process processes one ready node. It reports waiting if rule B found a reader
// that must come first, and ok false on a contradiction.
func (s *sweep) process(v Node) (waiting, ok bool) {
	g := s.g
	for _, c := range [...]int32{g.entry[v], g.component(v, v)} {
		if c >= 0 {
			g.put(v, c, g.pos(v))
		}
	}
	if g.kind[v]&bitWrite != 0 {
		if !g.firstB(v) {
			return false, false
		}
		if g.wait[v] > 0 {
			return true, true
		}
	}
	s.counter++
	g.order[v] = s.counter
	if g.kind[v]&bitRead != 0 && !g.firstA(v, g.row(v)) {
		return false, false
	}
	if !s.push(v) {
		return false, false
	}
	return false, g.repair()
}

// push joins the row of a node just processed into its successors.
func (s *sweep) push(v Node) bool {
	g := s.g
	if t := g.After(v); t != g.End() {
		s.arrive(v, t)
	}
	for i := g.outStart[v]; i < g.outStart[v+1]; i++ {
		t := g.outTo[i]
		if c := g.component(t, v); c >= 0 && g.cell(v, c) >= g.pos(t) {
			return g.fail(edgeRef{from: v, to: t, static: i, inferred: -1})
		}
		s.arrive(v, t)
	}
	for i := g.head[v]; i >= 0; {
		e := g.inferred.at(i)
		t := g.target(e)
		if c := g.component(t, v); c >= 0 && g.cell(v, c) >= g.pos(t) {
			return g.fail(edgeRef{from: v, to: t, static: -1, inferred: i})
		}
		s.arrive(v, t)
		i = e.next()
	}
	return true
}

func (s *sweep) arrive(v, t Node) {
	g := s.g
	if g.order[t] != 0 {
		g.joinAll(v, t)
		return
	}
	g.joinRow(v, t)
	if g.wait[t]--; g.wait[t] == 0 {
		s.ready(t)
	}
}

// failBlocked finds a cycle among the nodes that the sweep could not reach. The
// first of them in each chain waits for a node of another chain, and so for the
// first one there.
func (g *Graph) failBlocked() {
	head := make([]Node, g.chains) // chain → its first node not processed
	for c := range head {
		v := g.First(int32(c))
		for v != g.End() && g.order[v] != 0 {
			v = g.After(v)
		}
		head[c] = v
	}
	into := make([]edgeRef, g.chains) // chain → an edge into its head
	last := int32(0)
	for c, first := range head {
		for u := first; u != g.End(); u = g.After(u) {
			last = int32(c)
			for i := g.outStart[u]; i < g.outStart[u+1]; i++ {
				if t := g.outTo[i]; t == head[g.chain[t]] {
					into[g.chain[t]] = edgeRef{from: u, to: t, static: i, inferred: -1}
				}
			}
			g.crossingInferred(u, func(ref edgeRef) {
				if d := g.chain[ref.to]; ref.to == head[d] {
					into[d] = ref
				}
			})
		}
	}
	seen := make([]bool, g.chains)
	for !seen[last] {
		seen[last] = true
		last = g.chain[into[last].from]
	}
	g.fail(into[last])
	g.conflict.detour = g.walkBack(into, head, last)
}

// walkBack is the path from the head of a chain to where the edge into it
// comes from, by way of the heads of other chains.
func (g *Graph) walkBack(into []edgeRef, head []Node, chain int32) []edgeRef {
	var path []edgeRef
	for at := into[chain].from; ; {
		c := g.chain[at]
		if head[c] != at {
			path = append(path, edgeRef{from: head[c], to: at, static: -1, inferred: -1})
		}
		if c == chain {
			slices.Reverse(path)
			return path
		}
		path = append(path, into[c])
		at = into[c].from
	}
}

// crossingInferred calls f for every inferred edge out of u except the one to the next of its
// chain.
func (g *Graph) crossingInferred(u Node, f func(edgeRef)) {
	for i := g.head[u]; i >= 0; {
		e := g.inferred.at(i)
		f(edgeRef{from: u, to: g.target(e), static: -1, inferred: i})
		i = e.next()
	}
}
