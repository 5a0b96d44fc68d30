package saturate

import (
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
	g       *Graph
	needed  []bool // serial → some edge names it
	premise [][]witness.Edge
	extra   []witness.Lemma // lemmas about initial writes, premises as above
}

func newProof(g *Graph) *proof {
	return &proof{g: g, needed: make([]bool, len(g.inferred))}
}

// leaf is the cycle of the graph's contradiction.
func (p *proof) leaf() []witness.Edge {
	g := p.g
	k := g.conflict
	switch {
	case k.cycle != nil:
		return k.cycle
	case k.initial:
		// Rule A with the initial write, which no inferred edge stands for.
		u, r := g.op[k.from], g.op[k.to]
		p.extra = append(p.extra, witness.Lemma{
			Edge:    witness.Edge{From: u, To: parse.Init, Rule: witness.DerivedA, Via: r},
			Premise: p.edges(g.path(k.from, k.to, int32(len(g.inferred)))),
		})
		return []witness.Edge{
			p.extra[len(p.extra)-1].Edge,
			{From: parse.Init, To: u, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1},
		}
	default:
		return p.cycle(append(g.path(k.from, k.to, int32(len(g.inferred))), k.closing))
	}
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

// throughFences is the edge for a path from u through fences.
func (g *Graph) throughFences(u Node, refs []edgeRef) witness.Edge {
	v := refs[len(refs)-1].to
	e := witness.Edge{From: g.op[u], To: g.op[v], Rule: witness.PPO, Via: parse.NoOp, Lemma: -1}
	a, b := &g.hist.Ops[e.From], &g.hist.Ops[e.To]
	if preserved(g.model, a, b) {
		return e
	}
	e.Rule = witness.FenceOrder
	for _, ref := range refs[:len(refs)-1] {
		if f := g.op[ref.to]; g.hist.Ops[f].Mask&pairs(a, b) != 0 {
			e.Via = f
		}
	}
	return e
}

// edge writes one edge between operations that are no fences.
func (p *proof) edge(ref edgeRef) witness.Edge {
	g := p.g
	e := witness.Edge{From: g.op[ref.from], To: g.op[ref.to], Via: parse.NoOp, Lemma: -1}
	if ref.inferred >= 0 {
		in := &g.inferred[ref.inferred]
		e.Rule = in.rule
		switch in.rule {
		case witness.DerivedA, witness.DerivedB:
			e.Via, e.Lemma = g.op[in.via], ref.inferred
			p.needed[ref.inferred] = true
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
	if preserved(g.model, a, b) {
		return witness.PPO, parse.NoOp
	}
	for f := u + 1; f < v; f++ {
		if o := &g.hist.Ops[f]; o.Kind == parse.Fence && o.Mask&pairs(a, b) != 0 {
			return witness.FenceOrder, f
		}
	}
	return witness.Dependency, parse.NoOp
}

// finish finds the premises of the lemmas named so far, and of those that
// these name, numbers them in the order in which they were inferred, and puts
// them together.
func (p *proof) finish(root *witness.Node) *witness.Refutation {
	g := p.g
	p.premise = make([][]witness.Edge, len(p.needed))
	for i := len(p.needed) - 1; i >= 0; i-- {
		if !p.needed[i] {
			continue
		}
		in := &g.inferred[i]
		src, dst := in.from, in.via
		if in.rule == witness.DerivedB {
			src, dst = in.via, in.to
		}
		p.premise[i] = p.edges(g.path(src, dst, int32(i)))
	}
	ref := &witness.Refutation{Root: root}
	number := make([]int32, len(p.needed))
	renumber := func(edges []witness.Edge) {
		for i := range edges {
			if l := edges[i].Lemma; l >= 0 && edges[i].To != parse.Init {
				edges[i].Lemma = number[l]
			}
		}
	}
	for i, needed := range p.needed {
		if !needed {
			continue
		}
		number[i] = int32(len(ref.Lemmas))
		in := &g.inferred[i]
		renumber(p.premise[i])
		ref.Lemmas = append(ref.Lemmas, witness.Lemma{
			Edge:    witness.Edge{From: g.op[in.from], To: g.op[in.to], Rule: in.rule, Via: g.op[in.via], Lemma: number[i]},
			Premise: p.premise[i],
		})
	}
	for i := range p.extra {
		l := p.extra[i]
		renumber(l.Premise)
		l.Edge.Lemma = int32(len(ref.Lemmas))
		root.Cycle[0].Lemma = l.Edge.Lemma
		ref.Lemmas = append(ref.Lemmas, l)
	}
	renumber(root.Cycle)
	return ref
}
