package saturate

import (
	"math/bits"
	"slices"

	"ordeal/check/witness"
	"ordeal/parse"
)

// ruled emits the edges into and out of the fence nodes of a thread, and the order
// that its reads give to writes of one location.
func (e *emitter) ruled(lo, hi parse.OpID) {
	g, s := e.g, &e.ruledState
	if lo == hi {
		return
	}
	if s.latest == nil {
		s.table = newKindTable(g.model.Rules, g.kinds)
		s.latest, s.into = make([]Node, len(g.kinds)), make([]int32, g.chains)
		s.at, s.before = make([]parse.OpID, len(g.kinds)), make([]kindSet, len(g.kinds))
		s.readAfter = make([]Node, g.n)
	}
	t := int32(g.hist.Thread(lo))
	base, _ := slices.BinarySearch(g.thread, t)
	end, _ := slices.BinarySearch(g.thread, t+1)
	s.outOf = append(s.outOf, make([]Node, max(0, len(g.kinds)*(end-base)-len(s.outOf)))...)
	s.active = 0
	for id := lo; id < hi; id++ {
		for ; s.done < len(g.fenceNodes) && g.fenceNodes[s.done].at == id; s.done++ {
			e.fenceNode(s.done)
		}
		v := g.node[id]
		if v == NoNode {
			continue
		}
		outOf := s.outOf[(int(g.chain[v])-base)*len(g.kinds):]
		into := s.active & s.table.targets[g.class[id]]
		for rest := into; rest != 0; rest &= rest - 1 {
			k := bits.TrailingZeros32(uint32(rest))
			// Fence nodes are nodes from 0: outOf holds one more.
			if f := s.latest[k]; outOf[k] != f+1 {
				outOf[k] = f + 1
				if s.before[k]&into == 0 {
					e.emit(f, v, tagProgram)
				}
			}
		}
	}
	e.loadsBeforeStores(lo, hi)
	e.newThread(lo, hi)
	e.loadsInOrder(lo, hi)
}

// fenceNode emits the edges into a fence node.
func (e *emitter) fenceNode(i int) {
	g, s := e.g, &e.ruledState
	j, v := &g.fenceNodes[i], g.second[i]
	for _, source := range slices.Backward(g.sources[j.first:j.end]) {
		u := g.node[source]
		if c := g.chain[u]; s.into[c] != int32(i)+1 { // the chain's last source says all
			s.into[c] = int32(i) + 1
			e.emit(u, v, tagProgram)
		}
	}
	if j.behind >= 0 {
		e.emit(g.second[j.behind], v, tagProgram)
	}
	for _, k := range g.kinds[j.kind].covers {
		s.active &^= 1 << k
	}
	s.active &^= 1 << j.kind
	s.active.each(func(k int) {
		if e.precedes(k, j) {
			s.before[k] |= 1 << j.kind
		}
	})
	s.active |= 1 << j.kind
	s.latest[j.kind], s.at[j.kind], s.before[j.kind] = v, j.at, 0
}

// precedes reports whether the latest fence node of a kind precedes a source of j.
func (e *emitter) precedes(kind int, j *fenceNode) bool {
	g := e.g
	for _, source := range slices.Backward(g.sources[j.first:j.end]) {
		switch {
		case source < e.at[kind]:
			return false
		case g.class[source]&g.kinds[kind].targets != 0:
			return true
		}
	}
	return false
}

// ruledState is what the emitter knows of fence nodes and, by kind, of the latest
// of the current thread that no later one covers.
type ruledState struct {
	done      int // fence nodes of earlier operations
	table     *kindTable
	latest    []Node
	at        []parse.OpID // by kind, where the latest is
	active    kindSet      // kinds with a latest one
	before    []kindSet    // by kind, the others whose latest ones come after its: what both order needs no edge from it
	into      []int32      // chain → the fence node, from 1, that last got an edge from it
	readAfter []Node       // write → that of the last edge of loadsInOrder into it, plus 1
	outOf     []Node       // chain of the thread × kinds → the fence node, plus 1, that it last got an edge from
}

// loadsInOrder emits, for two reads of a location that no own write lies
// between and that return different writes, the order of these (coRR). The
// order of the reads follows from it.
func (e *emitter) loadsInOrder(lo, hi parse.OpID) {
	g := e.g
	g.readPairs(lo, hi, e.lastRead, func(id, w, then parse.OpID) {
		if then == parse.Init {
			g.contradict(
				witness.Edge{From: w, To: parse.Init, Rule: witness.Coherence, Via: id, Lemma: -1},
				witness.Edge{From: parse.Init, To: w, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1})
			return
		}
		if u := &e.readAfter[g.node[then]]; *u != g.node[w]+1 {
			*u = g.node[w] + 1
			e.emit(g.node[w], g.node[then], tagLoads)
		}
	})
}

// readPairs calls f for the pairs of reads of a thread that loadsInOrder looks for:
// with the second one, and what the first one and it returned. The first returned a
// write of another thread. last is room for an entry for each location.
func (g *Graph) readPairs(lo, hi parse.OpID, last []parse.OpID, f func(id, w, then parse.OpID)) {
	for id := lo; id < hi; id++ {
		if o := &g.hist.Ops[id]; o.Kind != parse.Fence {
			last[o.Loc] = parse.NoOp
		}
	}
	for id := lo; id < hi; id++ {
		o := &g.hist.Ops[id]
		switch {
		case o.Kind == parse.Fence:
		case o.Writes():
			last[o.Loc] = parse.NoOp
		default:
			before := last[o.Loc]
			last[o.Loc] = id
			if before == parse.NoOp {
				continue
			}
			if w := g.hist.Ops[before].RF; w != o.RF && w != parse.Init && (w < lo || w >= hi) {
				f(id, w, o.RF)
			}
		}
	}
}

// readInOrder is the first read of a write v that follows one of u in its thread, as
// readPairs finds them.
func (g *Graph) readInOrder(u, v Node) parse.OpID {
	if g.inOrder == nil {
		g.inOrder = map[[2]Node]parse.OpID{}
		last := make([]parse.OpID, len(g.hist.Locations))
		for t := range g.hist.Threads() {
			g.readPairs(g.hist.Start[t], g.hist.Start[t+1], last, func(id, w, then parse.OpID) {
				if then == parse.Init {
					return
				}
				pair := [2]Node{g.node[w], g.node[then]}
				if _, known := g.inOrder[pair]; !known {
					g.inOrder[pair] = id
				}
			})
		}
	}
	return g.inOrder[[2]Node{u, v}]
}

// ruledGates adds the gates that fence nodes are, for what their sources show to
// precede them.
func (l *gateList) ruledGates() {
	g := l.g
	for i := range g.fenceNodes {
		f, sources := g.second[i], g.sources[g.fenceNodes[i].first:g.fenceNodes[i].end]
		for k := len(sources) - 1; k >= 0; k-- {
			v := g.node[sources[k]]
			x, w := g.loc[v], g.writeBehind(v)
			if w == NoNode || w == v && l.met[x] == f {
				continue
			}
			if l.add(f, x, w); w == v {
				l.met[x] = f
			}
		}
	}
}

// ruledOrder reports whether the model itself keeps the order of two accesses of
// a thread: no fence and no dependency is needed.
func (g *Graph) ruledOrder(u, v parse.OpID) bool {
	a, b := &g.hist.Ops[u], &g.hist.Ops[v]
	if preserved(g.model, a, b) || g.model.Rules.Orders(a, b) {
		return true
	}
	return b.Kind == parse.Read && a.Loc == b.Loc && slices.Contains(g.localEdges, localEdge{u, v}) &&
		!g.depends(u, v) && !g.computes(u, b.RF)
}

// dependencyRule says which kind of dependency orders two accesses of a thread,
// which nothing else does.
func (g *Graph) dependencyRule(u, v parse.OpID) (witness.Rule, parse.OpID) {
	r, b := g.model.Rules, &g.hist.Ops[v]
	if slices.Contains(g.directFrom(u, v), v) {
		return witness.Dependency, parse.NoOp
	}
	for _, d := range g.hist.Deps {
		if d.From != u {
			continue
		}
		first := d.To // of the operations that the dependency orders
		switch known := d.Kind & r.Known; {
		case known&(parse.DepAddress|parse.DepData) != 0 && !b.Writes() && b.RF == d.To:
			return witness.Pipeline, parse.NoOp
		case known&parse.DepControl != 0:
		case known&parse.DepAddress != 0:
			first++
		default:
			continue
		}
		if b.Writes() && first <= v {
			return witness.Pipeline, parse.NoOp
		}
		for id := first; r.ISync && id < v; id++ {
			if g.hist.Ops[id].Attr&parse.ISync != 0 {
				return witness.Pipeline, id
			}
		}
	}
	return witness.Dependency, parse.NoOp
}

// directFrom lists what chains of direct dependencies lead to from u, up to v.
func (g *Graph) directFrom(u, v parse.OpID) []parse.OpID {
	reached := []parse.OpID{u}
	for _, d := range g.hist.Deps {
		if d.From >= u && d.From < v && g.model.Direct(d) && slices.Contains(reached, d.From) {
			reached = append(reached, d.To)
		}
	}
	return reached
}

// computes reports whether the model orders u before what reads from v because v,
// a store of its thread, is computed from u.
func (g *Graph) computes(u, v parse.OpID) bool {
	return g.model.Rules.Pipeline && slices.ContainsFunc(g.hist.Deps, func(d parse.Dep) bool {
		return d.From == u && d.To == v && d.Kind&(parse.DepAddress|parse.DepData) != 0
	})
}

// depends reports whether an address or data dependency leads from u to v.
func (g *Graph) depends(u, v parse.OpID) bool {
	return slices.ContainsFunc(g.hist.Deps, func(d parse.Dep) bool { return d.From == u && d.To == v && g.model.Direct(d) })
}
