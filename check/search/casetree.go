package search

import (
	"context"
	"slices"

	"ordeal/check/witness"
)

// tree turns the learned clauses, which are unsatisfiable together, into a
// tree of case splits with a clause's cycle at every leaf. It returns nil if
// the tree would be too large.
func (s *pairSolver) tree(ctx context.Context) (*witness.Refutation, error) {
	clauses, err := s.core(ctx)
	if err != nil {
		return nil, err
	}
	t := newTreeBuilder(s, clauses)
	root, _ := t.node(ctx)
	if root == nil {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		return nil, s.within()
	}
	return &witness.Refutation{Lemmas: t.lemmas, Root: root}, nil
}

// treeBuilder is a DPLL procedure that records its tree. It backjumps: a case
// whose leaves do not use the assumption of a split replaces the split.
type treeBuilder struct {
	s       *pairSolver
	clauses []clause
	state   []clauseState
	occurs  [][]int32 // literal → clauses that contain it
	value   []int8    // pair → 1 first precedes second, -1 the reverse, 0 open
	leaves  []*witness.Node
	lemmas  []witness.Lemma
	splits  int
	short   []int32   // a stack of all clauses that are violated or of one open literal, and others
	weight  []float64 // of choose: literal → how much a split on it settles
}

func newTreeBuilder(s *pairSolver, clauses []clause) *treeBuilder {
	t := &treeBuilder{s: s, value: make([]int8, len(s.pairs)), clauses: clauses}
	t.leaves = make([]*witness.Node, len(t.clauses))
	t.state = make([]clauseState, len(t.clauses))
	t.occurs = make([][]int32, 2*len(s.pairs))
	t.weight = make([]float64, 2*len(s.pairs))
	for i, c := range t.clauses {
		t.state[i].open = len(c.lits)
		t.noteShort(int32(i))
		for _, l := range c.lits {
			t.occurs[l] = append(t.occurs[l], int32(i))
		}
	}
	return t
}

// clauseState counts a clause's literals. A clause says that not all its
// literals hold: it is satisfied when one is false, violated when all hold.
type clauseState struct {
	open, fails int
	noted       bool // is on the stack of short clauses
}

// node builds the tree below the present assignment and returns it with the
// literals that its leaves use; nil when it grows too large.
func (t *treeBuilder) node(ctx context.Context) (*witness.Node, []literal) {
	l, violated := t.choose()
	if violated >= 0 {
		return t.leaf(violated), t.clauses[violated].lits
	}
	t.s.bytes += nodeBytes
	if t.splits++; t.splits > maxTree || t.splits%1024 == 0 && (ctx.Err() != nil || t.s.within() != nil) {
		return nil, nil
	}
	first, used := t.under(ctx, l)
	if first == nil || !slices.Contains(used, l) {
		return first, used
	}
	second, used2 := t.under(ctx, l.not())
	if second == nil || !slices.Contains(used2, l.not()) {
		return second, used2
	}
	p := &t.s.pairs[l/2]
	n := &witness.Node{From: t.s.g.Op(p.first), To: t.s.g.Op(p.second), First: first, Second: second}
	if l&1 == 1 {
		n.First, n.Second = second, first
	}
	return n, union(used, used2, l/2)
}

func (t *treeBuilder) under(ctx context.Context, l literal) (*witness.Node, []literal) {
	t.assign(l, 1)
	n, used := t.node(ctx)
	t.assign(l, -1)
	return n, used
}

// assign makes a literal true, or with by = -1 takes that back.
func (t *treeBuilder) assign(l literal, by int) {
	sign := int8(1)
	if l&1 == 1 {
		sign = -1
	}
	t.value[l/2] += sign * int8(by)
	for _, c := range t.occurs[l] {
		t.state[c].open -= by
		t.noteShort(c)
	}
	for _, c := range t.occurs[l.not()] {
		t.state[c].open -= by
		t.state[c].fails += by
		t.noteShort(c)
	}
}

// noteShort puts a clause on the stack if it says what to do next. A change takes
// it back there, so that choose can drop what does not.
func (t *treeBuilder) noteShort(c int32) {
	if st := &t.state[c]; st.fails == 0 && st.open <= 1 && !st.noted {
		st.noted = true
		t.short = append(t.short, c)
	}
}

// next is a violated clause, or else the open literal of a clause that has one
// left.
func (t *treeBuilder) next() (unit literal, violated int) {
	unit = -1
	kept := t.short[:0]
	for i, c := range t.short {
		st := &t.state[c]
		switch {
		case st.fails > 0 || st.open > 1:
			st.noted = false
			continue
		case st.open == 0:
			t.short = append(kept, t.short[i:]...)
			return -1, int(c)
		case unit < 0:
			lits := t.clauses[c].lits
			unit = lits[slices.IndexFunc(lits, func(l literal) bool { return t.value[l/2] == 0 })]
		}
		kept = append(kept, c)
	}
	t.short = kept
	return unit, -1
}

// choose finds a violated clause, or a literal to split on: the open one of a
// clause that has one left, else the one whose pair occurs most, short clauses
// counting more.
func (t *treeBuilder) choose() (best literal, violated int) {
	if unit, violated := t.next(); unit >= 0 || violated >= 0 {
		return unit, violated
	}
	weight := t.weight
	clear(weight)
	for i := range t.clauses {
		st := &t.state[i]
		if st.fails > 0 {
			continue
		}
		w := 1.0
		for range min(st.open, 30) {
			w /= 4
		}
		for _, l := range t.clauses[i].lits {
			if t.value[l/2] == 0 {
				weight[l] += w
			}
		}
	}
	score := -1.0
	for i := 0; i < len(weight); i += 2 {
		a, b := weight[i], weight[i+1]
		if s := 1024*a*b + a + b; a+b > 0 && s > score {
			score, best = s, literal(i)
			if b > a {
				best++
			}
		}
	}
	if score < 0 {
		panic("search: no clause is left though they are unsatisfiable together")
	}
	return best, -1
}

// leaf is the cycle of a clause. Its lemmas join the refutation once.
func (t *treeBuilder) leaf(c int) *witness.Node {
	if t.leaves[c] != nil {
		return t.leaves[c]
	}
	base := int32(len(t.lemmas))
	move := func(edges []witness.Edge) []witness.Edge {
		out := slices.Clone(edges)
		for i := range out {
			if out[i].Lemma >= 0 {
				out[i].Lemma += base
			}
		}
		return out
	}
	ref := t.clauses[c].ref
	t.s.bytes += refutationBytes(ref)
	for _, l := range ref.Lemmas {
		l.Edge.Lemma += base
		l.Premise = move(l.Premise)
		t.lemmas = append(t.lemmas, l)
	}
	t.leaves[c] = &witness.Node{Cycle: move(ref.Root.Cycle)}
	return t.leaves[c]
}

// union merges two sorted sets of literals, leaving out those of one pair.
func union(a, b []literal, pair literal) []literal {
	out := make([]literal, 0, len(a)+len(b))
	out = append(append(out, a...), b...)
	slices.Sort(out)
	return slices.DeleteFunc(slices.Compact(out), func(l literal) bool { return l/2 == pair })
}
