package event

// farItem is an event beyond the wheel.
type farItem struct {
	at  Tick
	seq uint64 // events of one tick leave in the order they came
	item
}

func (a *farItem) before(b *farItem) bool {
	if a.at != b.at {
		return a.at < b.at
	}
	return a.seq < b.seq
}

// farHeap is a binary heap of events, the first to leave at index 0.
type farHeap struct {
	items []farItem
	seq   uint64
}

func (h *farHeap) push(at Tick, it item) {
	h.seq++
	h.items = append(h.items, farItem{at, h.seq, it})
	for i := len(h.items) - 1; i > 0; {
		parent := (i - 1) / 2
		if !h.items[i].before(&h.items[parent]) {
			break
		}
		h.items[i], h.items[parent] = h.items[parent], h.items[i]
		i = parent
	}
}

func (h *farHeap) pop() farItem {
	top, last := h.items[0], len(h.items)-1
	h.items[0] = h.items[last]
	h.items = h.items[:last]
	for i := 0; ; {
		first := i
		for child := 2*i + 1; child <= 2*i+2 && child < last; child++ {
			if h.items[child].before(&h.items[first]) {
				first = child
			}
		}
		if first == i {
			return top
		}
		h.items[i], h.items[first] = h.items[first], h.items[i]
		i = first
	}
}
