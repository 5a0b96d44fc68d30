package vc

import "ordeal/check/search/precedence"

// rankHeap is a binary heap of nodes, lowest rank first.
type rankHeap struct {
	rank  []int32
	nodes []precedence.Node
}

func (h *rankHeap) push(v precedence.Node) {
	h.nodes = append(h.nodes, v)
	for i := len(h.nodes) - 1; i > 0; {
		up := (i - 1) / 2
		if h.rank[h.nodes[up]] <= h.rank[h.nodes[i]] {
			return
		}
		h.nodes[up], h.nodes[i] = h.nodes[i], h.nodes[up]
		i = up
	}
}

func (h *rankHeap) pop() precedence.Node {
	top, last := h.nodes[0], len(h.nodes)-1
	h.nodes[0] = h.nodes[last]
	h.nodes = h.nodes[:last]
	for i := 0; ; {
		least := i
		for c := 2*i + 1; c <= 2*i+2 && c < last; c++ {
			if h.rank[h.nodes[c]] < h.rank[h.nodes[least]] {
				least = c
			}
		}
		if least == i {
			return top
		}
		h.nodes[i], h.nodes[least] = h.nodes[least], h.nodes[i]
		i = least
	}
}
