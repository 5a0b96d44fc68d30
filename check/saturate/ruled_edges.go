package saturate

import (
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// ruled emits the edges into and out of the junctions of a thread, and the order
// that its reads give to writes of one location.
func (e *emitter) ruled(lo, hi parse.OpID) {
	g, s := e.g, &e.ruledState
	if lo == hi {
		return
	}
	if s.latest == nil {
		_, _, _, kinds := junctionKinds(g.model.Rules)
		s.latest, s.targets = make([]Node, kinds), make([]model.Class, kinds)
		s.into, s.outOf = make([]int32, g.chains), make([][]Node, kinds)
		for k := range s.outOf {
			s.outOf[k] = make([]Node, g.chains)
		}
	}
	for k := range s.latest {
		s.latest[k] = NoNode
	}
	for id := lo; id < hi; id++ {
		for ; s.done < len(g.junctions) && g.junctions[s.done].at == id; s.done++ {
			j, v := &g.junctions[s.done], g.second[s.done]
			for i := len(j.sources) - 1; i >= 0; i-- {
				u := g.node[j.sources[i]]
				if c := g.chain[u]; s.into[c] != int32(s.done)+1 { // the chain's last source says all
					s.into[c] = int32(s.done) + 1
					e.emit(u, v, tagProgram)
				}
			}
			s.latest[j.kind], s.targets[j.kind] = v, j.targets
		}
		v := g.node[id]
		if v == NoNode {
			continue
		}
		class, c := model.ClassOf(&g.hist.Ops[id]), g.chain[v]
		for k, f := range s.latest {
			// Junctions are nodes from 0: outOf holds f+1.
			if f != NoNode && class&s.targets[k] != 0 && s.outOf[k][c] != f+1 {
				s.outOf[k][c] = f + 1
				e.emit(f, v, tagProgram)
			}
		}
	}
	e.loadsBeforeStores(lo, hi)
	e.newThread()
	e.loadsInOrder(lo, hi)
}

// ruledState is what the emitter knows of junctions and, by kind, of the latest
// of the thread at hand.
type ruledState struct {
	done    int // junctions of earlier operations
	latest  []Node
	targets []model.Class
	into    []int32  // chain → the junction, from 1, that last got an edge from it
	outOf   [][]Node // kind → chain → the junction, plus 1, that it last got an edge from
}

// loadsInOrder emits, for two reads of a location that no own write lies
// between and that return different writes, the order of these (coRR). The
// order of the reads follows from it.
func (e *emitter) loadsInOrder(lo, hi parse.OpID) {
	g := e.g
	last := e.lastRead
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
			w := g.hist.Ops[before].RF
			if w == o.RF || w == parse.Init || w >= lo && w < hi {
				continue
			}
			if o.RF == parse.Init {
				g.contradict(
					witness.Edge{From: w, To: parse.Init, Rule: witness.Coherence, Via: id, Lemma: -1},
					witness.Edge{From: parse.Init, To: w, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1})
				continue
			}
			u, v := g.node[w], g.node[o.RF]
			if _, known := g.readInOrder[[2]Node{u, v}]; !known {
				g.readInOrder[[2]Node{u, v}] = id
				e.emit(u, v, tagLoads)
			}
		}
	}
}

// ruledGates adds the gates that junctions are, for what their sources show to
// precede them.
func (l *gateList) ruledGates() {
	g := l.g
	for i := range g.junctions {
		f, sources := g.second[i], g.junctions[i].sources
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
