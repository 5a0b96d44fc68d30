package search

// Heap yields the node with the smallest key first.
type Heap[N ~int32] struct {
	nodes []N
	key   func(N) int32
}

// NewHeap returns an empty heap.
func NewHeap[N ~int32](key func(N) int32) *Heap[N] { return &Heap[N]{key: key} }

// Len is the number of nodes.
func (h *Heap[N]) Len() int { return len(h.nodes) }

// Push adds a node.
func (h *Heap[N]) Push(v N) {
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

// Pop removes the node with the smallest key. The heap must not be empty.
func (h *Heap[N]) Pop() N {
	n := len(h.nodes) - 1
	top, last := h.nodes[0], h.nodes[n]
	h.nodes = h.nodes[:n]
	if n == 0 {
		return top
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
	return top
}
