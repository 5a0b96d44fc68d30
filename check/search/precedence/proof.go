package precedence

import (
	"ordeal/check/witness"
	"ordeal/parse"
)

// Proof collects the lemmas of a refutation. A read-before-write arc (rule
// DerivedB) gets a lemma, whose premise is that its writer precedes the write
// by Reason: StoreOrder or Assumed.
type Proof struct {
	Graph  *Graph
	Reason witness.Rule
	Lemmas []witness.Lemma
	known  map[Arc]int32
}

// Edges turns a path of arcs between accesses, or a cycle that passes one,
// into edges of a refutation: arcs through the nodes of fences become one.
func (p *Proof) Edges(path []Arc) []witness.Edge {
	g := p.Graph
	if first := path[0]; !g.IsAccess(first.From) {
		// A cycle: start at an access.
		for i := range path {
			if g.IsAccess(path[i].From) {
				path = append(append([]Arc(nil), path[i:]...), path[:i]...)
				break
			}
		}
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
		if a.Rule == witness.DerivedB {
			e.Lemma = p.lemma(a, e)
		}
		out = append(out, e)
	}
	return out
}

func (p *Proof) lemma(a Arc, e witness.Edge) int32 {
	if l, ok := p.known[a]; ok {
		return l
	}
	l := int32(len(p.Lemmas))
	e.Lemma = l
	p.Lemmas = append(p.Lemmas, witness.Lemma{Edge: e, Premise: []witness.Edge{edge(a.Via, e.To, p.Reason, parse.NoOp)}})
	if p.known == nil {
		p.known = map[Arc]int32{}
	}
	p.known[a] = l
	return l
}
