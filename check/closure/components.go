package closure

import "iter"

// Components finds strongly connected components by the algorithm of Tarjan
// (SIAM J. Comput. 1972). It can be used many times for graphs of one size.
type Components struct {
	// Of is the component of each node that the last search visited, and -1
	// of the others. Components are numbered in reverse topological order.
	Of []int32
	// Count is the number of components, Visited that of nodes.
	Count, Visited int32

	index, low []int32 // index counts nodes in the order of discovery, from 1
	open       []int32 // visited nodes without component
	path       []step
}

// step is a node whose successors the search is following.
type step struct{ node, next int32 }

// Results of a function of successors that are no nodes.
const (
	End  int32 = -1 - iota // there are no more
	Skip                   // pass over this one
)

// NewComponents prepares for graphs of n nodes.
func NewComponents(n int) *Components {
	return &Components{Of: make([]int32, n), index: make([]int32, n), low: make([]int32, n)}
}

// Find visits the nodes that the roots lead to. successor returns the i-th
// successor of v, counted from 0, End or Skip.
func (c *Components) Find(roots iter.Seq[int32], successor func(v, i int32) int32) {
	for v := range c.Of {
		c.Of[v] = -1
	}
	clear(c.index)
	c.Count, c.Visited = 0, 0
	for root := range roots {
		if c.index[root] != 0 {
			continue
		}
		c.enter(root)
		for len(c.path) > 0 {
			at := &c.path[len(c.path)-1]
			to := successor(at.node, at.next)
			at.next++
			switch {
			case to == End:
				c.leave()
			case to == Skip:
			case c.index[to] == 0:
				c.enter(to)
			case c.Of[to] < 0:
				c.low[at.node] = min(c.low[at.node], c.index[to])
			}
		}
	}
}

func (c *Components) enter(v int32) {
	c.Visited++
	c.index[v], c.low[v] = c.Visited, c.Visited
	c.open = append(c.open, v)
	c.path = append(c.path, step{node: v})
}

// leave ends the visit of the latest node. If it leads to no open node that
// was visited before it, the nodes opened since are its component.
func (c *Components) leave() {
	v := c.path[len(c.path)-1].node
	c.path = c.path[:len(c.path)-1]
	if len(c.path) > 0 {
		parent := c.path[len(c.path)-1].node
		c.low[parent] = min(c.low[parent], c.low[v])
	}
	if c.low[v] < c.index[v] {
		return
	}
	for {
		u := c.open[len(c.open)-1]
		c.open = c.open[:len(c.open)-1]
		c.Of[u] = c.Count
		if u == v {
			break
		}
	}
	c.Count++
}

// Components returns the strongly connected component of each node and their
// number. They are numbered in reverse topological order.
func (g *Graph[L]) Components() (component []int32, count int32) {
	c := NewComponents(g.Nodes)
	all := func(yield func(int32) bool) {
		for v := range int32(g.Nodes) {
			if !yield(v) {
				return
			}
		}
	}
	c.Find(all, func(v, i int32) int32 {
		if out := g.Out(v); int(i) < len(out) {
			return out[i].To
		}
		return End
	})
	return c.Of, c.Count
}

// Partition is a partition of the numbers from 0 into sets (union-find).
type Partition []int32

// NewPartition puts each of n numbers into a set of its own.
func NewPartition(n int) Partition {
	p := make(Partition, n)
	for i := range p {
		p[i] = int32(i)
	}
	return p
}

// Find is the representative of v's set.
func (p Partition) Find(v int32) int32 {
	for p[v] != v {
		p[v] = p[p[v]]
		v = p[v]
	}
	return v
}

// Unite joins the sets of a and b.
func (p Partition) Unite(a, b int32) {
	if a, b = p.Find(a), p.Find(b); a != b {
		p[max(a, b)] = min(a, b)
	}
}
