package trace

import (
	"context"
	"time"

	"github.com/go-air/gini"
	"github.com/go-air/gini/z"

	"ordeal/check/closure"
	"ordeal/check/serial"
)

// conflict is a conflict that is possible between accesses of different
// transactions.
type conflict struct{ u, v int32 }

// satisfier encodes the question for a violation: there is a variable for
// each transaction that the cycle visits, for each pair of transactions that
// it may take in a row, and for each open conflict. A visited transaction is
// followed by a visited one, by a conflict that all executions have or an
// open one; and as there are finitely many, that makes a cycle. Open conflicts
// that order events in a circle become clauses when the solver proposes them.
type satisfier struct {
	l     *timeline
	sat   *gini.Gini
	visit map[int32]z.Lit // of transactions
	steps map[[2]int32]*step
	next  map[int32][]*step  // steps by their first transaction
	list  []*step            // all, in order
	open  map[conflict]z.Lit // conflicts that not all executions have
	order []conflict         // the keys of open, in order
}

// step is a pair of transactions that conflict.
type step struct {
	lit  z.Lit
	to   int32
	sure bool    // by a conflict that all executions have
	open []z.Lit // the open conflicts
}

// patience is how long the solver runs between looks at the context.
const patience = 20 * time.Millisecond

// sat returns the constraints of an execution that is not serializable, nil
// if there is none.
func (l *timeline) sat(ctx context.Context) ([]constraint, error) {
	s := &satisfier{
		l: l, sat: gini.New(), visit: map[int32]z.Lit{}, steps: map[[2]int32]*step{}, next: map[int32][]*step{},
		open: map[conflict]z.Lit{},
	}
	s.collect()
	s.encode()
	s.twoByTwo()
	for {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		answer, err := s.solve(ctx)
		if err != nil || answer < 0 {
			return nil, err
		}
		constraints, chosen := s.chosen()
		if circle := l.circular(chosen); circle != nil {
			s.forbid(circle)
			continue
		}
		return constraints, nil
	}
}

func (s *satisfier) collect() {
	n := int32(len(s.l.seq.Events))
	for i := range n {
		for j := range n {
			a, b := s.l.seq.Events[i].Tx, s.l.seq.Events[j].Tx
			if a == b {
				continue
			}
			switch {
			case s.l.seq.Events[i].Thread == s.l.seq.Events[j].Thread:
				if i < j && s.l.conflicts.Conflict(serial.TSO, i, j) {
					s.step(a, b).sure = true
				}
			case !s.l.conflicting(i, j) || !s.l.possible(i, j):
			case s.l.must(i, j):
				s.step(a, b).sure = true
			default:
				p, c := s.step(a, b), conflict{i, j}
				s.open[c] = s.sat.Lit()
				s.order = append(s.order, c)
				p.open = append(p.open, s.open[c])
			}
		}
	}
}

// step is the step between two transactions, made when it is first needed.
func (s *satisfier) step(from, to int32) *step {
	pair := [2]int32{from, to}
	if p := s.steps[pair]; p != nil {
		return p
	}
	p := &step{lit: s.sat.Lit(), to: to}
	s.steps[pair] = p
	s.list = append(s.list, p)
	s.next[from] = append(s.next[from], p)
	for _, tx := range pair {
		if _, known := s.visit[tx]; !known {
			s.visit[tx] = s.sat.Lit()
		}
	}
	return p
}

func (s *satisfier) encode() {
	for tx := range int32(len(s.l.seq.Transactions)) {
		if lit, ok := s.visit[tx]; ok {
			s.sat.Add(lit) // some transaction is visited
		}
	}
	s.sat.Add(z.LitNull)
	for tx := range int32(len(s.l.seq.Transactions)) {
		lit, ok := s.visit[tx]
		if !ok {
			continue
		}
		s.sat.Add(lit.Not())
		for _, p := range s.next[tx] {
			s.sat.Add(p.lit)
		}
		s.sat.Add(z.LitNull)
	}
	for _, p := range s.list {
		s.clause(p.lit.Not(), s.visit[p.to])
		if !p.sure {
			s.clause(append([]z.Lit{p.lit.Not()}, p.open...)...)
		}
	}
}

func (s *satisfier) clause(lits ...z.Lit) {
	for _, m := range lits {
		s.sat.Add(m)
	}
	s.sat.Add(z.LitNull)
}

// solve runs the solver: 1 for satisfiable, -1 for not. Try stops the solver,
// which goes on with what it has learned.
func (s *satisfier) solve(ctx context.Context) (int, error) {
	for {
		if answer := s.sat.Try(patience); answer != 0 {
			return answer, nil
		}
		if err := ctx.Err(); err != nil {
			return 0, err
		}
	}
}

// maxPairs bounds the open conflicts that twoByTwo looks at.
const maxPairs = 2000

// twoByTwo excludes what no execution has together of two open conflicts: the
// target of each is before the source of the other.
func (s *satisfier) twoByTwo() {
	if len(s.order) > maxPairs {
		return // sat excludes those that matter one by one
	}
	for i, c := range s.order {
		for _, d := range s.order[:i] {
			if !s.l.possible(c.u, d.v) && !s.l.possible(d.u, c.v) {
				s.clause(s.open[c].Not(), s.open[d].Not())
			}
		}
	}
}

// chosen lists the open conflicts that the cycle of the model takes.
func (s *satisfier) chosen() ([]constraint, []conflict) {
	taken := map[*step]bool{}
	at := int32(none)
	for tx := range int32(len(s.l.seq.Transactions)) {
		if lit, ok := s.visit[tx]; ok && s.sat.Value(lit) {
			at = tx
			break
		}
	}
	// Every visited transaction has a successor: walk until one repeats, and
	// once around from there.
	path := map[int32]int{}
	var walk []*step
	for {
		if from, seen := path[at]; seen {
			walk = walk[from:]
			break
		}
		path[at] = len(walk)
		for _, p := range s.next[at] {
			if s.sat.Value(p.lit) {
				walk = append(walk, p)
				at = p.to
				break
			}
		}
	}
	for _, p := range walk {
		taken[p] = !p.sure
	}
	constraints, list := []constraint{}, []conflict(nil)
	for _, c := range s.order {
		p := s.steps[[2]int32{s.l.seq.Events[c.u].Tx, s.l.seq.Events[c.v].Tx}]
		if !taken[p] || !s.sat.Value(s.open[c]) {
			continue
		}
		taken[p] = false // one conflict is enough
		list = append(list, c)
		constraints = append(constraints, constraint{c.u, c.v})
		if w := s.l.source[c.u]; w != none {
			constraints = append(constraints, constraint{w, c.v})
		}
	}
	return constraints, list
}

// forbid excludes conflicts that order events in a circle.
func (s *satisfier) forbid(circle []conflict) {
	for _, c := range circle {
		s.sat.Add(s.open[c].Not())
	}
	s.sat.Add(z.LitNull)
}

// circular finds conflicts among some that no execution has together; nil if
// one has all. They are on a cycle of moments: those of the trace's events, in
// their order, and of commits.
func (l *timeline) circular(list []conflict) []conflict {
	// The label of an arc is an index in list, or none.
	g := closure.Graph[int]{Nodes: 2 * len(l.seq.Events)}
	l.eachMoment(func(from, to int32) { g.Add(from, to, none) })
	for k, c := range list {
		g.Add(l.moment(c.u), l.moment(c.v), k)
		if w := l.source[c.u]; w != none {
			g.Add(l.moment(w), l.moment(c.v), k)
		}
	}
	var circle []conflict
	for _, a := range g.Cycle() {
		if a.Label != none {
			circle = append(circle, list[a.Label])
		}
	}
	return circle
}
