package trace

import (
	"context"
	"slices"
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
	visit map[int32]z.Lit      // of transactions
	step  map[[2]int32]z.Lit   // of pairs of transactions
	open  map[conflict]z.Lit   // of conflicts not in all executions
	list  []conflict           // the keys of open, in order
	by    map[[2]int32][]z.Lit // open conflicts of a pair of transactions
	sure  map[[2]int32]bool    // pairs with a conflict that all executions have
	next  map[int32][][2]int32 // pairs by their first
	pairs [][2]int32           // the keys of step, in order
}

// patience is how long the solver runs between looks at the context.
const patience = 20 * time.Millisecond

// sat returns the constraints of an execution that is not serializable, nil
// if there is none.
func (l *timeline) sat(ctx context.Context) ([]constraint, error) {
	s := &satisfier{
		l: l, sat: gini.New(), visit: map[int32]z.Lit{}, step: map[[2]int32]z.Lit{}, open: map[conflict]z.Lit{},
		by: map[[2]int32][]z.Lit{}, sure: map[[2]int32]bool{}, next: map[int32][][2]int32{},
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

// collect finds all possible conflicts between transactions.
func (s *satisfier) collect() {
	n := int32(len(s.l.seq.Events))
	for i := range n {
		for j := range n {
			a, b := s.l.seq.Events[i].Tx, s.l.seq.Events[j].Tx
			if a == b {
				continue
			}
			pair := [2]int32{a, b}
			switch {
			case s.l.seq.Events[i].Thread == s.l.seq.Events[j].Thread:
				if i < j && s.l.conflicts.Conflict(serial.TSO, i, j) {
					s.addStep(pair)
					s.sure[pair] = true
				}
			case !s.l.conflicting(i, j) || !s.l.possible(i, j):
			case s.l.must(i, j):
				s.addStep(pair)
				s.sure[pair] = true
			default:
				s.addStep(pair)
				c := conflict{i, j}
				lit := s.sat.Lit()
				s.open[c] = lit
				s.list = append(s.list, c)
				s.by[pair] = append(s.by[pair], lit)
			}
		}
	}
}

func (s *satisfier) addStep(pair [2]int32) {
	if _, known := s.step[pair]; known {
		return
	}
	s.step[pair] = s.sat.Lit()
	s.pairs = append(s.pairs, pair)
	s.next[pair[0]] = append(s.next[pair[0]], pair)
	for _, tx := range pair {
		if _, known := s.visit[tx]; !known {
			s.visit[tx] = s.sat.Lit()
		}
	}
}

// encode adds the clauses.
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
		for _, pair := range s.next[tx] {
			s.sat.Add(s.step[pair])
		}
		s.sat.Add(z.LitNull)
	}
	for _, pair := range s.pairs {
		s.clause(s.step[pair].Not(), s.visit[pair[1]])
		if !s.sure[pair] {
			s.clause(append([]z.Lit{s.step[pair].Not()}, s.by[pair]...)...)
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
	if len(s.list) > maxPairs {
		return // sat excludes those that matter one by one
	}
	for i, c := range s.list {
		for _, d := range s.list[:i] {
			if !s.l.possible(c.u, d.v) && !s.l.possible(d.u, c.v) {
				s.clause(s.open[c].Not(), s.open[d].Not())
			}
		}
	}
}

// chosen lists the open conflicts that the cycle of the model takes.
func (s *satisfier) chosen() ([]constraint, []conflict) {
	taken := map[[2]int32]bool{}
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
	var walk [][2]int32
	for {
		if from, seen := path[at]; seen {
			walk = walk[from:]
			break
		}
		path[at] = len(walk)
		for _, pair := range s.next[at] {
			if s.sat.Value(s.step[pair]) {
				walk = append(walk, pair)
				at = pair[1]
				break
			}
		}
	}
	for _, pair := range walk {
		taken[pair] = !s.sure[pair]
	}
	constraints, list := []constraint{}, []conflict(nil)
	for _, c := range s.list {
		pair := [2]int32{s.l.seq.Events[c.u].Tx, s.l.seq.Events[c.v].Tx}
		if !taken[pair] || !s.sat.Value(s.open[c]) {
			continue
		}
		taken[pair] = false // one conflict is enough
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
	n := len(l.seq.Events)
	// Node i is the position of event i, node n+i the commit of write i. The
	// label of an arc is an index in list, or none.
	g := closure.Graph[int]{Nodes: 2 * n}
	add := func(from, to, cause int) { g.Add(int32(from), int32(to), cause) }
	moment := func(i int32) int {
		if l.isWrite(i) {
			return n + int(i)
		}
		return int(i)
	}
	last := slices.Repeat([]int{none}, len(l.seq.Threads)) // commit
	for i := range n {
		e := &l.seq.Events[i]
		if i+1 < n {
			add(i, i+1, none)
		}
		switch {
		case l.isWrite(int32(i)):
			add(i, n+i, none)
			if last[e.Thread] != none {
				add(last[e.Thread], n+i, none)
			}
			last[e.Thread] = n + i
		case e.Kind.Drains() && last[e.Thread] != none:
			add(last[e.Thread], i, none)
		}
	}
	for k, c := range list {
		add(moment(c.u), moment(c.v), k)
		if w := l.source[c.u]; w != none {
			add(moment(w), moment(c.v), k)
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
