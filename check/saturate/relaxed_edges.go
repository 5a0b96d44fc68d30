package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/check/witness"
	"ordeal/parse"
)

// partState is what the emitter knows of fence parts and, chain by chain, of
// the latest nodes of the thread at hand. Chains of one thread are
// consecutive.
type partState struct {
	second []Node // second nodes of fences not yet visited

	base      int32 // first chain of the thread
	lastRead  []Node
	lastWrite []Node
	toFence   [partKinds][]Node // chain → latest node with an edge to such a part
	fence     [partKinds]Node   // latest part of the kind
	fromFence [partKinds][]Node // chain → latest such part with an edge to it
	lastLoad  Node              // PSO: latest load or RMW
	fromLoad  []Node            // PSO: chain → latest such with an edge to it
}

func (s *partState) enter(base, chains int32) {
	fresh := func(old []Node) []Node {
		old = old[:0]
		for range chains {
			old = append(old, NoNode)
		}
		return old
	}
	s.base = base
	s.lastRead, s.lastWrite, s.fromLoad = fresh(s.lastRead), fresh(s.lastWrite), fresh(s.fromLoad)
	s.lastLoad = NoNode
	for k := range s.fence {
		s.fence[k] = NoNode
		s.toFence[k], s.fromFence[k] = fresh(s.toFence[k]), fresh(s.fromFence[k])
	}
}

// relaxed emits the program order of PSO and RMO: fences, loads before later
// stores (PSO), stores before later RMWs of their location (coherence), and
// for a load before a store to its location, that what it returned precedes
// the store.
func (e *emitter) relaxed(lo, hi parse.OpID) {
	g, s := e.g, &e.parts
	if lo == hi {
		return
	}
	t := int32(g.hist.Thread(lo))
	base, _ := slices.BinarySearch(g.thread, t)
	end, _ := slices.BinarySearch(g.thread, t+1)
	s.enter(int32(base), int32(end-base))
	for id := lo; id < hi; id++ {
		o := &g.hist.Ops[id]
		if o.Kind != parse.Fence {
			if v := g.node[id]; v != NoNode {
				e.relaxedAccess(v, o)
			}
			continue
		}
		for i, part := range parts(o.Mask, g.model.PPO) {
			v := g.node[id]
			if i == 1 {
				v, s.second = s.second[0], s.second[1:]
			}
			e.fencePart(v, part)
		}
	}
	if g.model.PPO == 0 {
		e.loadsBeforeStores(lo, hi)
	}
}

func (e *emitter) fencePart(f Node, part fencePart) {
	s, k := &e.parts, part.index()
	for c := range s.lastRead {
		u := NoNode
		if part.sources&dirLoad != 0 {
			u = s.lastRead[c]
		}
		if part.sources&dirStore != 0 {
			u = max(u, s.lastWrite[c])
		}
		if u != NoNode && s.toFence[k][c] < u {
			s.toFence[k][c] = u
			e.emit(u, f, tagProgram)
		}
	}
	s.fence[k] = f
}

func (e *emitter) relaxedAccess(v Node, o *parse.Op) {
	g, s := e.g, &e.parts
	c := g.chain[v] - s.base
	dir := directions(o)
	for k, f := range s.fence {
		if f != NoNode && uint8(k%3+1)&dir != 0 && s.fromFence[k][c] != f {
			s.fromFence[k][c] = f
			e.emit(f, v, tagProgram)
		}
	}
	if dir&dirLoad != 0 {
		s.lastRead[c] = v
	}
	if dir&dirStore != 0 {
		s.lastWrite[c] = v
	}
	if g.model.PPO&parse.LoadStore == 0 {
		return
	}
	if dir&dirLoad != 0 {
		s.lastLoad = v
		if own := e.lastOwn[o.Loc]; own != NoNode && dir&dirStore != 0 {
			e.emit(own, v, tagProgram)
		}
	} else if s.lastLoad != NoNode && s.fromLoad[c] != s.lastLoad {
		s.fromLoad[c] = s.lastLoad
		e.emit(s.lastLoad, v, tagProgram)
	}
	if dir&dirStore != 0 {
		e.lastOwn[o.Loc] = v
	}
}

// loadsBeforeStores emits for each load that is followed by an own store to
// its location the edge from what it returned to that store (coRW).
func (e *emitter) loadsBeforeStores(lo, hi parse.OpID) {
	g := e.g
	e.newThread()
	for id := hi - 1; id >= lo; id-- {
		o := &g.hist.Ops[id]
		switch {
		case o.Writes():
			e.lastOwn[o.Loc], e.ownRead[o.Loc] = g.node[id], -1
		case o.Kind == parse.Read && o.RF != parse.Init && e.lastOwn[o.Loc] != NoNode:
			w, v := g.node[o.RF], e.lastOwn[o.Loc]
			if (o.RF < id || o.RF >= hi) && e.ownRead[o.Loc] != int32(w) {
				e.ownRead[o.Loc] = int32(w)
				e.emit(w, v, tagSameLoc)
			}
		}
	}
}

// dependencies emits the dependencies, and finds values out of thin air:
// cycles of dependencies and reads-from, also within a thread.
func (e *emitter) dependencies() {
	g := e.g
	for _, d := range g.hist.Deps {
		if u, v := g.node[d.From], g.node[d.To]; v != NoNode && !g.IsFence(v) {
			e.emit(u, v, tagProgram)
		}
	}
	if len(g.hist.Deps) > 0 {
		if cycle := ThinAir(g.hist); cycle != nil {
			g.contradict(cycle...)
		}
	}
}

// ThinAir finds a cycle of dependencies and reads-from, or returns nil.
func ThinAir(h *parse.History) []witness.Edge {
	g := closure.Graph[witness.Rule]{Nodes: len(h.Ops)}
	for _, d := range h.Deps {
		if h.Ops[d.To].Kind != parse.Fence {
			g.Add(int32(d.From), int32(d.To), witness.Dependency)
		}
	}
	for id := range h.Ops {
		if o := &h.Ops[id]; o.Reads() && o.RF >= 0 {
			g.Add(int32(o.RF), int32(id), witness.ReadsFrom)
		}
	}
	var cycle []witness.Edge
	for _, a := range g.Cycle() {
		cycle = append(cycle, witness.Edge{From: parse.OpID(a.From), To: parse.OpID(a.To), Rule: a.Label, Via: parse.NoOp, Lemma: -1})
	}
	return cycle
}
