package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/parse"
)

// Gates lead from the writes of one location to nodes of others, in graphs
// whose rows have components for write chains. A path from a write to x that reaches a
// node of another location leaves x at a node of a chain with a clock entry: a read
// from another thread, an RMW, or a fence. This gate stands for a write that
// precedes or is it, and that no other write to x precedes it by without
// preceding that one.
//
// A group of gates are those of one location in one clock entry. Under PSO the
// writes of a group are ordered by the rules like their gates, so that the last
// gate at or before a position says all; not so where reads between two fences
// have no order.
type gates struct {
	gateStart []int32 // location → its first group; one entry more
	gateEntry []int32 // group → clock entry
	gateFirst []int32 // group → its first gate; one entry more
	gatePos   []int32 // gate → position in the chain, ascending in a group
	gateWrite []chainedWrite
	gateNear  []int32 // group → gate where the last search ended
	ordered   bool    // the writes of a group are ordered like their gates
}

type gate struct {
	loc, entry, pos int32
	write           Node
}

// chainedWrite is the write of a gate, with its write chain, so that a look at a row that
// shows it needs nothing else of it.
type chainedWrite struct {
	writeChain int32
	write      Node
}

// shown reports whether the row of a write to the location of u shows that u
// precedes it or is it.
func (g *Graph) shown(u chainedWrite, row []int32, firstWriteChain int32) bool {
	return row[g.writeChainComponent(firstWriteChain, u.writeChain)] >= g.pos(u.write)
}

func (g *Graph) groups(x int32) (lo, hi int32) { return g.gateStart[x], g.gateStart[x+1] }

func (g *Graph) collectGates() {
	if !g.byLocation() {
		return
	}
	list := gateList{g: g, seen: make([]parse.OpID, g.entries), met: make([]Node, len(g.hist.Locations))}
	for x := range list.met {
		list.met[x] = NoNode
	}
	if g.model.Rules != nil {
		list.ruledGates()
	}
	second := g.second
	for t := range g.hist.Threads() {
		for c, chain := range g.entryChain {
			if int(g.thread[chain]) == t {
				list.seen[c] = g.hist.Start[t]
			}
		}
		for id := g.hist.Start[t]; id < g.hist.Start[t+1]; id++ {
			v := g.node[id]
			switch o := &g.hist.Ops[id]; {
			case v == NoNode: // and the fences of models with Rules
			case o.Kind != parse.Fence:
				list.access(v, o)
			default:
				for i, part := range parts(o.Mask, g.model.PPO) {
					if i == 1 {
						v, second = second[0], second[1:]
					}
					list.fence(v, part)
				}
			}
		}
	}
	_, all := closure.Group(g.entries, list.gates, func(e gate) int32 { return e.entry })
	start, all := closure.Group(len(g.hist.Locations), all, func(e gate) int32 { return e.loc })
	g.ordered = g.model.PPO != 0
	g.gateStart = make([]int32, len(start))
	for x := range g.hist.Locations {
		for i := start[x]; i < start[x+1]; i++ {
			if i == start[x] || all[i-1].entry != all[i].entry {
				g.gateEntry = append(g.gateEntry, all[i].entry)
				g.gateFirst = append(g.gateFirst, i)
			}
		}
		g.gateStart[x+1] = int32(len(g.gateEntry))
	}
	g.gatePos, g.gateWrite = make([]int32, len(all)), make([]chainedWrite, len(all))
	for i, e := range all {
		g.gatePos[i], g.gateWrite[i] = e.pos, chainedWrite{g.writeChain[g.slot[e.write]], e.write}
	}
	g.gateNear = slices.Clone(g.gateFirst)
	g.gateFirst = append(g.gateFirst, int32(len(all)))
}

// gateList collects the gates of a graph, thread by thread.
type gateList struct {
	g     *Graph
	gates []gate
	seen  []parse.OpID // clock entry → operation after the latest fence in it
	met   []Node       // location → fence part that needs no other gate for it
}

func (l *gateList) add(v Node, x int32, w Node) {
	l.gates = append(l.gates, gate{loc: x, entry: l.g.entry[v], pos: l.g.pos(v), write: w})
}

// access adds the gate that an access in a chain with a clock entry is.
func (l *gateList) access(v Node, o *parse.Op) {
	if w := l.g.writeBehind(v); w != NoNode && l.g.entry[v] >= 0 {
		l.add(v, o.Loc, w)
	}
}

// writeBehind is the latest write that an access itself shows to precede or be
// it: itself, what it read from another thread, or NoNode.
func (g *Graph) writeBehind(v Node) Node {
	switch w := g.rf[v]; {
	case g.kind[v]&bitWrite != 0:
		return v
	case w >= 0 && !g.isInit(w) && g.thread[g.chain[w]] != g.thread[g.chain[v]]:
		return Node(w)
	case g.afterOwn != nil:
		if root, ok := g.afterOwn[g.op[v]]; ok {
			return g.writeBehind(g.node[root])
		}
	}
	return NoNode
}

// fence adds the gates that a part of a fence is: for what its thread read from
// others, and for the latest own write to each location, since the fence before
// it in the chain. Where an access in the same chain comes after a write, it is
// the gate.
func (l *gateList) fence(f Node, part fencePart) {
	g, c := l.g, l.g.entry[f]
	for id := g.op[f] - 1; id >= l.seen[c]; id-- {
		o, v := &g.hist.Ops[id], g.node[id]
		if v == NoNode || o.Kind == parse.Fence {
			continue
		}
		switch w := g.writeBehind(v); {
		case w == NoNode || w == v && l.met[o.Loc] == f:
		case g.entry[v] == c:
			l.met[o.Loc] = f
		case part.sources&directions(o) != 0:
			l.add(f, o.Loc, w)
			if w == v {
				l.met[o.Loc] = f
			}
		}
	}
	l.seen[c] = g.op[f] + 1
}

// gatesUpTo are the gates of a group at positions up to pos and beyond known, of
// which only the last counts where the writes are ordered.
func (g *Graph) gatesUpTo(group, known, pos int32) []chainedWrite {
	first := g.gateFirst[group]
	end := lastUpTo(g.gatePos, first, g.gateFirst[group+1], &g.gateNear[group], pos)
	i := end
	for i > first && g.gatePos[i-1] > known && (i == end || !g.ordered) {
		i--
	}
	return g.gateWrite[i:end]
}

// fromGates applies rule A to a read, or, for a write that reads nothing, notes
// the writes to its location that precede it by paths through other
// locations. known, if not nil, is a row whose gates need no second look: of a
// read that of its writer.
func (g *Graph) fromGates(v Node, group int32, row, known []int32) bool {
	c := g.gateEntry[group]
	p, k := row[c], int32(0)
	if c == g.entry[v] {
		p--
	}
	if known != nil {
		k = known[c]
	}
	if p <= k {
		return true
	}
	first, to := g.writeChainStart[g.loc[v]], row
	if g.kind[v]&bitRead != 0 {
		to = known
	}
	list := g.gatesUpTo(group, k, p)
	for i := len(list) - 1; i >= 0; i-- {
		switch u := list[i]; {
		case to != nil && g.shown(u, to, first):
		case g.kind[v]&bitRead != 0:
			if !g.ruleA(u.write, v) {
				return false
			}
		case u.write == v: // on a cycle that an edge out of v closes
		case !g.derive(u.write, v, byPath, v):
			return false
		}
	}
	return true
}

// firstGates does so for all gates of the location of a node that the sweep
// comes to.
func (g *Graph) firstGates(v Node, row []int32) bool {
	known := g.knownGates(v)
	lo, hi := g.groups(g.loc[v])
	for i := lo; i < hi; i++ {
		if !g.fromGates(v, i, row, known) {
			return false
		}
	}
	return true
}

// knownGates is a row of what needs no second look: of the node at which the gates
// that a node shares with it were looked at, the writer of a read; of a write
// knownWrites.
func (g *Graph) knownGates(v Node) []int32 {
	if w := g.rf[v]; w >= 0 {
		if g.isInit(w) {
			return nil
		}
		return g.row(Node(w))
	}
	return g.knownWrites(v)
}

// knownWrites joins the rows of the write before w in its write chain and of the latest
// other one that precedes w: there the rules were applied to what these show.
func (g *Graph) knownWrites(w Node) []int32 {
	u, latest := g.writeBefore(w), g.latest[g.slot[w]]
	switch {
	case u == NoNode && latest == NoNode:
		return nil
	case latest == NoNode:
		return g.row(u)
	case u == NoNode:
		return g.row(latest)
	}
	g.joined = append(g.joined[:0], g.row(latest)...)
	raise(g.joined, g.row(u))
	return g.joined
}

// writeBefore is the write before a write in its write chain, or NoNode.
func (g *Graph) writeBefore(w Node) Node {
	s := g.slot[w]
	l := g.writeChain[s]
	if s == g.firstSlot[l] {
		return NoNode
	}
	return g.at(g.chainOfWrites[l], g.writePos[s-1])
}

// newWrites calls f for each write chain of w's location with the latest write in it
// that precedes w, until f returns false. It leaves out what known, if not nil
// the row of another write to the location, has.
func (g *Graph) newWrites(w Node, row, known []int32, f func(Node) bool) bool {
	lo, hi := g.writeChains(g.loc[w])
	for l := lo; l < hi; l++ {
		c := g.writeChainComponent(lo, l)
		p := row[c]
		if l == g.writeChain[g.slot[w]] {
			p--
		}
		if p <= 0 || known != nil && p <= known[c] {
			continue
		}
		if u := g.lastAt(l, p); u != NoNode && !f(u) {
			return false
		}
	}
	return true
}

// firstReaders applies rule B to a write that the sweep comes to. The writes
// behind knownWrites precede it, so that readers of what precedes these need no
// second look.
func (g *Graph) firstReaders(w Node, row []int32) bool {
	if g.kind[w]&bitRead == 0 && !g.firstGates(w, row) {
		return false
	}
	u, latest := int32(g.writeBefore(w)), g.latest[g.slot[w]]
	if u == int32(NoNode) {
		u = g.initOf(w)
	}
	return g.readersBefore(u, w) && (latest == NoNode || g.readersBefore(int32(latest), w)) &&
		g.newWrites(w, row, g.knownWrites(w), func(u Node) bool { return g.readersBefore(int32(u), w) })
}

// reapplyGates applies the rules to u for the clock entries of a mask and then, if it
// writes, for the write chains of a mask.
func (g *Graph) reapplyGates(u Node, mask []uint64) bool {
	var known []int32
	if !g.ordered {
		known = g.knownGates(u)
	}
	row := g.row(u)
	has := func(c int32) bool { return mask[c>>6]>>(c&63)&1 != 0 }
	lo, hi := g.groups(g.loc[u])
	for i := lo; i < hi; i++ {
		if has(g.gateEntry[i]) && !g.fromGates(u, i, row, known) {
			return false
		}
	}
	if g.kind[u]&bitWrite == 0 {
		return true
	}
	lo, hi = g.writeChains(g.loc[u])
	for l := lo; l < hi; l++ {
		if c := g.writeChainComponent(lo, l); has(c) && !g.reapplyIn(u, l, c) {
			return false
		}
	}
	return true
}

// before reports whether u precedes v or is v, in a graph whose rows have
// components for write chains.
func (g *Graph) before(u, v Node) bool {
	if u == v {
		return true
	}
	if g.kind[u]&g.kind[v]&bitWrite != 0 && g.loc[u] == g.loc[v] {
		return g.cell(v, g.component(u, v)) >= g.pos(u)
	}
	if c := g.entry[u]; c >= 0 {
		return g.cell(v, c) >= g.pos(u)
	}
	if g.kind[u]&bitWrite == 0 {
		return g.readBefore(u, v)
	}
	if g.loc[v] == g.loc[u] && g.kind[v]&bitWrite == 0 {
		if w := g.writeBehind(v); w != NoNode && g.before(u, w) {
			return true
		}
	}
	lo, hi := g.groups(g.loc[u])
	for i := lo; i < hi; i++ {
		for _, w := range g.gatesUpTo(i, 0, g.cell(v, g.gateEntry[i])) {
			if g.before(u, w.write) {
				return true
			}
		}
	}
	return false
}

// readBefore is before for a read whose chain has no clock entry: no dependency leaves
// it, so that a path from it goes on at a fence or at a write to its location. The
// next of its chain is behind such a fence, unless the model keeps the order of
// loads of a location by itself.
func (g *Graph) readBefore(r, v Node) bool {
	for ; r != g.End(); r = g.After(r) {
		for _, t := range g.static(r) {
			if g.before(t, v) {
				return true
			}
		}
		for i := g.head[r]; i >= 0; {
			e := g.inferred.at(i)
			if g.before(g.target(e), v) {
				return true
			}
			i = e.next()
		}
		if !g.model.LoadLoadSameLoc {
			return false
		}
		if g.After(r) == v {
			return true
		}
	}
	return false
}
