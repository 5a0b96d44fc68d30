package precedence

import (
	"ordeal/check/witness"
	"ordeal/parse"
)

// Proof turns arcs into the edges of a refutation and collects the lemmas
// that the derived ones need.
type Proof struct {
	// Search finds a shortest path of arcs that use accepts: Graph.Path, or
	// that of a search that adds arcs of its own.
	Search func(u, v Node, use func(Arc) bool) []Arc
	Lemmas []witness.Lemma

	graph *Graph
	known map[Arc]int32
}

// NewProof starts a proof from the arcs of g alone.
func (g *Graph) NewProof() *Proof {
	return &Proof{Search: g.Path, graph: g, known: map[Arc]int32{}}
}

// Refute returns the refutation whose only leaf is a cycle.
func (p *Proof) Refute(cycle []Arc) *witness.Refutation {
	edges := p.Edges(cycle)
	return &witness.Refutation{Lemmas: p.Lemmas, Root: &witness.Node{Cycle: edges}}
}

// Refutation is the refutation that Contradiction is.
func (g *Graph) Refutation() *witness.Refutation {
	return &witness.Refutation{Root: &witness.Node{Cycle: g.Contradiction}}
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
		e := edge(from, parse.OpID(a.To), a.Rule, a.Via)
		if a.Rule == witness.DerivedA || a.Rule == witness.DerivedB {
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
	u, v := a.From, Node(a.Via) // rule A: From before Via
	if a.Rule == witness.DerivedB {
		u, v = Node(a.Via), a.To // rule B: Via before To
	}
	premise := p.Edges(p.Search(u, v, func(o Arc) bool {
		return o.Serial < a.Serial || a.Serial == 0 && o.Rule == witness.StoreOrder
	}))
	l := int32(len(p.Lemmas))
	e.Lemma = l
	p.Lemmas = append(p.Lemmas, witness.Lemma{Edge: e, Premise: premise})
	p.known[a] = l
	return l
}
