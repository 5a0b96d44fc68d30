package search

import (
	"context"
	"fmt"
	"time"

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
	Summary:  "saturation, then SAT over the order of write pairs, created when a greedy order fails",
	Complete: true,
	Claims:   ClaimsTotal,
	Run: func(ctx context.Context, h *parse.History, m model.Model, limits Limits) (witness.Verdict, error) {
		g, v, err := saturated(ctx, h, m, limits, "sat")
		if g == nil {
			return v, err
		}
		return decide(ctx, g, m, v)
	},
}

// decide finishes a verdict on a saturated graph by case splits.
func decide(ctx context.Context, g *saturate.Graph, m model.Model, v witness.Verdict) (witness.Verdict, error) {
	s := &splitter{g: g, sat: gini.New(), index: map[[2]saturate.Node]int{}, known: map[string]bool{}}
	order, ref, err := s.run(ctx)
	v.Procedure = "sat"
	v.Stats.Clauses = len(s.clauses)
	switch {
	case err != nil:
		return Interrupted(err, m, "sat")
	case order != nil:
		v.Answer, v.Order = witness.Allowed, order
	case ref != nil:
		v.Answer, v.Refutation = witness.Forbidden, ref
	default:
		v.Reason = fmt.Sprintf("the refutation by %d clauses needs more than %d case splits", len(s.clauses), maxTree)
	}
	return v, nil
}

// splitter decides a saturated graph by conflict-driven search over the order
// of pairs of writes to one location. A pair becomes a variable only when a
// greedy order got stuck on it. The solver proposes orders for all pairs, the
// graph assumes them one after the other, and each contradiction becomes a
// clause: the assumptions that its proof names. When the graph accepts a
// proposal, the greedy order is tried again.
type splitter struct {
	g       *saturate.Graph
	sat     *gini.Gini
	pairs   []writePair
	index   map[[2]saturate.Node]int // of pairs, by first and second
	clauses []clause
	known   map[string]bool // clauses, to learn none twice
	more    int             // pairs to create at the next dead end
	stack   []assumption    // in force in the graph
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

// clause says that not all of its literals hold, and ref shows it.
type clause struct {
	lits []literal
	ref  *witness.Refutation
}

// run decides. All results are nil if the refutation would be too large.
func (s *splitter) run(ctx context.Context) (*witness.Order, *witness.Refutation, error) {
	g := s.g
	s.more = 8
	for {
		switch sat, err := s.solve(ctx); {
		case err != nil:
			return nil, nil, err
		case !sat:
			ref, err := s.tree(ctx)
			return nil, ref, err
		}
		learned, err := s.propose(ctx)
		if err != nil {
			return nil, nil, err
		}
		if !learned {
			order, stuck, _, err := greedy(ctx, g)
			if order != nil || err != nil {
				return order, nil, err
			}
			s.split(stuck)
		}
	}
}

// solve asks the solver for orders of all pairs.
func (s *splitter) solve(ctx context.Context) (bool, error) {
	for {
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		if r := s.sat.Try(100 * time.Millisecond); r != 0 {
			return r > 0, nil
		}
	}
}

// propose assumes the orders that the solver proposes, leaving out those that
// contradict the ones before, and learns why they do. It keeps what the last
// proposal had in common with this one.
func (s *splitter) propose(ctx context.Context) (learned bool, err error) {
	g := s.g
	same := 0
	for same < len(s.stack) && s.value(s.stack[same].lit/2) == s.stack[same].lit {
		same++
	}
	if same < len(s.stack) {
		g.Undo(s.stack[same].mark)
	}
	s.stack = s.stack[:same]
	assumed := make([]bool, len(s.pairs))
	for _, a := range s.stack {
		assumed[a.lit/2] = true
	}
	for i := range s.pairs {
		if assumed[i] {
			continue
		}
		if ctx.Err() != nil {
			return false, context.Cause(ctx)
		}
		l := s.value(literal(i))
		u, v := s.pairs[i].first, s.pairs[i].second
		if l&1 == 1 {
			u, v = v, u
		}
		mark := g.Mark()
		if !g.Assume(u, v, witness.Assumed, saturate.NoNode) {
			s.learn(g.Refute())
			learned = true
			g.Undo(mark)
			continue
		}
		s.stack = append(s.stack, assumption{l, mark})
	}
	return learned, nil
}

// value is the literal of a pair that holds in the solver's proposal.
func (s *splitter) value(pair literal) literal {
	if s.sat.Value(s.pairs[pair].lit) {
		return 2 * pair
	}
	return 2*pair + 1
}

// learn adds the clause that a contradiction shows.
func (s *splitter) learn(ref *witness.Refutation) {
	lits := s.assumptions(ref)
	key := fmt.Sprint(lits)
	if s.known[key] {
		return
	}
	s.known[key] = true
	s.clauses = append(s.clauses, clause{lits, ref})
	for _, l := range lits {
		lit := s.pairs[l/2].lit
		if l&1 == 0 {
			lit = lit.Not()
		}
		s.sat.Add(lit)
	}
	s.sat.Add(z.LitNull)
}

// assumptions lists the assumptions of a refutation, in order.
func (s *splitter) assumptions(ref *witness.Refutation) []literal {
	found := make([]bool, 2*len(s.pairs))
	note := func(edges []witness.Edge) {
		for _, e := range edges {
			if e.Rule == witness.Assumed {
				found[s.literal(s.g.Node(e.From), s.g.Node(e.To))] = true
			}
		}
	}
	note(ref.Root.Cycle)
	for _, l := range ref.Lemmas {
		note(l.Premise)
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
func (s *splitter) literal(u, v saturate.Node) literal {
	if i, ok := s.index[[2]saturate.Node{u, v}]; ok {
		return literal(2 * i)
	}
	return literal(2*s.index[[2]saturate.Node{v, u}] + 1)
}
