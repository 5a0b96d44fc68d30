// Package saturate holds the graph that every procedure for the models with a
// global memory order works on: an edge says that one operation precedes
// another in every global memory order that explains the history. Build makes
// the static edges of a history under a model, Saturate closes them under two
// rules (with x the common location, U, W, W' writes to it, R a read of it):
//
//	A: U before R, U ≠ rf(R)       ⇒  U before rf(R)
//	B: W before W', R reads W      ⇒  R before W'   (R ≠ W' if W' is an RMW)
//
// This is the closure of Hangal et al. (ISCA 2004) and Manovit and Hangal
// (SPAA 2005) for TSO, and weak sequential consistency of Zennou et al. for
// SC. A cycle means that the model forbids the history.
package saturate

import (
	"slices"
	"sort"

	"ordeal/check/model"
	"ordeal/parse"
)

// Node is a vertex of the graph: an operation, an ordering fence, or a tick of the
// time line, which counts as a fence and has no operation. Nodes
// are numbered so that a chain is ascending (see numbering).
type Node int32

// NoNode marks an operation that has no node of its own: a fence that
// orders nothing the model does not, or an isolated read (see Isolated).
const NoNode Node = -1

// kind bits of nodes. A fence has none.
const (
	bitRead  uint8 = 1 << iota // rule A applies
	bitWrite                   // rule B applies
)

// Graph is the graph of one history under one model. Edges are of three
// kinds: each node to the next of its chain (implicit), static edges, and
// inferred edges. The clock row of a node v holds for each chain the largest
// position in it, counted from 1, of a node that precedes or is v; 0 where
// there is none. Under models that do not keep the order of stores it holds
// this for some chains only (see clockLayout).
//
// Initial writes are not nodes. A writer is named by its node, or, for the
// initial write of location x, by Nodes()+x.
type Graph struct {
	hist  *parse.History
	model model.Model

	nodeTable
	ruled
	writeChainIndex
	readerIndex
	edgeSet
	clockLayout
	gates
	closing
}

// nodeTable says what the nodes are.
type nodeTable struct {
	n, chains, words int // words: 64-bit words of a mask of a row
	numbering
	op       []parse.OpID // node → operation
	node     []Node       // operation → node or NoNode
	kind     []uint8      // node → kind bits
	chain    []int32      // node → chain
	loc      []int32      // node → location, -1 for fences
	rf       []int32      // node → writer read from, -1 for non-reads
	thread   []int32      // chain → thread
	second   []Node       // second nodes of fences, or fence nodes, in program order
	isolated []parse.OpID // reads without node, in order
}

// writeChainIndex finds write chains: the writes to one location that lie in one chain.
type writeChainIndex struct {
	writeChainStart []int32  // location → its first write chain; one entry more
	chainOfWrites   []int32  // write chain → chain
	writeChainMask  []uint64 // location × words → chains with a write chain; nil for wide graphs
	firstSlot       []int32  // write chain → its first slot; one entry more
	writePos        []int32  // slot → position in the chain, ascending in a write chain
	near            []int32  // write chain → slot where the last search ended
	slot            []int32  // write node → slot, -1 for other nodes
}

// readerIndex finds for each writer its last reader in each chain.
type readerIndex struct {
	lastStart []int32 // writer → first entry in lastRead; one entry more
	lastRead  []Node
	readers   []int32 // writer → number of all its readers that have a node
}

// edgeSet is the edges other than the implicit ones.
type edgeSet struct {
	outStart []int32 // node → first static edge; one entry more
	outTo    []Node
	inStart  []int32 // the same by target, made when first asked for
	inFrom   []Node
	outTag   []tag
	head     []int32 // node → its latest inferred edge, -1 for none
	inferred edgeLog
	paths    int // number of inferred edges that are paths
}

// closing is the state of the closure under the rules.
type closing struct {
	clockRows
	order []int32 // node → number from 1 in the order of the sweep, 0 before
	wait  []int32 // sweep: node not processed → predecessors not processed
	cursors
	repairQueue
	trail    *trail
	conflict conflict
	coverage coverage // of searches for paths
}

// Contradictory reports whether a contradiction was found.
func (g *Graph) Contradictory() bool { return g.conflict.found }

// Nodes is the number of nodes.
func (g *Graph) Nodes() int { return g.n }

// Chains is the number of chains.
func (g *Graph) Chains() int { return g.chains }

// History is the history that the graph was built from.
func (g *Graph) History() *parse.History { return g.hist }

// Model is the model that the graph was built for.
func (g *Graph) Model() model.Model { return g.model }

// Op is the operation that v represents.
func (g *Graph) Op(v Node) parse.OpID { return g.op[v] }

// Node is the node of an operation, or NoNode.
func (g *Graph) Node(id parse.OpID) Node { return g.node[id] }

// IsRead, IsWrite and IsFence say what v is; an RMW is read and write.
func (g *Graph) IsRead(v Node) bool  { return g.kind[v]&bitRead != 0 }
func (g *Graph) IsWrite(v Node) bool { return g.kind[v]&bitWrite != 0 }
func (g *Graph) IsFence(v Node) bool { return g.kind[v] == 0 }

// Loc is the location of v, -1 for a fence.
func (g *Graph) Loc(v Node) int32 { return g.loc[v] }

// Writer is the writer that the read v reads from: a node, or Nodes()+x for
// the initial write of x.
func (g *Graph) Writer(v Node) int32 { return g.rf[v] }

// Returned lists the writers whose values v returns: one if v is a read.
func (g *Graph) Returned(v Node) []int32 {
	if g.kind[v]&bitRead != 0 {
		return g.rf[v : v+1 : v+1]
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

// Isolated lists the reads that have no node, because only edges from and to the
// writes around them could lead through them: they may directly follow their
// writer. Only RMO has such reads.
func (g *Graph) Isolated() []parse.OpID { return g.isolated }

// Readers is the number of nodes that read from a writer.
func (g *Graph) Readers(writer int32) int32 { return g.readers[writer] }

// LastReaders lists the last reader of a writer in each chain.
func (g *Graph) LastReaders(writer int32) []Node {
	return g.lastRead[g.lastStart[writer]:g.lastStart[writer+1]]
}

// SweepOrder is v's number, from 1, in the order in which the sweep visited the
// nodes: a linear extension of the edges known at that time.
func (g *Graph) SweepOrder(v Node) int32 { return g.order[v] }

// HB reports whether u precedes v or is v, by the edges known so far. It is
// exact once Saturate has returned true.
func (g *Graph) HB(u, v Node) bool {
	if g.byLocation() {
		return g.before(u, v)
	}
	return g.cell(v, g.chain[u]) >= g.pos(u)
}

func (g *Graph) isInit(writer int32) bool { return int(writer) >= g.n }

func (g *Graph) writeChains(x int32) (lo, hi int32) {
	return g.writeChainStart[x], g.writeChainStart[x+1]
}

// lastSlot is the slot of the last write of a write chain at or before a position of its
// chain, or -1.
func (g *Graph) lastSlot(writeChain, pos int32) int32 {
	first := g.firstSlot[writeChain]
	s := lastUpTo(g.writePos, first, g.firstSlot[writeChain+1], &g.near[writeChain], pos)
	if s == first {
		return -1
	}
	return s - 1
}

// lastAt is the last write of a write chain at or before a position of its chain, or
// NoNode.
func (g *Graph) lastAt(writeChain, pos int32) Node {
	s := g.lastSlot(writeChain, pos)
	if s < 0 {
		return NoNode
	}
	return g.at(g.chainOfWrites[writeChain], g.writePos[s])
}

// lastUpTo is the first index from first to end whose position, of ascending
// ones, is beyond pos. It begins where the last search ended, since searches
// follow the sweep.
func lastUpTo(positions []int32, first, end int32, near *int32, pos int32) int32 {
	s := *near
	for steps := 0; ; steps++ {
		switch {
		case steps == 4:
			s = first + int32(sort.Search(int(end-first), func(i int) bool { return positions[int(first)+i] > pos }))
		case s < end && positions[s] <= pos:
			s++
			continue
		case s > first && positions[s-1] > pos:
			s--
			continue
		}
		break
	}
	*near = s
	return s
}

// Successors calls f for each edge out of v until f returns false.
func (g *Graph) Successors(v Node, f func(Node) bool) {
	if s := g.After(v); s != g.End() && !f(s) {
		return
	}
	for _, s := range g.static(v) {
		if !f(s) {
			return
		}
	}
	for i := g.head[v]; i >= 0; {
		e := g.inferred.at(i)
		if !f(g.target(e)) {
			return
		}
		i = e.next()
	}
}

func (g *Graph) static(v Node) []Node { return g.outTo[g.outStart[v]:g.outStart[v+1]] }

// NextWrites calls f for the first write to x of each chain at or after the
// chain's head; heads holds a node, or End, for each chain. hint, made by NewHint, caches positions.
func (g *Graph) NextWrites(x int32, heads []Node, hint []int32, f func(Node)) {
	lo, hi := g.writeChains(x)
	for l := lo; l < hi; l++ {
		c := g.chainOfWrites[l]
		head := g.length(c) + 1
		if heads[c] != g.End() {
			head = g.pos(heads[c])
		}
		s, first, end := hint[l], g.firstSlot[l], g.firstSlot[l+1]
		for s < end && g.writePos[s] < head {
			s++
		}
		for s > first && g.writePos[s-1] >= head {
			s--
		}
		hint[l] = s
		if s == end {
			continue
		}
		f(g.at(c, g.writePos[s]))
	}
}

// NewHint makes a hint for NextWrites.
func (g *Graph) NewHint() []int32 {
	return append([]int32(nil), g.firstSlot[:len(g.chainOfWrites)]...)
}

// OpenBefore is a node in another chain that precedes v, the head of its chain,
// and is not placed, or NoNode if it finds none; heads holds for each chain its
// first node not placed, or End. It is the head of a chain. Before Saturate it
// goes by the static edges alone.
func (g *Graph) OpenBefore(v Node, heads []Node) Node {
	if g.order == nil {
		return g.openSource(v, heads)
	}
	row := g.row(v)
	open := func(chain, pos int32) bool {
		return chain != g.chain[v] && pos > 0 && g.at(chain, pos) >= heads[chain]
	}
	if !g.byLocation() {
		for c, pos := range row {
			if open(int32(c), pos) {
				return heads[c]
			}
		}
		return NoNode
	}
	for i, c := range g.entryChain {
		if open(c, row[i]) {
			return heads[c]
		}
	}
	switch {
	case g.IsFence(v): // it may wait for any own access before it
		first, _ := slices.BinarySearch(g.thread, g.thread[g.chain[v]])
		for c := int32(first); int(c) < g.chains && g.thread[c] == g.thread[g.chain[v]]; c++ {
			if u := heads[c]; c != g.chain[v] && u != g.End() && g.op[u] < g.op[v] && g.HB(u, v) {
				return u
			}
		}
	case g.IsWrite(v):
		lo, hi := g.writeChains(g.loc[v])
		for l := lo; l < hi; l++ {
			if c := g.chainOfWrites[l]; open(c, row[g.writeChainComponent(lo, l)]) {
				return heads[c]
			}
		}
	default:
		if w := g.writeBehind(v); w != NoNode && w >= heads[g.chain[w]] {
			return heads[g.chain[w]]
		}
	}
	return NoNode
}

// CountPredecessors adds to each node's count the number of edges into it.
func (g *Graph) CountPredecessors(count []int32) {
	for v := range Node(g.n) {
		if s := g.After(v); s != g.End() {
			count[s]++
		}
	}
	for _, v := range g.outTo {
		count[v]++
	}
	for _, block := range g.inferred.blocks {
		for _, e := range block {
			count[g.target(e)]++
		}
	}
}

// Chain is the chain of v.
func (g *Graph) Chain(v Node) int32 { return g.chain[v] }

// Thread is the thread of v.
func (g *Graph) Thread(v Node) int32 { return g.thread[g.chain[v]] }
