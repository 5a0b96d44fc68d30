package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// fencedReads are the reads of a graph of BuildFenced, which have no nodes.
type fencedReads struct {
	fencedOnly  bool         // the graph is one of BuildFenced
	fences      []int32      // thread → the chain of its fences, or -1
	returnStart []int32      // node → its first entry in returns; one entry more
	returns     []int32      // the writer of each read between a fence and the next
	readStart   []int32      // writer → its first entry in reads; one entry more
	isolatedOf  []parse.OpID // by writer
}

// FencedOnly reports whether full fences alone order reads of the history under the
// model, other than by what they return: under a model that keeps no
// program order and has no dependencies to look at. Then BuildFenced applies.
func FencedOnly(h *parse.History, m model.Model) bool {
	if m.Family != model.Total || m.PPO != 0 || m.Rules != nil || m.RealTime || len(h.Deps) > 0 {
		return false
	}
	for i := range h.Ops {
		if o := &h.Ops[i]; o.Kind == parse.Fence && o.Mask != parse.FullFence {
			return false
		}
	}
	return true
}

// BuildFenced makes the static graph of a history that FencedOnly applies to, with
// nodes for writes, RMWs and fences only, for a search for an order. Nodes stand for a
// read: the fence before it reads from its writer in its place (see Returned), which
// precedes the fence after it, unless it is the thread's own. All reads are
// isolated: any of them may follow its writer and the fence before it, whichever comes
// later. There is an order of the graph exactly if there is one of that of Build, which
// has two or three times as many nodes. The graph cannot be saturated.
func BuildFenced(h *parse.History, m model.Model) *Graph {
	g := &Graph{hist: h, model: m, fencedReads: fencedReads{fencedOnly: true}}
	plan := chainPlan{chain: make([]int32, len(h.Ops))}
	for id := range plan.chain {
		plan.chain[id] = -1
	}
	plan.planRelaxed(h, m, make([]bool, len(h.Ops)))
	g.number(plan)
	g.columns = columns{columns: g.chains, width: g.chains, column: g.chain}
	g.collectWrites()
	g.collectReturns()
	g.collectEdges(nil)
	return g
}

// collectReturns finds what fences return in place of the reads between them and the
// next, and the readers of each writer. Nodes are numbered in program order.
func (g *Graph) collectReturns() {
	h := g.hist
	writers := g.n + len(h.Locations)
	g.readers, g.fences = make([]int32, writers), make([]int32, h.Threads())
	g.returnStart, g.returns = make([]int32, g.n+1), make([]int32, 0, len(g.isolated))
	for t := range h.Threads() {
		g.fences[t] = -1
		fence := NoNode
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			v := g.node[id]
			switch {
			case v != NoNode && g.kind[v] == 0:
				fence, g.fences[t] = v, g.chain[v]
			case v != NoNode && g.kind[v]&bitRead != 0:
				g.readers[g.rf[v]]++
			case v == NoNode && fence != NoNode:
				w := g.writerOf(id)
				g.readers[w]++
				g.returns = append(g.returns, w)
				g.returnStart[fence+1]++
			}
		}
	}
	for v := range g.n {
		g.returnStart[v+1] += g.returnStart[v]
	}
	g.readStart, g.isolatedOf = closure.Group(writers, g.isolated, g.writerOf)
	g.collectLastReturns()
}

// collectLastReturns finds the last reader of a writer in each chain.
func (g *Graph) collectLastReturns() {
	writers := len(g.readers)
	g.lastStart = make([]int32, writers+1)
	end := int32(0)
	for w, n := range g.readers {
		g.lastStart[w] = end
		end += n
	}
	filled := slices.Clone(g.lastStart)
	last := make([]Node, end)
	for v := range Node(g.n) {
		for _, w := range g.Returned(v) {
			if i := filled[w]; i > g.lastStart[w] && g.chain[last[i-1]] == g.chain[v] {
				last[i-1] = v
			} else {
				last[i] = v
				filled[w]++
			}
		}
	}
	end = 0
	for w := range writers {
		n := int32(copy(last[end:], last[g.lastStart[w]:filled[w]]))
		g.lastStart[w] = end
		end += n
	}
	g.lastStart[writers] = end
	g.lastRead = slices.Clone(last[:end])
}

// writerOf is the writer of a read, as Writer names it.
func (g *Graph) writerOf(id parse.OpID) int32 {
	o := &g.hist.Ops[id]
	if o.RF == parse.Init {
		return int32(g.n) + o.Loc
	}
	return int32(g.node[o.RF])
}

// fencedReads emits for the reads of a thread that their writers precede the next
// fence. A write that came before one fence need not be said to come before the
// others.
func (e *emitter) fencedReads(lo, hi parse.OpID) {
	g := e.g
	first := lo // after the latest fence
	for id := lo; id < hi; id++ {
		f := g.node[id]
		if g.hist.Ops[id].Kind != parse.Fence {
			continue
		}
		for r := first; r < id; r++ {
			o := &g.hist.Ops[r]
			if o.Kind != parse.Read || o.RF == parse.Init || o.RF >= lo && o.RF < hi {
				continue
			}
			if w := g.node[o.RF]; e.readBy[w] != g.chain[f] {
				e.readBy[w] = g.chain[f]
				e.emit(w, f, tagReads)
			}
		}
		first = id + 1
	}
}

// Fenced reports whether this is a graph of BuildFenced.
func (g *Graph) Fenced() bool { return g.fencedOnly }

// Returned lists the writers whose values v returns: that of a read, and, in a graph
// of BuildFenced, for a fence that of each read between it and the next.
func (g *Graph) Returned(v Node) []int32 {
	switch {
	case g.kind[v]&bitRead != 0:
		return g.rf[v : v+1 : v+1]
	case g.fencedOnly:
		return g.returns[g.returnStart[v]:g.returnStart[v+1]]
	}
	return nil
}

// WriterLoc is the location of a writer.
func (g *Graph) WriterLoc(writer int32) int32 {
	if g.isInit(writer) {
		return writer - int32(g.n)
	}
	return g.loc[writer]
}

// ReadsOf lists the reads of a writer that have no nodes, in a graph of BuildFenced.
func (g *Graph) ReadsOf(writer int32) []parse.OpID {
	return g.isolatedOf[g.readStart[writer]:g.readStart[writer+1]]
}

// FenceChain is the chain of a thread's fences, or -1, in a graph of BuildFenced.
func (g *Graph) FenceChain(thread int) int32 { return g.fences[thread] }
