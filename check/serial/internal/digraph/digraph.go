// Package digraph has directed graphs whose edges remember the pair of events
// that causes them: order or cycle in linear time.
package digraph

import "slices"

// Edge says that event From precedes event To and conflicts with it.
type Edge struct{ From, To int32 }

// Graph is a directed graph on the nodes from 0 to Nodes-1.
type Graph struct {
	Nodes int
	arcs  []Arc
	start []int32 // of each node in out, once frozen
	out   []int32 // arcs by their source
}

// Arc is an edge from node to node and what causes it.
type Arc struct {
	From, To int32
	Cause    Edge
}

// Add adds an edge.
func (g *Graph) Add(from, to int32, cause Edge) {
	g.arcs = append(g.arcs, Arc{from, to, cause})
	g.start = nil
}

// Grow makes room for n more edges.
func (g *Graph) Grow(n int) { g.arcs = slices.Grow(g.arcs, n) }

// Arcs lists all edges in the order in which they were added.
func (g *Graph) Arcs() []Arc { return g.arcs }

// Successors calls visit with every edge that leaves a node.
func (g *Graph) Successors(v int32, visit func(Arc)) {
	g.freeze()
	for _, a := range g.out[g.start[v]:g.start[v+1]] {
		visit(g.arcs[a])
	}
}

// freeze sorts the arcs by source, in linear time.
func (g *Graph) freeze() {
	if g.start != nil {
		return
	}
	g.start = make([]int32, g.Nodes+1)
	for i := range g.arcs {
		g.start[g.arcs[i].From+1]++
	}
	for v := range g.Nodes {
		g.start[v+1] += g.start[v]
	}
	next := slices.Clone(g.start)
	g.out = make([]int32, len(g.arcs))
	for i := range g.arcs {
		from := g.arcs[i].From
		g.out[next[from]] = int32(i)
		next[from]++
	}
}

// Components numbers the strongly connected components in reverse topological
// order (Tarjan, SIAM J. Comput. 1972).
func (g *Graph) Components() (component []int32, count int32) {
	g.freeze()
	component = make([]int32, g.Nodes)
	index := make([]int32, g.Nodes) // in order of discovery, from 1
	low := make([]int32, g.Nodes)
	next := slices.Clone(g.start[:g.Nodes])
	var path, stack []int32
	found := int32(0)
	for root := range int32(g.Nodes) {
		if index[root] != 0 {
			continue
		}
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if index[v] == 0 {
				found++
				index[v], low[v] = found, found
				component[v] = -1
				stack = append(stack, v)
			}
			if next[v] < g.start[v+1] {
				to := g.arcs[g.out[next[v]]].To
				next[v]++
				if index[to] == 0 {
					path = append(path, to)
				} else if component[to] < 0 {
					low[v] = min(low[v], index[to])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				parent := path[len(path)-1]
				low[parent] = min(low[parent], low[v])
			}
			if low[v] == index[v] {
				for {
					top := stack[len(stack)-1]
					stack = stack[:len(stack)-1]
					component[top] = count
					if top == v {
						break
					}
				}
				count++
			}
		}
	}
	return component, count
}

// Order returns the nodes in topological order, or the nodes of the smallest
// component that is a cycle.
func (g *Graph) Order() (order, cyclic []int32) {
	component, count := g.Components()
	size := make([]int32, count)
	for _, c := range component {
		size[c]++
	}
	smallest := int32(-1)
	for c, n := range size {
		if n > 1 && (smallest < 0 || n < size[smallest]) {
			smallest = int32(c)
		}
	}
	if smallest >= 0 {
		for v, c := range component {
			if c == smallest {
				cyclic = append(cyclic, int32(v))
			}
		}
		return nil, cyclic
	}
	order = make([]int32, g.Nodes)
	for v, c := range component {
		order[int32(g.Nodes)-1-c] = int32(v)
	}
	return order, nil
}

// starts bounds the nodes from which Cycle looks for a shortest cycle.
const starts = 32

// Cycle is a short cycle in a strongly connected component.
func (g *Graph) Cycle(nodes []int32) []Arc {
	inside := make(map[int32]bool, len(nodes))
	for _, v := range nodes {
		inside[v] = true
	}
	var best []Arc
	step := max(1, len(nodes)/starts)
	for i := 0; i < len(nodes); i += step {
		if c := g.cycleThrough(nodes[i], inside, len(best)); c != nil {
			best = c
		}
	}
	return best
}

// cycleThrough is a shortest cycle through a node, nil if it has limit arcs
// or more; a limit of 0 is none.
func (g *Graph) cycleThrough(v int32, inside map[int32]bool, limit int) []Arc {
	via := map[int32]int32{} // the arc by which a node was reached
	depth := map[int32]int{v: 0}
	queue := []int32{v}
	for len(queue) > 0 {
		u := queue[0]
		queue = queue[1:]
		if limit > 0 && depth[u]+1 >= limit {
			return nil
		}
		for _, a := range g.out[g.start[u]:g.start[u+1]] {
			to := g.arcs[a].To
			if to == v {
				cycle := []Arc{g.arcs[a]}
				for u != v {
					cycle = append(cycle, g.arcs[via[u]])
					u = g.arcs[via[u]].From
				}
				slices.Reverse(cycle)
				return cycle
			}
			if _, seen := depth[to]; !seen && inside[to] {
				depth[to], via[to] = depth[u]+1, a
				queue = append(queue, to)
			}
		}
	}
	return nil
}
