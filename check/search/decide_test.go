package search

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// undecided yields histories that saturation cannot decide, with what their
// model says of them by construction.
func undecided(f func(h *parse.History, m model.Model, allowed bool)) {
	h, _ := histgen.SplitNeeded()
	f(h, model.SC, false)
	for pairs := 1; pairs <= 3; pairs++ {
		for _, forbid := range []bool{false, true} {
			k := histgen.Kernel{Pairs: pairs, Conflicts: pairs + 1, Forbid: forbid}
			h, _ := k.History()
			f(h, model.SC, !forbid)
			k.Fences = true
			h, _ = k.History()
			for _, m := range totals {
				f(h, m, !forbid)
			}
		}
	}
	for seed := range many(12) {
		rng := rand.New(rand.NewPCG(seed, 81))
		n := 3 + rng.IntN(5)
		c := histgen.RandomCNF(rng, n, int(float64(n)*(3+3*rng.Float64())))
		f(histgen.FromCNF(c, false), model.SC, c.Satisfiable())
		h := histgen.FromCNF(c, true)
		for _, m := range totals[:3] {
			f(h, m, c.Satisfiable())
		}
	}
}

// Case splits decide what saturation leaves open, and their evidence is
// accepted: an order, or a tree with a cycle at every leaf.
func TestDecide(t *testing.T) {
	trees, orders, splits := 0, 0, 0
	undecided(func(h *parse.History, m model.Model, allowed bool) {
		g := graphOf(t, h, m)
		if g == nil {
			t.Fatalf("%s: saturation refutes what was built to need splits\n%s", m.Name, text(h))
		}
		v := witness.Verdict{Model: m.Name}
		err := splitCases(t.Context(), g, nil, Limits{}, &v)
		if err != nil {
			t.Fatal(err)
		}
		accepted(t, h, m, v)
		want := []any{witness.Forbidden, "sat"}
		if allowed {
			want[0] = witness.Allowed
		}
		if diff := cmp.Diff(want, []any{v.Answer, v.Procedure}); diff != "" {
			t.Fatalf("%s: answer and procedure (-want +got), reason %q:\n%s\n%s", m.Name, v.Reason, diff, text(h))
		}
		if allowed {
			orders++
			permutation(t, h, v.Order)
			return
		}
		trees++
		splits += wellFormed(t, h, v.Refutation.Root, map[[2]parse.OpID]bool{})
	})
	for kind, n := range map[string]int{"trees": trees, "orders": orders, "splits": splits} {
		if n == 0 {
			t.Errorf("the sample has no %s", kind)
		}
	}
}

// wellFormed checks that no way from the root splits on a pair twice, and that
// every leaf is a cycle; it counts the splits.
func wellFormed(t testing.TB, h *parse.History, n *witness.Node, above map[[2]parse.OpID]bool) int {
	t.Helper()
	if n.First == nil && n.Second == nil {
		if len(n.Cycle) == 0 {
			t.Fatalf("a leaf without a cycle\n%s", text(h))
		}
		return 0
	}
	pair := [2]parse.OpID{min(n.From, n.To), max(n.From, n.To)}
	if above[pair] {
		t.Fatalf("two splits on %v\n%s", pair, text(h))
	}
	above[pair] = true
	defer delete(above, pair)
	return 1 + wellFormed(t, h, n.First, above) + wellFormed(t, h, n.Second, above)
}

// Every learned clause names all assumptions that its contradiction rests on:
// assuming just these on a fresh graph contradicts again. A clause with one
// literal too few would cut off memory orders that the model allows.
func TestPitfallClausesAreComplete(t *testing.T) {
	clauses, long := 0, 0
	undecided(func(h *parse.History, m model.Model, _ bool) {
		s := newPairSolver(graphOf(t, h, m))
		if _, _, err := s.run(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		fresh := graphOf(t, h, m)
		for i, c := range s.clauses {
			if i > 200 {
				break
			}
			clauses++
			if len(c.lits) > 1 {
				long++
			}
			mark := fresh.Mark()
			holds := true
			for _, l := range c.lits {
				u, v := s.pairs[l/2].first, s.pairs[l/2].second
				if l&1 == 1 {
					u, v = v, u
				}
				if holds = fresh.Assume(u, v, witness.Assumed, saturate.NoNode); !holds {
					break
				}
			}
			if holds {
				t.Fatalf("%s: clause %v has no contradiction\n%s", m.Name, c.lits, text(h))
			}
			fresh.Undo(mark)
		}
	})
	if clauses == 0 || long == 0 {
		t.Errorf("%d clauses, %d with more than one literal", clauses, long)
	}
}
