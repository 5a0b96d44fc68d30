package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/closure"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// cyclic reports whether the edges of a graph and consequences have a cycle.
func cyclic(g *saturate.Graph, consequences []consequence) bool {
	all := closure.Graph[struct{}]{Nodes: g.Nodes()}
	for v := range saturate.Node(g.Nodes()) {
		g.Successors(v, func(t saturate.Node) bool {
			all.Add(int32(v), int32(t), struct{}{})
			return true
		})
	}
	for _, c := range consequences {
		all.Add(int32(c.from), int32(c.to), struct{}{})
	}
	return len(all.Sort()) < all.Nodes
}

// forward reports whether all edges of a graph respect the sweep, so that the
// cycle finder misses nothing.
func forward(g *saturate.Graph) bool {
	ok := true
	for v := range saturate.Node(g.Nodes()) {
		g.Successors(v, func(t saturate.Node) bool {
			ok = ok && g.SweepOrder(v) < g.SweepOrder(t)
			return ok
		})
	}
	return ok
}

// The finder finds a cycle just if there is one, and the literals of each that
// it names have one.
func TestCycles(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 91))
	cycles, none, several := 0, 0, 0
	for range many(2000) {
		m := totals[rng.IntN(len(totals))]
		g := graphOf(t, draw(rng, 3, 10), m)
		if g == nil || g.Nodes() < 2 || !forward(g) {
			continue
		}
		f := newCycleFinder(g)
		for range 3 { // resetting forgets the last time
			implied := make([][]consequence, 1+rng.IntN(6))
			for l := range implied {
				for range 1 + rng.IntN(2) {
					u, v := saturate.Node(rng.IntN(g.Nodes())), saturate.Node(rng.IntN(g.Nodes()))
					if u != v && !g.HB(v, u) {
						implied[l] = append(implied[l], consequence{u, v, literal(l)})
					}
				}
			}
			f.consequences = slices.Concat(implied...)
			found := f.find()
			if want := cyclic(g, slices.Concat(implied...)); want != (len(found) > 0) {
				t.Fatalf("%s: cycles %v, want one: %v\n%v", m.Name, found, want, implied)
			}
			for i, lits := range found {
				var consequences []consequence
				for _, l := range lits {
					consequences = append(consequences, implied[l]...)
				}
				if !cyclic(g, consequences) {
					t.Fatalf("%s: %v have no cycle\n%v", m.Name, lits, implied)
				}
				if set := slices.Compact(slices.Sorted(slices.Values(lits))); !slices.Equal(lits, set) {
					t.Fatalf("%s: cycle %d is %v, want the sorted set %v", m.Name, i, lits, set)
				}
				if i > 0 && slices.Compare(found[i-1], lits) >= 0 {
					t.Fatalf("%s: cycle %v follows %v, want ascending ones", m.Name, lits, found[i-1])
				}
			}
			switch {
			case len(found) == 0:
				none++
			case len(found) > 1:
				several++
				fallthrough
			default:
				cycles++
			}
		}
	}
	t.Logf("%d with cycles, %d of them with several, %d without", cycles, several, none)
	for kind, n := range map[string]int{"with cycles": cycles, "without cycles": none, "with several cycles": several} {
		if n == 0 {
			t.Errorf("the sample has no case %s", kind)
		}
	}
}

// A cycle is found with as few consequences as possible, and no longer ones
// beside it.
func TestCyclesAreShort(t *testing.T) {
	four := "0: M[a] := 1\n1: M[b] := 1\n2: M[c] := 1\n3: M[d] := 1"
	for _, test := range []struct {
		history      string
		consequences []consequence
		want         []literal
	}{
		{four, []consequence{{0, 1, 0}, {1, 2, 2}, {2, 3, 4}, {3, 0, 6}, {2, 0, 8}}, []literal{0, 2, 8}},
		{four + "\n4: M[e] := 1", []consequence{{0, 1, 0}, {1, 2, 2}, {2, 0, 4}, {3, 4, 6}, {4, 3, 8}}, []literal{6, 8}},
		// Program order leads from 1 to 3: the search meets literal 2, which
		// does so as well, first.
		{"0: M[a] := 1\n1: M[b] := 1\n1: M[c] := 1\n1: M[d] := 1", []consequence{{0, 1, 0}, {1, 3, 2}, {3, 0, 4}}, []literal{0, 4}},
	} {
		f := newCycleFinder(graphOf(t, cases.Parse(test.history), model.SC))
		f.consequences = test.consequences
		if found := f.find(); len(found) != 1 || !slices.Equal(found[0], test.want) {
			t.Errorf("cycles %v, want only %v in\n%s", found, test.want, test.history)
		}
	}
}

// The refutation of a clause that a cycle showed rests on its literals alone,
// whatever is assumed when it is asked for.
func TestExplain(t *testing.T) {
	cycles, shorter := 0, 0
	undecided(func(h *parse.History, m model.Model, _ bool) {
		s := newPairSolver(graphOf(t, h, m))
		if _, _, err := s.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		var clauses []clause
		for _, c := range s.clauses {
			if len(c.lits) > 1 {
				clauses = append(clauses, clause{lits: c.lits})
			}
		}
		s.retract(0)
		for i := range s.pairs {
			l, mark := literal(2*i), s.g.Mark()
			if !s.assume(l) {
				s.g.Undo(mark)
				continue
			}
			s.stack = append(s.stack, assumption{l, mark})
		}
		before := slices.Clone(clauses)
		if err := s.explain(t.Context(), clauses); err != nil {
			t.Fatal(err)
		}
		for i, c := range clauses {
			cycles++
			if len(c.lits) < len(before[i].lits) {
				shorter++
			}
			for _, l := range c.lits {
				if c.ref == nil || !slices.Contains(before[i].lits, l) {
					t.Fatalf("%s: the refutation of %v rests on %v", m.Name, before[i].lits, c.lits)
				}
			}
		}
	})
	t.Logf("%d clauses, %d refuted with fewer literals", cycles, shorter)
	if cycles == 0 {
		t.Error("no clause")
	}
}

// Consequences follow from their literal alone, whatever else is assumed when
// the pair becomes a variable: each holds in a fresh graph with the literal.
func TestConsequences(t *testing.T) {
	seen := 0
	undecided(func(h *parse.History, m model.Model, _ bool) {
		s := newPairSolver(graphOf(t, h, m))
		s.more = 1 // create them in many rounds
		if _, _, err := s.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		fresh := graphOf(t, h, m)
		for i, list := range s.implied {
			l := literal(i)
			u, v := s.ends(l)
			mark := fresh.Mark()
			if holds := fresh.Assume(u, v, witness.Assumed, saturate.NoNode); holds == (len(list) == 0) {
				t.Fatalf("%s: %d before %d holds: %v, with consequences %v", m.Name, u, v, holds, list)
			}
			for _, c := range list {
				seen++
				if c.lit != l || !fresh.HB(c.from, c.to) {
					t.Fatalf("%s: %v does not follow from %d before %d", m.Name, c, u, v)
				}
			}
			fresh.Undo(mark)
		}
	})
	if seen == 0 {
		t.Error("no consequence")
	}
}

// In the reduction of a formula the order of the two writes to a variable
// decides that of the writes to its literals, so that no more pairs than the
// formula has variables become variables. Otherwise the solver would see the
// formula many times.
func TestCreateLeavesOutDecided(t *testing.T) {
	for seed := range many(20) {
		rng := rand.New(rand.NewPCG(seed, 92))
		n := 5 + rng.IntN(6)
		h := histgen.FromCNF(histgen.RandomCNF(rng, n, 4*n), false)
		s := newPairSolver(graphOf(t, h, model.SC))
		if _, _, err := s.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		if len(s.pairs) > n {
			t.Errorf("%d variables, but %d pairs", n, len(s.pairs))
		}
	}
}
