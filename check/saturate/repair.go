package saturate

import "math/bits"

// repairQueue holds processed nodes whose rows changed, each with a mask of
// the changed components to propagate.
type repairQueue struct {
	queue []Node
	first int
	masks []uint64 // slot × words
	where []int32  // processed node → 1 + its slot, 0 when not queued
	free  []int32  // slots
	work  []uint64 // the mask being propagated
}

// initQueue makes the queue. Nodes enter it when the sweep no longer needs their
// count, so that both use one array.
func (g *Graph) initQueue() {
	g.wait = make([]int32, g.n)
	g.repairQueue = repairQueue{where: g.wait, work: make([]uint64, g.words)}
}

// dirty returns the mask of a processed node, queueing the node.
func (g *Graph) dirty(v Node) []uint64 {
	q := &g.repairQueue
	s := q.where[v] - 1
	if s < 0 {
		if n := len(q.free); n > 0 {
			s = q.free[n-1]
			q.free = q.free[:n-1]
		} else {
			s = int32(len(q.masks) / g.words)
			q.masks = append(q.masks, make([]uint64, g.words)...)
		}
		q.where[v] = s + 1
		q.queue = append(q.queue, v)
	}
	lo := int(s) * g.words
	return q.masks[lo : lo+g.words]
}

// repair applies the rules to the queued nodes for the components that changed
// and propagates these, until nothing changes. It returns false on a
// contradiction.
func (g *Graph) repair() bool {
	q := &g.repairQueue
	for q.first < len(q.queue) {
		u := q.queue[q.first]
		q.first++
		s := q.where[u] - 1
		q.where[u] = 0
		mask := q.work
		copy(mask, q.masks[int(s)*g.words:])
		clear(q.masks[int(s)*g.words : int(s+1)*g.words])
		q.free = append(q.free, s)
		if !g.reapply(u, mask) || !g.propagate(u, mask) {
			g.dropQueue()
			return false
		}
	}
	q.queue, q.first = q.queue[:0], 0
	return true
}

func (g *Graph) dropQueue() {
	q := &g.repairQueue
	for _, v := range q.queue[q.first:] {
		if s := q.where[v] - 1; s >= 0 {
			clear(q.masks[int(s)*g.words : int(s+1)*g.words])
			q.free = append(q.free, s)
			q.where[v] = 0
		}
	}
	q.queue, q.first = q.queue[:0], 0
}

// reapply applies the rules to u for the chains of a mask.
func (g *Graph) reapply(u Node, mask []uint64) bool {
	if g.kind[u] == 0 {
		return true
	}
	if g.byLocation() {
		return g.reapplyGates(u, mask)
	}
	x := g.loc[u]
	lo, hi := g.writeChains(x)
	if g.writeChainMask == nil {
		for l := lo; l < hi; l++ {
			if c := g.chainOfWrites[l]; mask[c>>6]>>(c&63)&1 != 0 && !g.reapplyIn(u, l, c) {
				return false
			}
		}
		return true
	}
	for i, has := range g.writeChainMask[int(x)*g.words : int(x+1)*g.words] {
		for w := has & mask[i]; w != 0; w &= w - 1 {
			l := lo + int32(bits.OnesCount64(has&(w&-w-1)))
			if !g.reapplyIn(u, l, g.chainOfWrites[l]) {
				return false
			}
		}
		lo += int32(bits.OnesCount64(has))
	}
	return true
}

// reapplyIn applies the rules to u for a write chain, whose component in the row of u is
// given.
func (g *Graph) reapplyIn(u Node, writeChain, component int32) bool {
	p := g.cell(u, component)
	if g.chainOfWrites[writeChain] == g.chain[u] {
		p--
	}
	w := g.lastAt(writeChain, p)
	if w == NoNode {
		return true
	}
	kind := g.kind[u]
	return (kind&bitRead == 0 || g.ruleA(w, u)) && (kind&bitWrite == 0 || g.readersBefore(int32(w), u))
}

// propagate joins the components of a mask into the successors of u. A successor
// that precedes u is a contradiction.
func (g *Graph) propagate(u Node, mask []uint64) bool {
	if t := g.After(u); t != g.End() {
		if g.closesCycle(u, mask, t) {
			return g.fail(edgeRef{from: u, to: t, static: -1, inferred: -1})
		}
		g.joinMasked(u, t, mask)
	}
	for i := g.outStart[u]; i < g.outStart[u+1]; i++ {
		t := g.outTo[i]
		if g.closesCycle(u, mask, t) {
			return g.fail(edgeRef{from: u, to: t, static: i, inferred: -1})
		}
		g.joinMasked(u, t, mask)
	}
	for i := g.head[u]; i >= 0; {
		e := g.inferred.at(i)
		t := g.target(e)
		if g.closesCycle(u, mask, t) {
			return g.fail(edgeRef{from: u, to: t, static: -1, inferred: i})
		}
		g.joinMasked(u, t, mask)
		i = e.next()
	}
	return true
}

// closesCycle reports whether the row of u, whose components in mask have
// changed, shows that its successor t precedes it. Some other edge of the cycle
// does where the row has no component for t.
func (g *Graph) closesCycle(u Node, mask []uint64, t Node) bool {
	c := g.component(t, u)
	return c >= 0 && mask[c>>6]>>(c&63)&1 != 0 && g.cell(u, c) >= g.pos(t)
}
