package search

import (
	"slices"

	"ordeal/check/saturate"
)

// A dead end teaches something. At one, the head of every chain waits for the
// head of another: for a predecessor or, if it is a write v, for a pending
// reader of its location's current value w. On a cycle of waiting the decisions
// that placed each w before its v cannot all be right. So the latest of them is
// undone and postponed until its v is placed, which holds as long as the earlier
// ones stand. That is how SAT solvers learn, at the price of a walk over the heads.

// reason is a decision that a fact rests on: the node at position at of the order
// precedes a write to its location that was not placed then.
type reason struct {
	at     int32
	before saturate.Node
}

// postponement says that a decision is to be made after a node is placed, as
// long as the reasons stand, which are in the order of their positions.
type postponement struct {
	until   saturate.Node
	reasons []reason
}

// maxLessons bounds the dead ends that are learned from without getting further.
const maxLessons = 64

// postpone reports whether what was learned postpones v, which is then examined
// again after the node that it waits for.
func (p *placer) postpone(v saturate.Node) bool {
	for _, q := range p.postponed[v] {
		if !p.placed[q.until] {
			p.waiting[q.until] = append(p.waiting[q.until], v)
			return true
		}
	}
	return false
}

// learn undoes the latest decision of a dead end and postpones it. It reports
// false if the dead end has none.
func (p *placer) learn() bool {
	reasons := p.deadEnd()
	if len(reasons) == 0 {
		return false
	}
	latest := reasons[len(reasons)-1]
	v := p.seq[latest.at]
	p.backTo(int(latest.at))
	p.postponed[v] = append(p.postponed[v], postponement{latest.before, reasons[:len(reasons)-1]})
	return true
}

// unlearn drops what rests on decisions at or behind a position.
func (p *placer) unlearn(at int) {
	for v, list := range p.postponed {
		list = slices.DeleteFunc(list, func(q postponement) bool {
			return len(q.reasons) > 0 && int(q.reasons[len(q.reasons)-1].at) >= at
		})
		if p.postponed[v] = list; len(list) == 0 {
			delete(p.postponed, v)
		}
	}
}

// deadEnd lists the decisions on a cycle of waiting, in the order of their
// positions, each once.
func (p *placer) deadEnd() []reason {
	seen := make([]int32, len(p.heads)) // chain → 1 + its place in the walk
	c := int32(0)
	for {
		if _, end := p.g.ChainRange(c); p.heads[c] < end {
			break
		}
		c++
	}
	var walk [][]reason
	for seen[c] == 0 {
		next, because := p.waitsFor(c)
		walk = append(walk, because)
		seen[c] = int32(len(walk))
		c = next
	}
	reasons := slices.Concat(walk[seen[c]-1:]...)
	slices.SortStableFunc(reasons, func(a, b reason) int { return int(a.at - b.at) })
	return slices.CompactFunc(reasons, func(a, b reason) bool { return a.at == b.at })
}

// waitsFor is a chain for whose head the head of chain c waits, and the
// decisions because of which it does.
func (p *placer) waitsFor(c int32) (other int32, because []reason) {
	g := p.g
	v := p.heads[c]
	if u := g.OpenBefore(v, p.heads); u != saturate.NoNode {
		return g.Chain(u), nil
	}
	cur := p.current[g.Loc(v)]
	if int(cur.writer) < g.Nodes() {
		because = []reason{{cur.at, v}}
	}
	for _, r := range g.LastReaders(cur.writer) {
		if r != v && !p.placed[r] {
			return g.Chain(r), because
		}
	}
	for _, q := range p.postponed[v] {
		if !p.placed[q.until] {
			return g.Chain(q.until), q.reasons
		}
	}
	return c, because // refused by forward checking
}
