package saturate

import (
	"container/heap"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Refute turns the contradiction that Saturate or Assume found into a
// refutation of one leaf. Edges of rule Assumed appear as they are: such a
// leaf belongs below the case splits that assume them. It must be called
// before Undo.
func (g *Graph) Refute() *witness.Refutation {
	p := newProof(g)
	leaf := p.leaf()
	return p.finish(&witness.Node{Cycle: leaf})
}

// proof collects the lemmas that cycles rest on. While it is under way the
// Lemma field of an edge holds the serial number of the inferred edge.
type proof struct {
	g      *Graph
	lemmas map[int32]*witness.Lemma // by serial number
	open   latestFirst              // a heap of those without premise, the latest first
	extra  []witness.Lemma          // lemmas about initial writes, premises as above
}

func newProof(g *Graph) *proof {
	return &proof{g: g, lemmas: map[int32]*witness.Lemma{}}
}

func (p *proof) leaf() []witness.Edge {
	g := p.g
	k := g.conflict
	switch {
	case k.cycle != nil:
		return k.cycle
	case k.initial:
		// Rule A with the initial write, which no inferred edge represents.
		u, r := g.op[k.from], g.op[k.to]
		p.extra = append(p.extra, witness.Lemma{
			Edge:    witness.Edge{From: u, To: parse.Init, Rule: witness.DerivedA, Via: r},
			Premise: p.edges(g.path(k.from, k.to, int32(g.inferred.count))),
		})
		return []witness.Edge{
			p.extra[len(p.extra)-1].Edge,
			{From: parse.Init, To: u, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1},
		}
	default:
		bound := int32(g.inferred.count)
		path := g.pathWithin(k.from, k.to, bound, nearby, g.reachable(k.to))
		if path == nil {
			path = k.detour
		}
		if path == nil {
			path = g.path(k.from, k.to, bound)
		}
		return p.cycle(g.expand(append(path, k.closing)))
	}
}

// isPath reports whether an edge stands for a path.
func (g *Graph) isPath(ref edgeRef) bool {
	return ref.inferred >= 0 && g.inferred.at(ref.inferred).reason() == byPath
}

// expand puts paths in place of the edges that stand for them.
func (g *Graph) expand(refs []edgeRef) []edgeRef {
	if !slices.ContainsFunc(refs, g.isPath) {
		return refs
	}
	var out []edgeRef
	for _, ref := range refs {
		if g.isPath(ref) {
			out = append(out, g.path(ref.from, ref.to, ref.inferred)...)
		} else {
			out = append(out, ref)
		}
	}
	return out
}

// cycle writes a closed path, starting at an operation that is no fence.
func (p *proof) cycle(refs []edgeRef) []witness.Edge {
	for i := range refs {
		if !p.g.IsFence(refs[i].from) {
			return p.edges(append(refs[i:len(refs):len(refs)], refs[:i]...))
		}
	}
	panic("saturate: a cycle of fences")
}

// edges writes a path between operations that are no fences. A part of it
// that leads through fences becomes one edge.
func (p *proof) edges(refs []edgeRef) []witness.Edge {
	g := p.g
	var out []witness.Edge
	for i := 0; i < len(refs); i++ {
		u := refs[i].from
		if !g.IsFence(refs[i].to) {
			out = append(out, p.edge(refs[i]))
			continue
		}
		first := i
		for g.IsFence(refs[i].to) {
			i++
		}
		out = append(out, g.throughFences(u, refs[first:i+1]))
	}
	return out
}

func (g *Graph) throughFences(u Node, refs []edgeRef) witness.Edge {
	v := refs[len(refs)-1].to
	e := witness.Edge{From: g.op[u], To: g.op[v], Rule: witness.PPO, Via: parse.NoOp, Lemma: -1}
	if g.op[refs[0].to] == parse.NoOp { // the time line
		e.Rule = witness.RealTime
		return e
	}
	a, b := &g.hist.Ops[e.From], &g.hist.Ops[e.To]
	if g.model.Rules != nil {
		e.Rule, e.Via = g.programRule(e.From, e.To)
		return e
	}
	if preserved(g.model, a, b) {
		return e
	}
	e.Rule = witness.FenceOrder
	for _, ref := range refs[:len(refs)-1] {
		if f := g.op[ref.to]; g.hist.Ops[f].Mask&parse.Components(a, b) != 0 {
			e.Via = f
		}
	}
	return e
}

func (p *proof) edge(ref edgeRef) witness.Edge {
	g := p.g
	e := witness.Edge{From: g.op[ref.from], To: g.op[ref.to], Via: parse.NoOp, Lemma: -1}
	if ref.inferred >= 0 {
		rule, via := g.rule(ref.from, g.inferred.at(ref.inferred))
		e.Rule = rule
		if via != NoNode {
			e.Via, e.Lemma = g.op[via], ref.inferred
			p.need(e)
		}
		return e
	}
	t := tagProgram
	if ref.static >= 0 {
		t = g.outTag[ref.static]
	}
	switch t {
	case tagReads:
		e.Rule = witness.ReadsFrom
	case tagFinal:
		e.Rule = witness.FinalWrite
	case tagOrder:
		e.Rule = witness.StoreOrder
	case tagOwn:
		e.Rule, e.Via = witness.OwnStore, g.readerOf(e.To, e.From, 1)
	case tagLoads:
		e.Rule, e.Via = witness.Coherence, g.readInOrder(ref.from, ref.to)
	case tagSameLoc:
		e.Rule, e.Via = witness.Coherence, g.readerOf(e.From, e.To, -1)
	default:
		e.Rule, e.Via = g.programRule(e.From, e.To)
	}
	return e
}

// readerOf finds a read of w in the thread of op, stepping from op.
func (g *Graph) readerOf(w, op parse.OpID, step parse.OpID) parse.OpID {
	for id := op + step; ; id += step {
		if o := &g.hist.Ops[id]; o.Reads() && o.RF == w {
			return id
		}
	}
}

// programRule says why u precedes v, both of one thread.
func (g *Graph) programRule(u, v parse.OpID) (witness.Rule, parse.OpID) {
	a, b := &g.hist.Ops[u], &g.hist.Ops[v]
	if preserved(g.model, a, b) || g.model.Rules != nil && g.ruledOrder(u, v) {
		return witness.PPO, parse.NoOp
	}
	for f := u + 1; f < v; f++ {
		if o := &g.hist.Ops[f]; o.Kind == parse.Fence && o.Mask&parse.Components(a, b) != 0 {
			return witness.FenceOrder, f
		}
	}
	if g.model.Rules != nil {
		return g.dependencyRule(u, v)
	}
	return witness.Dependency, parse.NoOp
}

// need notes that some edge names the lemma of e.
func (p *proof) need(e witness.Edge) {
	if p.lemmas[e.Lemma] == nil {
		p.lemmas[e.Lemma] = &witness.Lemma{Edge: e}
		heap.Push(&p.open, e.Lemma)
	}
}

// finish finds the premises of the lemmas named so far, and of those that
// these name, numbers them in the order in which they were inferred, and puts
// them together.
func (p *proof) finish(root *witness.Node) *witness.Refutation {
	g := p.g
	var serials []int32 // of lemmas with premise, descending
	for p.open.Len() > 0 {
		i := heap.Pop(&p.open).(int32)
		serials = append(serials, i)
		l := p.lemmas[i]
		src, dst := l.Edge.From, l.Edge.Via
		if l.Edge.Rule == witness.DerivedB {
			src, dst = l.Edge.Via, l.Edge.To
		}
		l.Premise = p.edges(g.path(g.node[src], g.node[dst], i))
	}
	slices.Reverse(serials)
	renumber := func(edges []witness.Edge) {
		for i := range edges {
			if l := edges[i].Lemma; l >= 0 && edges[i].To != parse.Init {
				n, _ := slices.BinarySearch(serials, l)
				edges[i].Lemma = int32(n)
			}
		}
	}
	ref := &witness.Refutation{Root: root}
	for n, i := range serials {
		l := *p.lemmas[i]
		l.Edge.Lemma = int32(n)
		renumber(l.Premise)
		ref.Lemmas = append(ref.Lemmas, l)
	}
	for _, l := range p.extra {
		renumber(l.Premise)
		l.Edge.Lemma = int32(len(ref.Lemmas))
		root.Cycle[0].Lemma = l.Edge.Lemma
		ref.Lemmas = append(ref.Lemmas, l)
	}
	renumber(root.Cycle)
	return ref
}

// latestFirst is a heap of serial numbers.
type latestFirst []int32

func (h latestFirst) Len() int           { return len(h) }
func (h latestFirst) Less(i, j int) bool { return h[i] > h[j] }
func (h latestFirst) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *latestFirst) Push(x any)        { *h = append(*h, x.(int32)) }
func (h *latestFirst) Pop() any {
	old := *h
	last := old[len(old)-1]
	*h = old[:len(old)-1]
	return last
}

// preserved reports whether the model by itself keeps the order of two
// accesses of one thread.
func preserved(m model.Model, a, b *parse.Op) bool {
	return parse.Components(a, b)&m.PPO != 0 ||
		a.Loc == b.Loc && (b.Writes() || a.Reads() && m.LoadLoadSameLoc)
}

// tag says why a static edge holds.
type tag uint8

const (
	tagProgram tag = iota // program order, a fence or a dependency
	tagReads              // reads-from
	tagOwn                // a write before what a later own read returned
	tagSameLoc            // coherence within one thread
	tagFinal              // into the final write
	tagOrder              // the known store order
	tagLoads              // what loads of one location returned, in order
)

// conflict is the contradiction that saturation found, if any.
type conflict struct {
	found bool
	// cycle, if not nil, is a cycle of static facts.
	cycle []witness.Edge
	// Otherwise from precedes to along edges, and closes says how that
	// contradicts: by an edge from to to from (with its reason), or, where
	// to is a read of an initial write and from a write to its location, by
	// rule A.
	from, to Node
	initial  bool
	closing  edgeRef
	detour   []edgeRef // a path from from to to, if one is known
}

// edgeRef names one edge of the graph.
type edgeRef struct {
	from, to Node
	static   int32 // index in outTo, or -1
	inferred int32 // index in inferred, or -1; both -1: to follows from in its chain
}

// fail records that the edge of ref contradicts the rows.
func (g *Graph) fail(ref edgeRef) bool {
	g.conflict = conflict{found: true, from: ref.to, to: ref.from, closing: ref}
	return false
}

// failInit records that the write u precedes r, which reads the initial
// write.
func (g *Graph) failInit(u, r Node) bool {
	g.conflict = conflict{found: true, from: u, to: r, initial: true}
	return false
}
