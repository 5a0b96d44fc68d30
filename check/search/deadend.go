package search

import "ordeal/check/saturate"

// culprit finds the latest decision that has a part in a dead end, and
// returns the length of the order before it. At a dead end the head of every
// chain waits for the head of another: for one that precedes it, or, a write,
// for one that precedes a pending reader of its location's present value. The
// decisions for the present values on a cycle of waiting cannot all be right.
func (p *placer) culprit() int {
	g := p.g
	seen := make([]int32, len(p.heads)) // chain → 1 + its place in the walk
	type step struct {
		chain int32
		at    int32 // of the decision for whose sake it waits, or -1
	}
	var walk []step
	c := int32(0)
	for {
		if _, end := g.ChainRange(c); p.heads[c] < end {
			break
		}
		c++
	}
	for seen[c] == 0 {
		next, at := p.waitsFor(c)
		walk = append(walk, step{c, at})
		seen[c] = int32(len(walk))
		c = next
	}
	latest := int32(-1)
	for _, s := range walk[seen[c]-1:] {
		latest = max(latest, s.at)
	}
	return max(int(latest), 0)
}

// waitsFor is a chain for whose head the head of chain c waits.
func (p *placer) waitsFor(c int32) (other, at int32) {
	g := p.g
	v := p.heads[c]
	for d, pos := range g.Clock(v) {
		if first, _ := g.ChainRange(int32(d)); int32(d) != c && saturate.Node(pos)+first > p.heads[d] {
			return int32(d), -1
		}
	}
	cur := p.current[g.Loc(v)]
	for _, r := range g.LastReaders(cur.writer) {
		if r != v && !p.placed[r] {
			return g.Chain(r), cur.at
		}
	}
	return c, cur.at // refused by guarding
}
