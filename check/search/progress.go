package search

import (
	"math"

	"ordeal/check/saturate"
	"ordeal/parse"
)

// progress counts the operations that are placed: nodes, and in a graph of BuildFenced
// the reads whose writer and whose fence before are.
type progress struct {
	of  []int32 // thread → those of it
	all int32
}

// startProgress begins to count: reads of initial values before the first fence are
// placed.
func (p *placer) startProgress() {
	g, h := p.g, p.g.History()
	p.progress = &progress{of: make([]int32, h.Threads())}
	if g.Fenced() {
		for x := range h.Locations {
			p.advanceReads(int32(g.Nodes()+x), 1)
		}
	}
}

// advance notes that v was placed, or with -1 that it was taken back.
func (p *placer) advance(v saturate.Node, times int32) {
	g, q := p.g, p.progress
	t := g.Thread(v)
	n := int32(1)
	switch {
	case !g.Fenced():
	case g.IsFence(v):
		for _, w := range g.Returned(v) {
			if int(w) >= g.Nodes() || p.placed[w] {
				n++
			}
		}
	default:
		p.advanceReads(int32(v), times)
	}
	q.of[t] += times * n
	q.all += times * n
}

// advanceReads does so for the reads of a writer whose fences are placed.
func (p *placer) advanceReads(writer, times int32) {
	h, q := p.g.History(), p.progress
	for _, r := range p.g.ReadsOf(writer) {
		if t := h.Thread(r); r < p.nextFence(t) {
			q.of[t] += times
			q.all += times
		}
	}
}

// nextFence is the first fence of a thread that is not placed, or the first operation
// after the thread.
func (p *placer) nextFence(thread int) parse.OpID {
	if c := p.g.FenceChain(thread); c >= 0 && p.heads[c] != p.g.End() {
		return p.g.Op(p.heads[c])
	}
	return p.g.History().Start[thread+1]
}

// dueAt estimates the length of the order when the first of the pending readers of
// w in their chains, as far as known, can be placed, if all chains go on at the
// same speed. A decision that blocks its location for a shorter time is less
// likely to be wrong.
func (p *placer) dueAt(w saturate.Node) int32 {
	g, h, q := p.g, p.g.History(), p.progress
	due := int64(math.MaxInt32)
	read := func(id parse.OpID, t int) {
		before := int64(int32(id-h.Start[t]) - q.of[t])
		due = min(due, int64(q.all)+before*int64(h.Threads()))
	}
	for _, r := range g.LastReaders(int32(w)) {
		if !p.placed[r] && !g.IsFence(r) {
			read(g.Op(r), int(g.Thread(r)))
		}
	}
	if g.Fenced() {
		end := parse.OpID(0) // of the latest thread
		for _, id := range g.ReadsOf(int32(w)) {
			if id >= end {
				t := h.Thread(id)
				end = h.Start[t+1]
				read(id, t)
			}
		}
	}
	return int32(due)
}
