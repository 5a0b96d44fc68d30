package search

import "ordeal/check/saturate"

// backTo takes back all placements behind a length of the order.
func (p *placer) backTo(length int) {
	p.undone += len(p.seq) - length + len(p.heads)/4
	for len(p.seq) > length {
		v := p.seq[len(p.seq)-1]
		p.seq = p.seq[:len(p.seq)-1]
		p.placed[v] = false
		p.reset(v)
		p.g.Successors(v, func(s saturate.Node) bool {
			p.wait[s]++
			return true
		})
	}
	p.look.newEpoch()
	p.findReady()
}

// takeBack takes back a placement at a dead end and those that depend on it, which are a
// small part of those after it: its successors; and as soon as a read is
// not placed, what overwrites the value that it returns.
func (p *placer) takeBack(v saturate.Node) {
	g := p.g
	first := int(p.at[v])
	p.taken = p.taken[:0]
	take := func(u saturate.Node) {
		if p.placed[u] {
			p.placed[u] = false
			p.taken = append(p.taken, u)
		}
	}
	take(v)
	for i := 0; i < len(p.taken); i++ {
		u := p.taken[i]
		p.reset(u)
		for _, w := range g.Returned(u) {
			if int(w) < g.Nodes() && !p.placed[w] {
				continue
			}
			for x := p.current[g.WriterLoc(w)]; x != w; x = p.overwritten[x] {
				take(saturate.Node(x))
			}
		}
		g.Successors(u, func(s saturate.Node) bool {
			p.wait[s]++
			take(s)
			return true
		})
	}
	length := first
	for _, u := range p.seq[first:] {
		if p.placed[u] {
			p.seq[length], p.at[u] = u, int32(length)
			length++
		}
	}
	p.undone += len(p.taken) + (len(p.seq)-first)/16
	p.seq = p.seq[:length]
	for _, u := range p.taken {
		if p.wait[u] == 0 {
			p.ready = append(p.ready, u)
		}
	}
	p.look.newEpoch()
}

// reset undoes what placing v changed, except its successors and its place.
func (p *placer) reset(v saturate.Node) {
	g := p.g
	c := g.Chain(v)
	p.heads[c] = min(p.heads[c], v)
	if p.progress != nil {
		p.progress.advance(g.Thread(v), -1)
	}
	for _, w := range g.Returned(v) {
		p.pending[w]++
	}
	if g.IsWrite(v) {
		x := g.Loc(v)
		link := &p.current[x]
		for *link != int32(v) {
			link = &p.overwritten[*link]
		}
		*link = p.overwritten[v]
		p.release(x)
		p.unlearn(v)
	}
}
