package causal

import (
	"ordeal/check/closure"
	"ordeal/check/witness"
	"ordeal/parse"
)

// proof turns a cycle into a refutation, with a lemma for every derived edge
// that it rests on.
type proof struct {
	g      *graph
	arcs   *closure.Graph[hop] // of g
	limits limits
	ref    *witness.Refutation
	lemma  map[int32]int32 // derived edge → its lemma
}

// limits says, for each derived edge, what its premise may use.
type limits func(e derived, serial int32) func(edge int32) bool

// proof starts a proof. It links every edge: those that two threads infer
// too, of which only one is needed to find a cycle.
func (g *graph) proof(l func(*graph) limits) *proof {
	g.unlink()
	for i := range g.edges {
		g.link(int32(i))
	}
	p := &proof{g: g, arcs: &closure.Graph[hop]{Nodes: len(g.h.Ops)}, limits: l(g), ref: &witness.Refutation{}, lemma: map[int32]int32{}}
	for v := range g.h.Ops {
		g.hops(parse.OpID(v), func(e hop) bool {
			p.arcs.Add(int32(e.from), int32(e.to), e)
			return true
		})
	}
	return p
}

// none accepts no derived edge.
func none(int32) bool { return false }

// path returns a shortest path of at least one edge from u to v that uses
// derived edges only where use accepts them. There must be one.
func (p *proof) path(u, v parse.OpID, use func(edge int32) bool) []hop {
	return hopsOf(p.arcs.Path(int32(u), int32(v), func(a closure.Arc[hop]) bool {
		return a.Label.derived < 0 || use(a.Label.derived)
	}))
}

func hopsOf(path []closure.Arc[hop]) []hop {
	if path == nil {
		panic("causal: the clocks have a path that the edges lack")
	}
	hops := make([]hop, len(path))
	for i, a := range path {
		hops[i] = a.Label
	}
	return hops
}

// refuteCycle returns the refutation whose leaf is a cycle of the graph.
func (p *proof) refuteCycle() *witness.Refutation { return p.refute(hopsOf(p.arcs.Cycle())) }

// kindCausal admits edges of the frame only: the causal order of CC and CCv.
func kindCausal(*graph) limits {
	return func(derived, int32) func(int32) bool { return none }
}

// kindLocal admits what the same thread inferred before (CM).
func kindLocal(g *graph) limits {
	return func(e derived, serial int32) func(int32) bool {
		return func(i int32) bool { return i < serial && g.edges[i].thread == e.thread }
	}
}

// kindConvergent admits, by the definition of CCM and wCCM, for an edge of
// hb_o what its thread inferred before; for one of cf[hb] all hb_o; for one of
// rw[pww] also cf[hb] about its location. Stores of a thread before what its
// later reads returned (OwnStore; thread ownThread) serve cf[hb] only as the
// whole premise.
func kindConvergent(g *graph) limits {
	local := kindLocal(g)
	return func(e derived, serial int32) func(int32) bool {
		switch {
		case e.thread >= 0:
			return local(e, serial)
		case e.rule == witness.DerivedA:
			return func(i int32) bool {
				o := &g.edges[i]
				return o.thread >= 0 || o.thread == ownThread && o.from == e.from && o.to == e.via
			}
		default:
			x := g.h.Ops[e.from].Loc
			return func(i int32) bool {
				o := &g.edges[i]
				return o.rule != witness.DerivedB && o.rule != witness.FromRead &&
					(o.thread != conflictThread || g.h.Ops[o.from].Loc == x)
			}
		}
	}
}

func (p *proof) refute(cycle []hop) *witness.Refutation {
	p.ref.Root = &witness.Node{Cycle: p.edges(cycle)}
	return p.ref
}

// initial refutes U before a read of the initial write: e is U → Init.
func (p *proof) initial(e derived) *witness.Refutation {
	p.g.edges = append(p.g.edges, e)
	edge := p.prove(int32(len(p.g.edges)) - 1)
	back := witness.Edge{From: parse.Init, To: e.from, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1}
	p.ref.Root = &witness.Node{Cycle: []witness.Edge{edge, back}}
	p.g.edges = p.g.edges[:len(p.g.edges)-1]
	return p.ref
}

// edges turns hops into edges, joining steps along one chain.
func (p *proof) edges(path []hop) []witness.Edge {
	var out []witness.Edge
	for _, s := range path {
		if s.derived >= 0 {
			out = append(out, p.prove(s.derived))
			continue
		}
		along := s.rule == witness.PPO && p.g.chain[s.from] == p.g.chain[s.to]
		if n := len(out); along && n > 0 {
			if l := &out[n-1]; l.Rule == witness.PPO && p.g.chain[l.From] == p.g.chain[l.To] {
				l.To = s.to
				continue
			}
		}
		out = append(out, witness.Edge{From: s.from, To: s.to, Rule: s.rule, Via: parse.NoOp, Lemma: -1})
	}
	return out
}

// prove returns derived edge i, adding its lemma and those below it.
func (p *proof) prove(i int32) witness.Edge {
	e := p.g.edges[i]
	out := witness.Edge{From: e.from, To: e.to, Rule: e.rule, Via: e.via, Lemma: -1}
	if e.rule != witness.DerivedA && e.rule != witness.DerivedB {
		return out
	}
	if l, ok := p.lemma[i]; ok {
		return p.ref.Lemmas[l].Edge
	}
	u, v := e.from, e.via // rule A: From before Via
	if e.rule == witness.DerivedB {
		u, v = e.via, e.to // rule B: Via before To
	}
	premise := p.edges(p.path(u, v, p.limits(e, i)))
	out.Lemma = int32(len(p.ref.Lemmas))
	p.lemma[i] = out.Lemma
	p.ref.Lemmas = append(p.ref.Lemmas, witness.Lemma{Edge: out, Premise: premise})
	return out
}
