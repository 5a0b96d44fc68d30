package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// planRelaxed plans the chains of models that do not keep the order of
// stores. Writes to one location by one thread form a chain, and so do fence
// parts of one kind.
//
//   - PSO: the loads of a thread form a chain, with its RMWs and the fences
//     that order stores before loads.
//   - RMO: loads are isolated unless a fence or a dependency touches them; the
//     others are spread over as few chains as a greedy choice finds. Loads
//     between two fences are an antichain, which takes as many chains
//     (Dilworth): 1,000 with 8 threads and a fence in 50 operations.
//
// A clock row has a component only for the loads of a thread under PSO, the
// fence parts of a kind, and the chains from which dependencies leave: through
// nodes of these alone leads a path from one location to another. With k threads
// these are k to 4 k, whatever the number of locations, but for dependencies:
// reads that others depend on take as many chains as the greedy choice finds.
func (p *chainPlan) planRelaxed(h *parse.History, m model.Model, touched []bool) {
	p.entries = map[int32]bool{}
	writes := make([]func() int32, len(h.Locations))
	source := dependencySources(h, m)
	leaves := make([]bool, len(h.Ops)) // an operation depends on it
	if source != nil {
		for _, d := range h.Deps {
			leaves[d.From] = true
		}
	}
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		for x := range writes {
			writes[x] = nil
		}
		var fences [partKinds]func() int32
		loads := p.lazy(t)
		reads := readChains{plan: p, thread: t}
		needed := readChains{plan: p, thread: t}
		for id := lo; id < hi; id++ {
			o := &h.Ops[id]
			switch {
			case o.Kind == parse.Fence:
				for i, part := range parts(o.Mask, m.PPO) {
					k := part.index()
					if m.PPO != 0 && part.targets&dirLoad != 0 {
						fences[k] = loads
					} else if fences[k] == nil {
						fences[k] = p.lazy(t)
					}
					c := fences[k]()
					p.entries[c] = true
					if i == 0 {
						p.chain[id] = c
					} else {
						p.second = append(p.second, secondPart{id, c})
					}
					if part.sources&part.targets&dirLoad != 0 {
						reads.fence(id)
						needed.fence(id)
					}
				}
			case m.PPO != 0 && o.Reads():
				p.chain[id] = loads()
				p.entries[p.chain[id]] = true
			case o.Writes():
				if writes[o.Loc] == nil {
					writes[o.Loc] = p.lazy(t)
				}
				p.chain[id] = writes[o.Loc]()
				if leaves[id] {
					p.entries[p.chain[id]] = true
				}
			case touched[id] && leaves[id]:
				p.chain[id] = needed.choose(id, source)
				p.entries[p.chain[id]] = true
			case touched[id]:
				p.chain[id] = reads.choose(id, nil)
			}
		}
	}
}

// touchedReads marks the reads that a fence or a dependency orders with others,
// under a model that keeps no program order by itself; nil for other models.
func touchedReads(h *parse.History, m model.Model) []bool {
	if m.PPO != 0 {
		return nil
	}
	touched := make([]bool, len(h.Ops))
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		after := false
		for id := lo; id < hi; id++ {
			after = after || h.Ops[id].Mask&(parse.LoadLoad|parse.StoreLoad) != 0
			touched[id] = after
		}
		before := false
		for id := hi - 1; id >= lo; id-- {
			before = before || h.Ops[id].Mask&(parse.LoadLoad|parse.LoadStore) != 0
			touched[id] = touched[id] || before
		}
	}
	for _, d := range h.Deps {
		touched[d.From], touched[d.To] = true, true
	}
	return touched
}

// dependencySources gives for each operation the latest read that it depends
// on, or NoOp; nil where there are no dependencies.
func dependencySources(h *parse.History, m model.Model) []parse.OpID {
	if !m.Deps || len(h.Deps) == 0 {
		return nil
	}
	source := make([]parse.OpID, len(h.Ops))
	for id := range source {
		source[id] = parse.NoOp
	}
	for _, d := range h.Deps {
		source[d.To] = d.From // they come in order of From
	}
	return source
}

// readChains spreads the reads of a thread over chains under RMO: a read may
// continue a chain whose last read a fence or a dependency orders before it.
type readChains struct {
	plan   *chainPlan
	thread int
	last   []chainEnd // by chain, ascending
	free   []int      // of last, those that may be closed off by the latest fence
	fenced parse.OpID // the latest fence that orders loads with loads
}

type chainEnd struct {
	chain int32
	read  parse.OpID
}

func (r *readChains) fence(id parse.OpID) {
	r.fenced = id
	r.free = r.free[:0]
	for i := range r.last {
		r.free = append(r.free, i)
	}
}

// choose picks the chain of a read, given the read it depends on, if any.
func (r *readChains) choose(id parse.OpID, source []parse.OpID) int32 {
	if source != nil && source[id] != parse.NoOp {
		i, ok := slices.BinarySearchFunc(r.last, r.plan.chain[source[id]], func(e chainEnd, chain int32) int { return int(e.chain - chain) })
		if ok && r.last[i].read == source[id] {
			return r.extend(i, id)
		}
	}
	for len(r.free) > 0 {
		i := r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		if r.last[i].read < r.fenced {
			return r.extend(i, id)
		}
	}
	r.last = append(r.last, chainEnd{chain: int32(len(r.plan.thread)), read: parse.NoOp})
	r.plan.thread = append(r.plan.thread, int32(r.thread))
	return r.extend(len(r.last)-1, id)
}

func (r *readChains) extend(i int, id parse.OpID) int32 {
	r.last[i].read = id
	return r.last[i].chain
}

// partState is what the emitter knows of fence parts and, chain by chain, of
// the latest nodes of the current thread. Chains of one thread are
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
	e.newThread(lo, hi)
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
