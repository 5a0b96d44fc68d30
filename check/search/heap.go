package search

import "ordeal/check/saturate"

// nodeHeap yields the node with the smallest key first.
type nodeHeap struct {
	nodes []saturate.Node
	key   func(saturate.Node) int32
}

func (h *nodeHeap) push(v saturate.Node) {
	h.nodes = append(h.nodes, v)
	i := len(h.nodes) - 1
	for i > 0 {
		up := (i - 1) / 2
		if h.key(h.nodes[up]) <= h.key(v) {
			break
		}
		h.nodes[i] = h.nodes[up]
		i = up
	}
	h.nodes[i] = v
}

func (h *nodeHeap) pop() (saturate.Node, bool) {
	n := len(h.nodes)
	if n == 0 {
		return saturate.NoNode, false
	}
	top, last := h.nodes[0], h.nodes[n-1]
	h.nodes = h.nodes[:n-1]
	if n--; n == 0 {
		return top, true
	}
	i := 0
	for {
		down := 2*i + 1
		if down >= n {
			break
		}
		if down+1 < n && h.key(h.nodes[down+1]) < h.key(h.nodes[down]) {
			down++
		}
		if h.key(last) <= h.key(h.nodes[down]) {
			break
		}
		h.nodes[i] = h.nodes[down]
		i = down
	}
	h.nodes[i] = last
	return top, true
}
