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

// lesson says that a decision is to be made after a node is placed, as long as
// the reasons stand, which are in the order of their positions.
type lesson struct {
	decision, until saturate.Node
	reasons         []reason
	next            int32 // another one about the decision, -1 for none
}

// lessons are what was learned.
type lessons struct {
	all     []lesson
	dropped []int32      // of all, those that do not stand any more
	about   []int32      // node → a lesson about it that stands, -1 for none
	resting *Heap[int32] // lessons that rest on decisions, the furthest of these first
	guessed bool         // one of them may be wrong
}

// forget drops all lessons.
func (l *lessons) forget() {
	for _, q := range l.all {
		l.about[q.decision] = -1
	}
	l.all, l.dropped, l.guessed = l.all[:0], l.dropped[:0], false
	l.resting = NewHeap(func(i int32) int32 { return -l.latest(i) })
}

// latest is the position of the last decision that a lesson rests on.
func (l *lessons) latest(i int32) int32 {
	reasons := l.all[i].reasons
	return reasons[len(reasons)-1].at
}

func (l *lessons) add(q lesson) {
	q.next = l.about[q.decision]
	i := int32(len(l.all))
	if n := len(l.dropped); n > 0 {
		i, l.dropped = l.dropped[n-1], l.dropped[:n-1]
		l.all[i] = q
	} else {
		l.all = append(l.all, q)
	}
	l.about[q.decision] = i
	if len(q.reasons) > 0 {
		l.resting.Push(i)
	}
}

// unlearn drops what rests on decisions at or behind a position.
func (l *lessons) unlearn(at int) {
	for l.resting.Len() > 0 && int(l.latest(l.resting.First())) >= at {
		i := l.resting.Pop()
		link := &l.about[l.all[i].decision]
		for *link != i {
			link = &l.all[*link].next
		}
		*link = l.all[i].next
		l.all[i].reasons = nil
		l.dropped = append(l.dropped, i)
	}
}

// maxLessons bounds the dead ends that are learned from without getting further.
const maxLessons = 64

// postpone reports whether what was learned postpones v, which is then examined
// again after the node that it waits for.
func (p *placer) postpone(v saturate.Node) bool {
	for i := p.about[v]; i >= 0; i = p.all[i].next {
		if q := &p.all[i]; !p.placed[q.until] {
			p.waiting[q.until] = append(p.waiting[q.until], v)
			return true
		}
	}
	return false
}

// learn undoes the latest decision of a dead end and postpones it. Where that was
// made before several writes of the cycle, it is enough that it comes after one of
// them: which one is a guess. A dead end without decisions means that such a guess
// was wrong, and all lessons are forgotten; or else that there is no order, and
// learn reports false.
func (p *placer) learn() bool {
	reasons := p.deadEnd()
	if len(reasons) == 0 {
		if !p.guessed {
			return false
		}
		p.forget()
		p.backTo(len(p.seq))
		return true
	}
	latest := reasons[len(reasons)-1]
	others := reasons[:slices.IndexFunc(reasons, func(q reason) bool { return q.at == latest.at })]
	p.guessed = p.guessed || len(others) < len(reasons)-1
	v := p.seq[latest.at]
	undone := p.undone
	p.backTo(int(latest.at))
	p.look.credit += worthwhile * (p.undone - undone)
	p.add(lesson{decision: v, until: latest.before, reasons: others})
	return true
}

// deadEnd lists the decisions on a cycle of waiting, in the order of their
// positions, each once.
func (p *placer) deadEnd() []reason {
	seen := make([]int32, len(p.heads)) // chain → 1 + its place in the walk
	c := int32(0)
	for {
		if p.heads[c] != p.g.End() {
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
	return inOrder(slices.Concat(walk[seen[c]-1:]...))
}

// waitsFor is a chain for whose head the head of chain c waits, and the
// decisions because of which it does.
func (p *placer) waitsFor(c int32) (other int32, because []reason) {
	g := p.g
	v := p.heads[c]
	if u := g.OpenBefore(v, p.heads); u != saturate.NoNode {
		return g.Chain(u), nil
	}
	because = p.appendReason(nil, v)
	for _, r := range g.LastReaders(p.current[g.Loc(v)].writer) {
		if r != v && !p.placed[r] {
			return g.Chain(r), because
		}
	}
	for i := p.about[v]; i >= 0; i = p.all[i].next {
		if q := &p.all[i]; !p.placed[q.until] {
			return g.Chain(q.until), q.reasons
		}
	}
	return c, because // refused by forward checking
}
