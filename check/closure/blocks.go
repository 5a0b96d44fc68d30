package closure

import "slices"

// Blocks lists the biconnected components of an undirected graph on the nodes
// from 0 to n-1, each by its nodes in order: the largest sets that stay connected
// without any one of their nodes (Hopcroft and Tarjan, CACM 1973). Two of them
// share one node at most. Nodes without edges are in none. Edges may be repeated;
// edge says whether two different nodes are joined, in time O(n²) in all.
func Blocks(n int, edge func(u, v int32) bool) [][]int32 {
	b := blocks{n: int32(n), edge: edge, depth: make([]int32, n), low: make([]int32, n)}
	for v := range b.n {
		if b.depth[v] == 0 {
			b.visit(v, none, 1)
			b.stack = b.stack[:0]
		}
	}
	return b.list
}

const none = -1

// blocks is the state of Blocks. low is the least depth, from 1, that a node
// and those below it have edges to.
type blocks struct {
	n          int32
	edge       func(u, v int32) bool
	depth, low []int32
	stack      []int32
	list       [][]int32
}

func (b *blocks) visit(v, parent, depth int32) {
	b.depth[v], b.low[v] = depth, depth
	b.stack = append(b.stack, v)
	for u := range b.n {
		switch {
		case u == v || u == parent || !b.edge(v, u):
		case b.depth[u] > 0:
			b.low[v] = min(b.low[v], b.depth[u])
		default:
			b.visit(u, v, depth+1)
			b.low[v] = min(b.low[v], b.low[u])
			if b.low[u] >= depth {
				b.cut(v, u)
			}
		}
	}
}

// cut takes the block from node u, below v, off the stack.
func (b *blocks) cut(v, u int32) {
	from := slices.Index(b.stack, u)
	block := append([]int32{v}, b.stack[from:]...)
	slices.Sort(block)
	b.list = append(b.list, block)
	b.stack = b.stack[:from]
}
