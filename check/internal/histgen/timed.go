package histgen

import (
	"math/rand/v2"

	"ordeal/parse"
)

// Timed gives the history of a run times: operation i of the order takes effect
// at time 4·i, is called up to width before, and returns up to width after it.
// With sequential, no thread has two operations at a time. Some of the last
// operations of threads are pending. The history stays linearizable if the order
// shows that it is of SC.
func Timed(rng *rand.Rand, run Run, width int64, sequential bool) *parse.History {
	h := run.History
	h.Times = make([]parse.Interval, len(h.Ops))
	at := make([]int64, len(h.Ops))
	for i, id := range run.Order {
		at[id] = 4 * int64(i)
	}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			i := &h.Times[id]
			i.Call, i.Return = at[id]-rng.Int64N(width+1), at[id]+rng.Int64N(width+1)
			if sequential && id > h.Start[t] {
				before := &h.Times[id-1]
				before.Return = min(before.Return, at[id]-1)
				i.Call = max(i.Call, before.Return+1)
			}
		}
		if last := h.Start[t+1] - 1; last >= h.Start[t] && rng.IntN(4) == 0 && h.Ops[last].Writes() {
			h.Times[last].Return = parse.Pending
		}
	}
	return h
}
