package saturate

import "math"

// cursors are, during the sweep, the positions in each write chain up to which a thread
// has applied the rules: what they derive from earlier writes was derived at an
// earlier operation of the thread on the same location. Reads and writes of a
// thread have different clocks, so each has its own cursor. The arrays are nil
// where they would be too large; then every lookup is a binary search.
type cursors struct {
	reads, writes []int32 // thread × write chain → position of the next unseen write
}

// never is the cursor of a write chain without further writes.
const never = math.MaxInt32

func (g *Graph) initCursors() {
	if g.byLocation() {
		return // rows of other nodes serve instead
	}
	writeChains := len(g.chainOfWrites)
	threads := g.hist.Threads()
	if writeChains*threads > 2*g.n+1<<12 {
		return
	}
	g.cursors.reads = make([]int32, writeChains*threads)
	for l := range writeChains {
		g.cursors.reads[l] = g.writePos[g.firstSlot[l]]
	}
	for t := 1; t < threads; t++ {
		copy(g.cursors.reads[t*writeChains:], g.cursors.reads[:writeChains])
	}
	g.cursors.writes = append([]int32(nil), g.cursors.reads...)
}

func (g *Graph) threadCursors(all []int32, v Node, lo, hi int32) []int32 {
	if all == nil {
		return nil
	}
	base := int(g.thread[g.chain[v]]) * len(g.chainOfWrites)
	return all[base+int(lo) : base+int(hi)]
}

// behind is the cursor of a write chain behind the slot of the last write that was seen.
func (g *Graph) behind(writeChain, slot int32) int32 {
	if slot+1 < g.firstSlot[writeChain+1] {
		return g.writePos[slot+1]
	}
	return never
}

// firstA applies rule A to a read just processed.
func (g *Graph) firstA(r Node, row []int32) bool {
	if g.byLocation() {
		return g.firstGates(r, row) &&
			(g.kind[r]&bitWrite == 0 || g.newWrites(r, row, g.knownGates(r), func(u Node) bool { return g.ruleA(u, r) }))
	}
	lo, hi := g.writeChains(g.loc[r])
	cur := g.threadCursors(g.cursors.reads, r, lo, hi)
	own, w := g.chain[r], g.rf[r]
	var known []int32 // what precedes w already
	if !g.isInit(w) {
		known = g.row(Node(w))
	}
	for i, c := range g.chainOfWrites[lo:hi] {
		p := row[c]
		if c == own {
			p-- // an RMW does not precede its own read
		}
		if p <= 0 || cur != nil && p < cur[i] {
			continue
		}
		l := lo + int32(i)
		s := g.lastSlot(l, p)
		if s < 0 {
			continue
		}
		p = g.writePos[s]
		u := g.at(c, p)
		if (known == nil || known[c] < p) && !g.ruleA(u, r) {
			return false
		}
		switch {
		case cur == nil:
		case int32(u) == w:
			cur[i] = p // a later read of another write derives u → that
		default:
			cur[i] = g.behind(l, s)
		}
	}
	return true
}

// ruleA derives that u, a write that precedes the read r, precedes what r
// returned.
func (g *Graph) ruleA(u, r Node) bool {
	w := g.rf[r]
	if int32(u) == w {
		return true
	}
	if g.isInit(w) {
		return g.failInit(u, r)
	}
	return g.derive(u, Node(w), byRuleA, r)
}

// firstB applies rule B to a write about to be processed. Edges from readers
// not yet processed make it wait.
func (g *Graph) firstB(w Node) bool {
	row, before := g.row(w), g.inferred.count
	if g.byLocation() {
		if !g.firstReaders(w, row) {
			return false
		}
	} else if !g.firstReadersInChains(w, row) {
		return false
	}
	if g.inferred.count > before && g.wait[w] == 0 {
		return g.firstB(w) // the rows of the readers may show more
	}
	return true
}

func (g *Graph) firstReadersInChains(w Node, row []int32) bool {
	lo, hi := g.writeChains(g.loc[w])
	cur := g.threadCursors(g.cursors.writes, w, lo, hi)
	own := g.chain[w]
	for i, c := range g.chainOfWrites[lo:hi] {
		p := row[c]
		l := lo + int32(i)
		if c == own {
			p--
			if g.slot[w] == g.firstSlot[l] && !g.readersBefore(g.initOf(w), w) {
				return false
			}
		}
		if p <= 0 || cur != nil && p < cur[i] {
			continue
		}
		s := g.lastSlot(l, p)
		if s < 0 {
			continue
		}
		if cur != nil {
			cur[i] = g.behind(l, s)
		}
		if u := g.at(c, g.writePos[s]); !g.readersBefore(int32(u), w) {
			return false
		}
	}
	return true
}

func (g *Graph) initOf(v Node) int32 { return int32(g.n) + g.loc[v] }

// readersBefore derives by rule B that the readers of a writer precede w. An
// RMW, which may be one of them, stands in its own row.
func (g *Graph) readersBefore(writer int32, w Node) bool {
	for _, r := range g.LastReaders(writer) {
		if c := g.component(r, w); (c < 0 || g.cell(w, c) < g.pos(r)) && !g.derive(r, w, byRuleB, w) {
			return false
		}
	}
	return true
}

// derive adds the edge u → v, which an inferredEdge holds as names and why,
// unless the rows imply it already, and hands u's row on. It returns false on
// a contradiction.
func (g *Graph) derive(u, v Node, why reason, names Node) bool {
	if g.chain[u] == g.chain[v] {
		if u < v {
			return true
		}
		return g.fail(g.link(u, names, why))
	}
	if g.known(u, v) {
		return true
	}
	ref := g.link(u, names, why)
	if g.follows(u, v) {
		return g.fail(ref)
	}
	switch {
	case g.order[u] == 0 && g.order[v] == 0:
		g.wait[v]++
	case g.order[u] == 0: // u hands its row on when it is processed
	case g.order[v] == 0:
		g.joinRow(u, v)
	default:
		g.joinAll(u, v)
	}
	return true
}
