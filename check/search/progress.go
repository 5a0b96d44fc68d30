package search

import (
	"math"

	"ordeal/check/saturate"
)

// progress counts the nodes that are placed.
type progress struct {
	of  []int32 // thread → those of it
	all int32
}

// advance notes that v was placed, or with -1 that it was taken back.
func (q *progress) advance(thread, times int32) {
	q.of[thread] += times
	q.all += times
}

// dueAt estimates the length of the order when the first of the pending readers of
// w in their chains, as far as known, can be placed, if all chains go on at the
// same speed. A decision that blocks its location for a shorter time is less
// likely to be wrong.
func (p *placer) dueAt(w saturate.Node) int32 {
	g, h, q := p.g, p.g.History(), p.progress
	due := int64(math.MaxInt32)
	for _, r := range g.LastReaders(int32(w)) {
		if !p.placed[r] {
			t := g.Thread(r)
			before := int64(int32(g.Op(r)-h.Start[t]) - q.of[t])
			due = min(due, int64(q.all)+before*int64(h.Threads()))
		}
	}
	return int32(due)
}
