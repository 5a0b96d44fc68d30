package search

import (
	"math"
	"slices"

	"ordeal/check/saturate"
)

// learnCycles learns from cycles among what the saturated graph says and what
// follows from each proposed literal alone. A cycle shows that the literals
// with a part in it do not all hold. That is cheap, as nothing is closed under
// the rules, and leads to short clauses; but a proposal without cycle may
// still be contradictory.
func (s *splitter) learnCycles() bool {
	if s.cycles == nil {
		if len(s.pairs) == 0 {
			return false
		}
		s.retract(0)
		s.cycles = newCycleFinder(s.g)
	}
	f := s.cycles
	f.reset()
	for i := range s.pairs {
		f.add(s.implied[s.value(literal(i))])
	}
	found := f.find()
	for _, lits := range found {
		s.learn(lits, nil)
	}
	return len(found) > 0
}

// cycleFinder finds cycles among the edges of a saturated graph, which has
// none, and consequences of literals.
type cycleFinder struct {
	g *saturate.Graph
	// Edges of the graph, in the manner of saturate.Graph.
	start []int32
	to    []saturate.Node
	// Consequences, in lists by source.
	force []consequence
	next  []int32 // consequence → the one before it in its list, or -1
	head  []int32 // node → last consequence of its list, or -1

	// Strongly connected components, found by the algorithm of Tarjan (SIAM
	// J. Comput. 1972).
	index   []int32 // node → its number in the order of the search, from 1
	low     []int32
	comp    []int32 // node → its component; 0 where it is alone in it
	open    []saturate.Node
	frames  []frame
	visited int

	// Search for one cycle.
	dist   []int32 // node → consequences on the way to it, 0 if not reached
	parent []int32 // node → the consequence that led to it, or ^ the node
	near   []saturate.Node
}

// frame is a node whose successors the search has under way.
type frame struct {
	v           saturate.Node
	edge, force int32 // the next ones to follow
}

// newCycleFinder copies the edges of a graph.
func newCycleFinder(g *saturate.Graph) *cycleFinder {
	n := g.Nodes()
	f := &cycleFinder{g: g, start: make([]int32, n+1), head: make([]int32, n)}
	for _, a := range []*[]int32{&f.index, &f.low, &f.comp, &f.dist, &f.parent} {
		*a = make([]int32, n)
	}
	for v := range saturate.Node(n) {
		g.Successors(v, func(t saturate.Node) bool {
			f.to = append(f.to, t)
			return true
		})
		f.start[v+1] = int32(len(f.to))
		f.head[v] = -1
	}
	return f
}

// reset drops all consequences.
func (f *cycleFinder) reset() {
	for i := range f.force {
		f.head[f.force[i].from] = -1
	}
	f.force, f.next = f.force[:0], f.next[:0]
}

func (f *cycleFinder) add(list []consequence) {
	for _, c := range list {
		f.next = append(f.next, f.head[c.from])
		f.head[c.from] = int32(len(f.force))
		f.force = append(f.force, c)
	}
}

// find lists the literals of cycles, each sorted. It takes one consequence
// after the other that is on a cycle, but on none found so far, and finds a
// shortest cycle through it; of these it keeps those with the fewest
// consequences. It ends when that has taken a few times the work of finding
// out what is on a cycle; there is one cycle in any case if it finds any.
func (f *cycleFinder) find() [][]literal {
	f.components()
	done := make([]bool, len(f.force)) // on a cycle already found
	limit := int32(math.MaxInt32)
	budget := 8 * f.visited
	var found [][]literal
	for i := range f.force {
		c := &f.force[i]
		if done[i] || f.comp[c.from] == 0 || f.comp[c.from] != f.comp[c.to] {
			continue
		}
		if budget < 0 {
			break
		}
		cycle := f.shortest(int32(i), limit, &budget)
		if cycle == nil {
			continue
		}
		if n := int32(len(cycle)); n < limit {
			limit = n
			found = found[:0]
		}
		var lits []literal
		for _, k := range cycle {
			done[k] = true
			lits = append(lits, f.force[k].lit)
		}
		slices.Sort(lits)
		found = append(found, slices.Compact(lits))
	}
	slices.SortFunc(found, slices.Compare)
	return slices.CompactFunc(found, slices.Equal)
}

// shortest finds a cycle through a consequence with the fewest of them, but no
// more than limit, as a list of these. It is breadth-first over consequences.
func (f *cycleFinder) shortest(first, limit int32, budget *int) []int32 {
	src, dst := f.force[first].to, f.force[first].from
	comp := f.comp[src]
	reach := func(v saturate.Node, dist, parent int32) {
		if f.dist[v] == 0 {
			f.near = append(f.near, v)
		}
		f.dist[v], f.parent[v] = dist, parent
	}
	defer func() {
		for _, v := range f.near {
			f.dist[v] = 0
		}
		f.near = f.near[:0]
	}()
	reach(src, 1, first)
	level := []saturate.Node{src}
	for d := int32(1); len(level) > 0 && d <= limit; d++ {
		var next []saturate.Node
		for k := 0; k < len(level); k++ {
			v := level[k]
			if f.dist[v] != d {
				continue // reached with fewer meanwhile
			}
			if *budget--; v == dst {
				return f.trace(first, dst)
			}
			for _, t := range f.to[f.start[v]:f.start[v+1]] {
				if f.comp[t] == comp && (f.dist[t] == 0 || f.dist[t] > d) {
					reach(t, d, ^int32(v))
					level = append(level, t)
				}
			}
			for i := f.head[v]; i >= 0; i = f.next[i] {
				if t := f.force[i].to; f.comp[t] == comp && f.dist[t] == 0 {
					reach(t, d+1, i)
					next = append(next, t)
				}
			}
		}
		level = next
	}
	return nil
}

// trace lists the consequences on the way that led to v, back to the first.
func (f *cycleFinder) trace(first int32, v saturate.Node) []int32 {
	var cycle []int32
	for {
		p := f.parent[v]
		if p < 0 {
			v = saturate.Node(^p)
			continue
		}
		cycle = append(cycle, p)
		if p == first {
			return cycle
		}
		v = f.force[p].from
	}
}
