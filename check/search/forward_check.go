package search

import (
	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// Forward checking makes a decision only if the graph, with the order that it
// implies, stays without contradiction. The pending readers of the current value
// of a location precede the next write to it of each chain, and the closure of
// that must not put a node not placed before one that is. What forward checking
// adds to the graph follows from what is placed, so that it can begin and end at
// any time.

// beginGuard turns forward checking on, limited to about ahead placements, or
// without limit for 0. It reports false if what is placed already contradicts
// the rest.
func (p *placer) beginGuard(ahead int) bool {
	p.ahead = ahead
	p.setHorizon()
	p.g.SetPlaced(p.placed)
	p.base = p.g.Hold()
	ok := true
	for x := range p.current {
		ok = ok && p.follow(p.current[x])
	}
	if ok && p.close(p.base) {
		p.guarding = true
		return true
	}
	p.g.Release(p.base)
	p.g.SetPlaced(nil)
	p.g.SetHorizon(0)
	return false
}

func (p *placer) setHorizon() {
	if p.ahead > 0 {
		p.g.SetHorizon(len(p.seq) + p.ahead)
	}
}

// endGuard turns forward checking off and removes what it added to the graph.
func (p *placer) endGuard() {
	if !p.guarding {
		return
	}
	p.g.EachSince(p.base, func(from, to saturate.Node) {
		if p.placed[from] {
			return
		}
		if p.wait[to]--; p.wait[to] == 0 {
			p.ready = append(p.ready, to)
		}
	})
	p.g.Release(p.base)
	p.g.SetPlaced(nil)
	p.g.SetHorizon(0)
	p.guarding = false
}

// follow adds that the pending readers of a location's current value precede
// the next writes.
func (p *placer) follow(writer int32) bool {
	if p.pending[writer] == 0 {
		return true
	}
	x := writer - int32(p.g.Nodes())
	if x < 0 {
		x = p.g.Loc(saturate.Node(writer))
	}
	var readers []saturate.Node
	for _, r := range p.g.LastReaders(writer) {
		if !p.placed[r] {
			readers = append(readers, r)
		}
	}
	ok := true
	p.g.NextWrites(x, p.heads, p.hint, func(u saturate.Node) {
		for _, r := range readers {
			if ok && r != u && !p.g.HB(r, u) {
				ok = p.g.Add(r, u, witness.DerivedB, saturate.NoNode)
			}
		}
	})
	return ok
}

// close closes the graph under what was added since a mark and counts the new
// edges as predecessors.
func (p *placer) close(since saturate.Mark) bool {
	if !p.g.Close() {
		return false
	}
	p.g.EachSince(since, func(_, to saturate.Node) { p.wait[to]++ })
	return true
}

// commit makes the decision v unless forward checking refuses it, or, where there
// was no sweep, looking ahead does.
func (p *placer) commit(v saturate.Node) bool {
	if !p.guarding {
		if p.due != nil && p.foresee(v) {
			return false
		}
		p.place(v)
		return true
	}
	p.setHorizon()
	mark := p.g.Mark()
	c := p.g.Chain(v)
	p.placed[v] = true
	p.heads[c] = p.g.After(v)
	ok := p.follow(int32(v)) && p.close(mark)
	if !ok {
		p.refuse(v)
		p.g.Undo(mark)
	}
	p.placed[v] = false
	p.heads[c] = v
	if ok {
		p.g.Keep(mark)
		p.place(v)
	}
	return ok
}

// refuse defers a decision that forward checking refused: until the node that
// must precede v is placed, or otherwise another write to its location.
func (p *placer) refuse(v saturate.Node) {
	p.refusals++
	if u, to := p.g.Contradiction(); to == v && !p.g.HB(v, u) {
		p.waiting[u] = append(p.waiting[u], v)
		return
	}
	x := p.g.Loc(v)
	p.blocked[x] = append(p.blocked[x], v)
}
