package saturate

import (
	"slices"

	"ordeal/check/witness"
	"ordeal/parse"
)

func (g *Graph) collectEdges(time *timeLine) {
	e := &emitter{
		g:       g,
		lastOwn: make([]Node, len(g.hist.Locations)),
		ownRead: make([]int32, len(g.hist.Locations)),
		readBy:  make([]int32, g.n),
	}
	if g.model.Rules != nil {
		e.lastRead = make([]parse.OpID, len(g.hist.Locations))
	}
	e.emitAll()
	e.realTime(time)
	g.groupEdges(&e.edges)
}

// edgeList is a list that is made in blocks, so that a longer one is not copied. Each is
// twice as long as the one before up to lastEdgeBlock edges: many histories have but few.
type edgeList struct {
	full [][]staticEdge
	last []staticEdge
}

const firstEdgeBlock, lastEdgeBlock = 1 << 5, 1 << 12

func (l *edgeList) add(e staticEdge) {
	if len(l.last) == cap(l.last) {
		if l.last != nil {
			l.full = append(l.full, l.last)
		}
		l.last = make([]staticEdge, 0, min(max(firstEdgeBlock, 2*cap(l.last)), lastEdgeBlock))
	}
	l.last = append(l.last, e)
}

// groupEdges sorts static edges by source, those of one in their order, like
// closure.Group, in less time.
func (g *Graph) groupEdges(edges *edgeList) {
	g.outStart = make([]int32, g.n+1)
	blocks, count := append(edges.full, edges.last), 0
	for _, block := range blocks {
		count += len(block)
		for i := range block {
			g.outStart[block[i].from]++
		}
	}
	end := int32(0)
	for u, n := range g.outStart {
		end += n
		g.outStart[u] = end
	}
	g.outTo, g.outTag = make([]Node, count), make([]tag, count)
	for _, block := range slices.Backward(blocks) {
		for i := len(block) - 1; i >= 0; i-- {
			e := &block[i]
			at := g.outStart[e.from] - 1
			g.outStart[e.from], g.outTo[at], g.outTag[at] = at, e.to, e.tag
		}
	}
}

// Sources are the nodes with static edges to v. The caller may change their order.
func (g *Graph) Sources(v Node) []Node {
	if g.inStart == nil {
		g.collectSources()
	}
	return g.inFrom[g.inStart[v]:g.inStart[v+1]]
}

// openSource is the head of a chain that is, or comes before, the source of a
// static edge to v and is not placed, or NoNode.
func (g *Graph) openSource(v Node, heads []Node) Node {
	for _, u := range g.Sources(v) {
		if head := heads[g.chain[u]]; u >= head {
			return head
		}
	}
	return NoNode
}

// collectSources makes the index of static edges by target.
func (g *Graph) collectSources() {
	g.inStart = make([]int32, g.n+1)
	for _, t := range g.outTo {
		g.inStart[t]++
	}
	end := int32(0)
	for t, n := range g.inStart {
		end += n
		g.inStart[t] = end
	}
	g.inFrom = make([]Node, len(g.outTo))
	for u := range Node(g.n) {
		for _, t := range g.static(u) {
			g.inStart[t]--
			g.inFrom[g.inStart[t]] = u
		}
	}
}

type staticEdge struct {
	from, to Node
	tag      tag
}

// emitter produces the static edges of a graph, thread by thread.
type emitter struct {
	g     *Graph
	edges edgeList

	// State within one thread, or across threads for readBy.
	begun   bool
	lo, hi  parse.OpID
	lastOwn []Node  // location → the thread's latest write so far, or NoNode
	ownRead []int32 // location → writer of the last coWR edge since, or -1
	readBy  []int32 // write → chain whose reads it last got an edge to, -1
	parts   partState
	ruledState
	lastRead []parse.OpID // location → latest read since the latest own write
}

// emit emits an edge, unless the chain implies it. Writes to one location in a
// chain that has others between them need one for what precedes the first in that
// location.
func (e *emitter) emit(u, v Node, t tag) {
	g := e.g
	if g.chain[u] != g.chain[v] || u >= v || g.After(u) != v && g.component(u, v) != g.entry[u] {
		e.edges.add(staticEdge{u, v, t})
	}
}

func (e *emitter) emitAll() {
	g := e.g
	for w := range e.readBy {
		e.readBy[w] = -1
	}
	e.parts = partState{second: g.second}
	for t := range g.hist.Threads() {
		lo, hi := g.hist.Start[t], g.hist.Start[t+1]
		switch {
		case g.model.Rules != nil:
			e.newThread(lo, hi)
			e.ruled(lo, hi)
		case g.model.PPO == parse.FullFence:
		case g.model.PPO&parse.StoreStore != 0:
			e.storeBuffer(lo, hi)
		default:
			e.newThread(lo, hi)
			e.relaxed(lo, hi)
		}
		e.newThread(lo, hi)
		e.accesses(lo, hi)
	}
	e.final()
	e.storeOrder()
	if g.model.Deps {
		e.dependencies()
	}
	for _, d := range g.localEdges {
		e.emit(g.node[d.from], g.node[d.to], tagProgram)
	}
}

// newThread forgets what the thread before had, at the cost of that: there may be as many locations as threads.
func (e *emitter) newThread(lo, hi parse.OpID) {
	if !e.begun {
		e.begun = true
		for x := range e.lastOwn {
			e.lastOwn[x], e.ownRead[x] = NoNode, -1
		}
	}
	for id := e.lo; id < e.hi; id++ {
		if o := &e.g.hist.Ops[id]; o.Kind != parse.Fence {
			e.lastOwn[o.Loc], e.ownRead[o.Loc] = NoNode, -1
		}
	}
	e.lo, e.hi = lo, hi
}

// accesses emits what a thread's reads say by themselves: reads-from, and
// the order of its own earlier write to what a read returned instead (coWR).
// A read of what its thread writes later (coRW) or of the initial write after
// an own write is a contradiction.
func (e *emitter) accesses(lo, hi parse.OpID) {
	g := e.g
	for id := lo; id < hi; id++ {
		o := &g.hist.Ops[id]
		if o.Kind == parse.Fence {
			continue
		}
		x := o.Loc
		if o.Reads() {
			if o.RF > id && o.RF < hi {
				g.contradict(witness.Edge{From: o.RF, To: o.RF, Rule: witness.Coherence, Via: id, Lemma: -1})
			}
			e.reads(id, o, lo, hi)
			if own := e.lastOwn[x]; own != NoNode && o.Kind == parse.Read && g.model.ForwardOwn {
				e.ownStore(id, o, own)
			}
		}
		if o.Writes() {
			e.lastOwn[x], e.ownRead[x] = g.node[id], -1
		}
	}
}

// reads emits reads-from, unless the read is forwarded from the thread's own
// store buffer.
func (e *emitter) reads(id parse.OpID, o *parse.Op, lo, hi parse.OpID) {
	g := e.g
	r := g.node[id]
	if o.RF == parse.Init || r == NoNode {
		return
	}
	if g.model.ForwardOwn && o.Kind == parse.Read && o.RF >= lo && o.RF < hi {
		return
	}
	w := g.node[o.RF]
	if e.readBy[w] != g.chain[r] || g.component(w, r) != g.entry[w] {
		e.readBy[w] = g.chain[r]
		e.emit(w, r, tagReads)
	}
}

// ownStore emits the edge from the thread's latest write before a read to
// the other write that the read returned.
func (e *emitter) ownStore(id parse.OpID, o *parse.Op, own Node) {
	g := e.g
	if o.RF == parse.Init {
		g.contradict(
			witness.Edge{From: g.op[own], To: parse.Init, Rule: witness.OwnStore, Via: id, Lemma: -1},
			witness.Edge{From: parse.Init, To: g.op[own], Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1})
		return
	}
	w := g.node[o.RF]
	if w != own && e.ownRead[o.Loc] != int32(w) {
		e.ownRead[o.Loc] = int32(w)
		e.emit(own, w, tagOwn)
	}
}

// final emits edges from every other write to a location's final write.
func (e *emitter) final() {
	g := e.g
	for x, f := range g.hist.Final {
		if f == parse.NoOp {
			continue
		}
		lo, hi := g.writeChains(int32(x))
		for l := lo; l < hi; l++ {
			last := g.at(g.chainOfWrites[l], g.writePos[g.firstSlot[l+1]-1])
			if f == parse.Init {
				g.contradict(
					witness.Edge{From: g.op[last], To: parse.Init, Rule: witness.FinalWrite, Via: parse.NoOp, Lemma: -1},
					witness.Edge{From: parse.Init, To: g.op[last], Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1})
			} else if w := g.node[f]; w != last {
				e.emit(last, w, tagFinal)
			}
		}
	}
}

func (e *emitter) storeOrder() {
	for _, writes := range e.g.hist.StoreOrder {
		for i := 1; i < len(writes); i++ {
			e.emit(e.g.node[writes[i-1]], e.g.node[writes[i]], tagOrder)
		}
	}
}

// contradict records a cycle of static facts, if none is known yet.
func (g *Graph) contradict(cycle ...witness.Edge) {
	if !g.conflict.found {
		g.conflict = conflict{found: true, cycle: cycle}
	}
}
