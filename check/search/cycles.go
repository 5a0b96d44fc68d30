package search

import (
	"math"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/saturate"
)

// learnCycles learns clauses from cycles of edges of the saturated graph and
// consequences of proposed literals, which show that these literals do not all
// hold. That is cheap, as nothing is closed under the rules, and gives short
// clauses; but a proposal without cycle may still be contradictory.
func (s *pairSolver) learnCycles() bool {
	if s.cycles == nil {
		if len(s.pairs) == 0 {
			return false
		}
		s.retract(0)
		s.cycles = newCycleFinder(s.g)
		s.bytes += 4*int64(len(s.cycles.to)) + int64(s.g.Nodes())*cycleBytes
	}
	f := s.cycles
	f.consequences = f.consequences[:0]
	for i := range s.pairs {
		f.consequences = append(f.consequences, s.implied[s.value(literal(i))]...)
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
	// Consequences; find sorts them by source.
	consequences     []consequence
	consequenceStart []int32 // node → its first consequence

	components *closure.Components

	// Search for one cycle.
	dist   []int32 // node → consequences on the way to it, 0 if not reached
	parent []int32 // node → the consequence that led to it, or ^ the node
	near   []saturate.Node
}

func newCycleFinder(g *saturate.Graph) *cycleFinder {
	n := g.Nodes()
	f := &cycleFinder{
		g: g, start: make([]int32, n+1), components: closure.NewComponents(n),
		dist: make([]int32, n), parent: make([]int32, n),
	}
	for v := range saturate.Node(n) {
		g.Successors(v, func(t saturate.Node) bool {
			f.to = append(f.to, t)
			return true
		})
		f.start[v+1] = int32(len(f.to))
	}
	return f
}

// findComponents finds the strongly connected components that consequences
// lead to. The sweep visited the nodes in an order that nearly all edges of the
// graph respect: nothing beyond the last source of a consequence is visited, so
// that where the pairs are close together, the search stays there.
func (f *cycleFinder) findComponents() {
	last := int32(0)
	for i := range f.consequences {
		last = max(last, f.g.SweepOrder(f.consequences[i].from))
	}
	roots := func(yield func(int32) bool) {
		for i := range f.consequences {
			if !yield(int32(f.consequences[i].to)) {
				return
			}
		}
	}
	f.components.Find(roots, func(v, i int32) int32 {
		to := saturate.NoNode
		if n := f.start[v+1] - f.start[v]; i < n {
			to = f.to[f.start[v]+i]
		} else if k := f.consequenceStart[v] + i - n; k < f.consequenceStart[v+1] {
			to = f.consequences[k].to
		} else {
			return closure.End
		}
		if f.g.SweepOrder(to) > last {
			return closure.Skip
		}
		return int32(to)
	})
}

// find lists the literals of cycles, each sorted: of the shortest cycles through
// each consequence that is on a cycle, but on none found so far, those with the
// fewest consequences. It stops after a few times the work of finding the
// components, but not before it has a cycle if there is one.
func (f *cycleFinder) find() [][]literal {
	f.consequenceStart, f.consequences = closure.Group(f.g.Nodes(), f.consequences, func(c consequence) int32 { return int32(c.from) })
	f.findComponents()
	component := f.components.Of
	done := make([]bool, len(f.consequences)) // on a cycle already found
	limit := int32(math.MaxInt32)
	budget := 8 * int(f.components.Visited)
	var found [][]literal
	for i := range f.consequences {
		c := &f.consequences[i]
		if done[i] || component[c.from] != component[c.to] {
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
			lits = append(lits, f.consequences[k].lit)
		}
		slices.Sort(lits)
		found = append(found, slices.Compact(lits))
	}
	slices.SortFunc(found, slices.Compare)
	return slices.CompactFunc(found, slices.Equal)
}

// shortest finds a cycle through a consequence with the fewest consequences, at
// most limit, and lists these. It searches breadth-first over consequences.
func (f *cycleFinder) shortest(first, limit int32, budget *int) []int32 {
	src, dst := f.consequences[first].to, f.consequences[first].from
	component := f.components.Of
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
				if component[t] == component[src] && (f.dist[t] == 0 || f.dist[t] > d) {
					reach(t, d, ^int32(v))
					level = append(level, t)
				}
			}
			for i := f.consequenceStart[v]; i < f.consequenceStart[v+1]; i++ {
				if t := f.consequences[i].to; component[t] == component[src] && f.dist[t] == 0 {
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
		v = f.consequences[p].from
	}
}
