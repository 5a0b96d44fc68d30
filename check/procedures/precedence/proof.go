package precedence

import (
	"ordeal/check/witness"
	"ordeal/parse"
)

// Proof turns arcs into the edges of a refutation and collects the lemmas
// that the derived ones need.
type Proof struct {
	Lemmas []witness.Lemma

	graph *Graph
	known map[Arc]int32
}

// NewProof starts a proof from the arcs of g.
func (g *Graph) NewProof() *Proof {
	return &Proof{graph: g, known: map[Arc]int32{}}
}

// Refute returns the refutation whose only leaf is a cycle.
func (p *Proof) Refute(cycle []Arc) *witness.Refutation {
	edges := p.Edges(cycle)
	return &witness.Refutation{Lemmas: p.Lemmas, Root: &witness.Node{Cycle: edges}}
}

// Edges turns a path between accesses, or a cycle, into edges: what leads
// through the nodes of fences becomes one edge. The last arc of a cycle leads
// back to where the first starts.
func (p *Proof) Edges(path []Arc) []witness.Edge {
	g := p.graph
	for !g.IsAccess(path[0].From) {
		path = append(path[1:len(path):len(path)], path[0])
	}
	var out []witness.Edge
	for i := 0; i < len(path); i++ {
		a := path[i]
		from := parse.OpID(a.From)
		if !g.IsAccess(a.To) {
			for !g.IsAccess(path[i].To) {
				i++
			}
			out = append(out, edge(from, parse.OpID(path[i].To), witness.FenceOrder, parse.NoOp))
			continue
		}
		e := edge(from, parse.OpID(a.To), a.Label.Rule, a.Label.Via)
		if a.Label.Rule == witness.DerivedA || a.Label.Rule == witness.DerivedB {
			e.Lemma = p.lemma(a, e)
		}
		out = append(out, e)
	}
	return out
}

// lemma proves a derived arc by a path of arcs derived before.
func (p *Proof) lemma(a Arc, e witness.Edge) int32 {
	if l, ok := p.known[a]; ok {
		return l
	}
	u, v := a.From, Node(a.Label.Via) // rule A: From before Via
	if a.Label.Rule == witness.DerivedB {
		u, v = Node(a.Label.Via), a.To // rule B: Via before To
	}
	premise := p.Edges(p.graph.Path(u, v, func(o Arc) bool {
		return o.Label.Serial < a.Label.Serial || a.Label.Serial == 0 && o.Label.Rule == witness.StoreOrder
	}))
	l := int32(len(p.Lemmas))
	e.Lemma = l
	p.Lemmas = append(p.Lemmas, witness.Lemma{Edge: e, Premise: premise})
	p.known[a] = l
	return l
}
