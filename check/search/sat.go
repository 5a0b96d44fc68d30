package search

import (
	"context"
	"errors"
	"fmt"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// SAT saturates, and decides what remains by case splits on the order of
// pairs of writes. It is complete.
var SAT = Procedure{
	Name:     "sat",
	Summary:  "saturation, then SAT over the order of write pairs, created when needed",
	Complete: true,
	Supports: func(m model.Model) bool { return Total(m) || m.Rules != nil },
	Decide: func(ctx context.Context, h *parse.History, m model.Model, limits Limits, v *witness.Verdict) error {
		g, err := saturated(ctx, h, m, limits, nil, v)
		if g == nil {
			return err
		}
		return splitCases(ctx, g, nil, limits, v)
	},
}

// splitCases completes a verdict on a saturated graph. stuck is the state in which
// a greedy order is, nil if none was tried.
func splitCases(ctx context.Context, g *saturate.Graph, stuck *placer, limits Limits, v *witness.Verdict) error {
	s := newPairSolver(g)
	if s.limits = limits; limits.bound() > 0 {
		s.bytes = g.EstimateBytes()
	}
	order, ref, err := s.run(ctx, stuck)
	v.Procedure = "sat"
	v.Stats.Clauses += len(s.clauses)
	switch {
	case s.refuted && errors.Is(err, context.DeadlineExceeded):
		v.Answer, v.Unproved = witness.Forbidden, OutOfTime
	case s.refuted && errors.Is(err, ErrMemory):
		v.Answer, v.Unproved = witness.Forbidden, err.Error()
	case err != nil:
		return err
	case order != nil:
		v.Answer, v.Order = witness.Allowed, order
	case ref != nil:
		v.Answer, v.Refutation = witness.Forbidden, ref
	default:
		v.Answer = witness.Forbidden
		v.Unproved = fmt.Sprintf("the refutation by %d clauses needs more than %d case splits", len(s.clauses), maxTree)
	}
	return nil
}

// pairSolver decides a saturated graph by conflict-driven search over the order
// of pairs of writes to one location. A pair becomes a variable when a greedy
// order is stuck on it or a contradiction rests on it. The solver proposes
// orders for all pairs. Cycles among the consequences of each order alone become
// clauses; if there are none, the graph assumes the orders one by one, and the
// assumptions in the proof of each contradiction become a clause. When the graph
// accepts a proposal, the greedy order is tried again.
type pairSolver struct {
	g        *saturate.Graph
	sat      *gini.Gini
	pairs    []writePair
	index    map[[2]saturate.Node]int // of pairs, by first and second
	clauses  []clause
	more     int             // pairs to create at most, the next time
	stack    []assumption    // made in the graph
	implied  [][]consequence // literal → what follows from it alone
	capacity int             // how many more consequences may be kept
	cycles   *cycleFinder
	refuted  bool // the clauses are unsatisfiable
	limits   Limits
	bytes    int64 // about what graph and solver keep; see growth.go
}

func newPairSolver(g *saturate.Graph) *pairSolver {
	return &pairSolver{
		g:        g,
		sat:      gini.New(),
		index:    map[[2]saturate.Node]int{},
		more:     firstPairs,
		capacity: maxConsequences,
	}
}

// writePair is a variable: true if first precedes second.
type writePair struct {
	first, second saturate.Node
	lit           z.Lit
}

// literal is twice the index of a pair, plus one where second precedes first.
type literal int32

func (l literal) not() literal { return l ^ 1 }

// assumption is a literal that the graph assumes, and the point before.
type assumption struct {
	lit  literal
	mark saturate.Mark
}

// clause says that not all of its literals hold; ref proves it. For clauses
// found as a cycle ref is nil until core needs it: most never do.
type clause struct {
	lits []literal
	ref  *witness.Refutation
}

// run decides, and begins with the pairs at which a greedy order is stuck, if one
// was tried. All results are nil if the refutation would be too large.
func (s *pairSolver) run(ctx context.Context, stuck *placer) (*witness.Order, *witness.Refutation, error) {
	if stuck != nil {
		if err := s.create(ctx, s.split(stuck)); err != nil {
			return nil, nil, err
		}
	}
	for {
		if err := s.within(); err != nil {
			return nil, nil, err
		}
		switch sat, err := Solve(ctx, s.sat); {
		case err != nil:
			return nil, nil, err
		case !sat:
			s.refuted = true
			ref, err := s.tree(ctx)
			return nil, ref, err
		}
		if s.learnCycles() {
			continue
		}
		related, learned, err := s.propose(ctx)
		if err == nil && !learned {
			var order *witness.Order
			var stuck *placer
			// At a dead end there is a pair to split on: once there are some, what it
			// teaches is not worth its time.
			most := 0
			if len(s.pairs) == 0 {
				most = maxNogoods
			}
			order, stuck, _, err = newPlacer(s.g).order(ctx, most)
			if order != nil {
				return order, nil, nil
			}
			if err == nil {
				related = s.split(stuck)
			}
		}
		if err == nil {
			err = s.create(ctx, related)
		}
		if err != nil {
			return nil, nil, err
		}
	}
}

// propose assumes the orders that the solver proposes, except those that
// contradict earlier ones, and learns clauses from the contradictions. It keeps
// the assumptions that the last proposal shares. related are pairs of writes on
// whose order the contradictions rest.
func (s *pairSolver) propose(ctx context.Context) (related [][2]saturate.Node, learned bool, err error) {
	g := s.g
	same := 0
	for same < len(s.stack) && s.value(s.stack[same].lit/2) == s.stack[same].lit {
		same++
	}
	s.retract(same)
	assumed := make([]bool, len(s.pairs))
	for _, a := range s.stack {
		assumed[a.lit/2] = true
	}
	for i := range s.pairs {
		if assumed[i] {
			continue
		}
		if ctx.Err() != nil {
			return nil, false, context.Cause(ctx)
		}
		l := s.value(literal(i))
		mark := g.Mark()
		if !s.assume(l) {
			ref := g.Refute()
			s.learn(s.assumptions(ref), ref)
			related = s.ordered(related, ref)
			learned = true
			g.Undo(mark)
			continue
		}
		s.stack = append(s.stack, assumption{l, mark})
	}
	return related, learned, nil
}

func (s *pairSolver) assume(l literal) bool {
	u, v := s.ends(l)
	return s.g.Assume(u, v, witness.Assumed, saturate.NoNode)
}

// ends are the writes of a literal, in the order that it claims.
func (s *pairSolver) ends(l literal) (u, v saturate.Node) {
	p := &s.pairs[l/2]
	if l&1 == 1 {
		return p.second, p.first
	}
	return p.first, p.second
}

func (s *pairSolver) retract(keep int) {
	if keep < len(s.stack) {
		s.g.Undo(s.stack[keep].mark)
		s.stack = s.stack[:keep]
	}
}

// value is the literal of a pair that holds in the solver's proposal.
func (s *pairSolver) value(pair literal) literal {
	if s.sat.Value(s.pairs[pair].lit) {
		return 2 * pair
	}
	return 2*pair + 1
}

func (s *pairSolver) learn(lits []literal, ref *witness.Refutation) {
	s.clauses = append(s.clauses, clause{lits, ref})
	s.bytes += clauseBytes(lits) + refutationBytes(ref)
	for _, l := range lits {
		lit := s.pairs[l/2].lit
		if l&1 == 0 {
			lit = lit.Not()
		}
		s.sat.Add(lit)
	}
	s.sat.Add(z.LitNull)
}

func (s *pairSolver) assumptions(ref *witness.Refutation) []literal {
	found := make([]bool, 2*len(s.pairs))
	for e := range ref.Edges() {
		if e.Rule == witness.Assumed {
			found[s.literal(s.g.Node(e.From), s.g.Node(e.To))] = true
		}
	}
	var lits []literal
	for l, is := range found {
		if is {
			lits = append(lits, literal(l))
		}
	}
	return lits
}

// literal is the literal that says that u precedes v.
func (s *pairSolver) literal(u, v saturate.Node) literal {
	if i, ok := s.index[[2]saturate.Node{u, v}]; ok {
		return literal(2 * i)
	}
	return literal(2*s.index[[2]saturate.Node{v, u}] + 1)
}
