package search

import (
	"slices"

	"ordeal/check/saturate"
)

// A dead end teaches something. At one, the head of every chain waits for the
// head of another: for a predecessor or, if it is a write v, for a pending
// reader of its location's current value w. On a cycle of waiting the decisions
// that placed each w before its v cannot all be right. So the latest of them is
// undone and deferred until its v is placed, which holds as long as the earlier
// ones stand. That is how SAT solvers learn, at the price of a walk over the heads.

// reason is a decision that a fact rests on: a write precedes another to its
// location that was not placed then.
type reason struct{ write, before saturate.Node }

// nogood says that a decision is to be made after a node is placed, as long as
// the reasons stand, which are in the order in which they were placed.
type nogood struct {
	decision, until saturate.Node
	reasons         []reason
	next            int32 // another one about the decision, -1 for none
}

// nogoods are what was learned.
type nogoods struct {
	all     []nogood
	dropped []int32                   // of all, those that do not stand any more
	about   []int32                   // node → a nogood about it that stands, -1 for none
	resting map[saturate.Node][]int32 // write → nogoods that rest on it, with some dropped ones
	guessed bool                      // one of them may be wrong
}

func newNogoods(nodes int) nogoods {
	return nogoods{about: slices.Repeat([]int32{-1}, nodes), resting: map[saturate.Node][]int32{}}
}

// forget drops all nogoods.
func (l *nogoods) forget() {
	for _, q := range l.all {
		l.about[q.decision] = -1
	}
	l.all, l.dropped, l.guessed = l.all[:0], l.dropped[:0], false
	clear(l.resting)
}

func (l *nogoods) add(q nogood) {
	q.next = l.about[q.decision]
	i := int32(len(l.all))
	if n := len(l.dropped); n > 0 {
		i, l.dropped = l.dropped[n-1], l.dropped[:n-1]
		l.all[i] = q
	} else {
		l.all = append(l.all, q)
	}
	l.about[q.decision] = i
	for _, r := range q.reasons {
		l.resting[r.write] = append(l.resting[r.write], i)
	}
}

// unlearn drops what rests on a write that is taken back, and has what it deferred
// examined again.
func (p *placer) unlearn(w saturate.Node) {
	if len(p.resting) == 0 {
		return
	}
	for _, i := range p.resting[w] {
		q := &p.all[i]
		if !slices.ContainsFunc(q.reasons, func(r reason) bool { return r.write == w }) {
			continue // dropped before
		}
		link := &p.about[q.decision]
		for *link != i {
			link = &p.all[*link].next
		}
		*link = q.next
		q.reasons = nil
		p.dropped = append(p.dropped, i)
		p.ready = append(p.ready, q.decision)
	}
	delete(p.resting, w)
}

// deferred reports whether what was learned defers v, which is then examined
// again after the node that it waits for.
func (p *placer) deferred(v saturate.Node) bool {
	for i := p.about[v]; i >= 0; i = p.all[i].next {
		if q := &p.all[i]; !p.placed[q.until] {
			p.waiting[q.until] = append(p.waiting[q.until], v)
			return true
		}
	}
	return false
}

// learn undoes the latest decision of a dead end and defers it. Where that was
// made before several writes of the cycle, it is enough that it comes after one of
// them: which one is a guess. A dead end without decisions means that such a guess
// was wrong, and all nogoods are forgotten; or else that there is no order, and
// learn reports false. What was placed after the decision stays if sparing says so and it
// does not depend on that.
func (p *placer) learn(sparing bool) bool {
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
	others := reasons[:slices.IndexFunc(reasons, func(q reason) bool { return q.write == latest.write })]
	p.guessed = p.guessed || len(others) < len(reasons)-1
	undone := p.undone
	if sparing {
		p.takeBack(latest.write)
		p.look.credit += p.undone - undone
	} else {
		p.backTo(int(p.at[latest.write]))
		p.look.credit += worthwhile * (p.undone - undone)
	}
	p.add(nogood{decision: latest.write, until: latest.before, reasons: others})
	return true
}

// deadEnd lists the decisions on a cycle of waiting, in the order in which they were
// placed, each once.
func (p *placer) deadEnd() []reason {
	if p.walked == nil {
		p.walked = make([]int32, len(p.heads))
	}
	c := int32(0)
	for {
		if p.heads[c] != p.g.End() {
			break
		}
		c++
	}
	var walk [][]reason
	before := p.walks
	for p.walked[c] <= before {
		next, because := p.waitsFor(c)
		walk = append(walk, because)
		p.walks++
		p.walked[c] = p.walks
		c = next
	}
	return p.inOrder(slices.Concat(walk[p.walked[c]-before-1:]...))
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
	for _, r := range g.LastReaders(p.current[g.Loc(v)]) {
		if r != v && !p.placed[r] {
			return g.Chain(r), because
		}
	}
	for i := p.about[v]; i >= 0; i = p.all[i].next {
		if q := &p.all[i]; !p.placed[q.until] {
			return g.Chain(q.until), q.reasons
		}
	}
	panic("search: the head of a chain waits for nothing at a dead end")
}
