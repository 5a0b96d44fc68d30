package search

import (
	"context"
	"slices"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"
)

// core is a subset of the learned clauses that is still unsatisfiable, found
// by asking the solver for the ones that a proof used, until that removes few.
func (s *pairSolver) core(ctx context.Context) ([]clause, error) {
	clauses := s.clauses
	for _, c := range clauses { // in the solver below
		s.bytes += clauseBytes(c.lits)
	}
	for {
		if err := s.within(); err != nil {
			return nil, err
		}
		sat := gini.New()
		lits := make([]z.Lit, len(s.pairs))
		for i := range lits {
			lits[i] = sat.Lit()
		}
		index := map[z.Lit]int{}
		uses := make([]z.Lit, len(clauses))
		for i, c := range clauses {
			use := sat.Lit()
			index[use], uses[i] = i, use
			sat.Add(use.Not())
			for _, l := range c.lits {
				if l&1 == 0 {
					sat.Add(lits[l/2].Not())
				} else {
					sat.Add(lits[l/2])
				}
			}
			sat.Add(z.LitNull)
		}
		switch sat, err := Solve(ctx, sat, uses...); {
		case err != nil:
			return nil, err
		case sat:
			panic("search: the learned clauses are satisfiable after all")
		}
		var keep []int
		for _, use := range sat.Why(nil) {
			keep = append(keep, index[use])
		}
		slices.Sort(keep)
		if len(keep)*20 > len(clauses)*19 {
			return clauses, s.explain(ctx, clauses)
		}
		smaller := make([]clause, len(keep))
		for i, k := range keep {
			smaller[i] = clauses[k]
		}
		clauses = smaller
	}
}

// explain finds the refutations of clauses that have none, by assuming their
// literals. A clause keeps the literals that its refutation uses.
func (s *pairSolver) explain(ctx context.Context, clauses []clause) error {
	s.retract(0)
	for i := range clauses {
		c := &clauses[i]
		if c.ref != nil {
			continue
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if err := s.within(); err != nil {
			return err
		}
		mark := s.g.Mark()
		if !slices.ContainsFunc(c.lits, func(l literal) bool { return !s.assume(l) }) {
			panic("search: the literals of a cycle do not contradict each other")
		}
		c.ref = s.g.Refute()
		s.bytes += refutationBytes(c.ref)
		c.lits = s.assumptions(c.ref)
		s.g.Undo(mark)
	}
	return nil
}
