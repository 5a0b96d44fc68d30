// Package orders proposes, by a solver, orders of pairs of things that are open,
// and learns from the cycles in graphs that a proposal makes.
package orders

import (
	"context"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"ordeal/check/closure"
	"ordeal/check/search"
)

// Literal is the order of an open pair: twice its index, plus one if the second
// is first. Always is that of what holds in every order.
type Literal = int32

// Always is no literal: what it labels always holds.
const Always Literal = -1

// Arc is an arc that is there where its literal holds, and Graph a graph of
// such arcs.
type (
	Arc   = closure.Arc[Literal]
	Graph = closure.Graph[Literal]
)

// Solver proposes orders. What it learns holds for every kind of order that is
// looked for, or for one kind under its literal.
type Solver struct {
	sat  *gini.Gini
	lits []z.Lit // of each pair: its first is before its second
}

// New makes a solver of n pairs.
func New(n int) *Solver {
	s := &Solver{sat: gini.New(), lits: make([]z.Lit, n)}
	for i := range s.lits {
		s.lits[i] = s.sat.Lit()
	}
	return s
}

// Lit is the solver's variable of a literal, or its complement.
func (s *Solver) Lit(l Literal) z.Lit {
	if l&1 == 1 {
		return s.lits[l/2].Not()
	}
	return s.lits[l/2]
}

// And makes a pair whose first order holds where both literals do.
func (s *Solver) And(a, b Literal) Literal {
	l := Literal(2 * len(s.lits))
	s.lits = append(s.lits, s.sat.Lit())
	s.Clause(s.Lit(l).Not(), s.Lit(a))
	s.Clause(s.Lit(l).Not(), s.Lit(b))
	s.Clause(s.Lit(l), s.Lit(a).Not(), s.Lit(b).Not())
	return l
}

// Clause says that one of some variables holds.
func (s *Solver) Clause(lits ...z.Lit) {
	for _, m := range lits {
		s.sat.Add(m)
	}
	s.sat.Add(z.LitNull)
}

// Kind is a new kind of order to look for.
func (s *Solver) Kind() z.Lit { return s.sat.Lit() }

// Cyclic is the kind of order that has a cycle in a graph.
func (s *Solver) Cyclic(g *Graph) z.Lit {
	component, count := g.Components()
	size := make([]int32, count)
	for _, c := range component {
		size[c]++
	}
	kind := s.Kind()
	visit := make([]z.Lit, g.Nodes)
	some := []z.Lit{kind.Not()}
	for v, c := range component {
		if size[c] > 1 {
			visit[v] = s.sat.Lit()
			some = append(some, visit[v])
		}
	}
	s.Clause(some...)
	for v, c := range component {
		if size[c] < 2 {
			continue
		}
		leaves := []z.Lit{visit[v].Not()}
		for _, a := range g.Out(int32(v)) {
			if component[a.To] != c {
				continue
			}
			step := s.sat.Lit()
			s.Clause(step.Not(), visit[a.To])
			if a.Label != Always {
				s.Clause(step.Not(), s.Lit(a.Label))
			}
			leaves = append(leaves, step)
		}
		s.Clause(leaves...)
	}
	return kind
}

// Goal is the kind of order that Find looks for.
type Goal struct {
	Kind z.Lit
	// Graph must have no cycle. What its cycles teach holds under the literal
	// Within, for all kinds if that is z.LitNull.
	Graph  *Graph
	Within z.Lit
	// Check, if not nil, learns why a proposal is not of the kind.
	Check func(*Proposal) error
	_     struct{}
}

// Find looks for a proposal that nothing is learned from. It returns that and
// the nodes of the goal's graph in the order of its arcs, or nil where there is
// none. An error is that of ctx or of the goal's Check.
func (s *Solver) Find(ctx context.Context, g Goal) (*Proposal, []int32, error) {
	for {
		if sat, err := search.Solve(ctx, s.sat, g.Kind); !sat || err != nil {
			return nil, nil, err
		}
		p := &Proposal{Solver: s, value: make([]bool, len(s.lits))}
		for i, lit := range s.lits {
			p.value[i] = s.sat.Value(lit)
		}
		order := p.Acyclic(g.Graph, g.Within)
		if order != nil && g.Check != nil {
			if err := g.Check(p); err != nil {
				return nil, nil, err
			}
		}
		if !p.learned {
			return p, order, nil
		}
	}
}

// Proposal is an order of the open pairs.
type Proposal struct {
	*Solver
	value   []bool // of each pair, as of Solver.lits
	learned bool
}

// Holds reports whether an arc of a literal is there.
func (p *Proposal) Holds(l Literal) bool {
	return l == Always || p.value[l/2] == (l&1 == 0)
}

// Learn adds a clause that holds under a literal unless that is z.LitNull. The
// proposal breaks it.
func (p *Proposal) Learn(within z.Lit, lits []z.Lit) {
	p.learned = true
	if within != z.LitNull {
		lits = append(lits, within.Not())
	}
	p.Clause(lits...)
}

// cycles bounds the cycles of one graph that a proposal teaches.
const cycles = 16

// Acyclic returns the nodes of a graph in the order of its arcs, or learns from
// cycles and returns nil.
func (p *Proposal) Acyclic(g *Graph, within z.Lit) []int32 {
	present := Graph{Nodes: g.Nodes}
	for _, a := range g.Arcs() {
		if p.Holds(a.Label) {
			present.Add(a.From, a.To, a.Label)
		}
	}
	order := present.Sort()
	if len(order) == g.Nodes {
		return order
	}
	for range cycles {
		cycle := present.Cycle()
		if cycle == nil {
			break
		}
		broken := p.LearnAgainst(within, cycle)
		if broken == Always {
			break
		}
		rest := Graph{Nodes: g.Nodes}
		for _, a := range present.Arcs() {
			if a.Label != broken {
				rest.Add(a.From, a.To, a.Label)
			}
		}
		present = rest
	}
	return nil
}

// LearnAgainst learns that not all arcs hold, and returns one of their
// literals; Always if there is none.
func (p *Proposal) LearnAgainst(within z.Lit, arcs []Arc) Literal {
	one := Always
	var lits []z.Lit
	for _, a := range arcs {
		if a.Label != Always {
			lits = append(lits, p.Lit(a.Label).Not())
			one = a.Label
		}
	}
	p.Learn(within, lits)
	return one
}
