package witness

import (
	"math/bits"

	"ordeal/parse"
)

// fences finds the last fence of a component before an operation.
type fences struct {
	of    []int32         // last fence of its thread at or before an operation, or -1
	lists [][4]parse.OpID // for each fence, by component: itself or the last before it in its thread, or NoOp
}

func findFences(h *parse.History) fences {
	f := fences{of: make([]int32, len(h.Ops))}
	for t := range h.Threads() {
		current, last := int32(-1), [4]parse.OpID{parse.NoOp, parse.NoOp, parse.NoOp, parse.NoOp}
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if op := &h.Ops[id]; op.Kind == parse.Fence {
				for c := range last {
					if op.Mask>>c&1 != 0 {
						last[c] = id
					}
				}
				current = int32(len(f.lists))
				f.lists = append(f.lists, last)
			}
			f.of[id] = current
		}
	}
	return f
}

// last is the last fence of component c at or before an operation in its
// thread, or NoOp.
func (f *fences) last(id parse.OpID, c parse.FenceMask) parse.OpID {
	if f.of == nil || f.of[id] < 0 {
		return parse.NoOp
	}
	return f.lists[f.of[id]][bits.TrailingZeros8(uint8(c))]
}
