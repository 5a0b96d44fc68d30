package search

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// permutation checks that an order holds every access of a history once.
func permutation(t testing.TB, h *parse.History, order *witness.Order) {
	t.Helper()
	seen := make([]int, len(h.Ops))
	for _, id := range order.Ops {
		seen[id]++
	}
	for id, n := range seen {
		if want := h.Ops[id].Kind != parse.Fence; (n == 1) != want || n > 1 {
			t.Fatalf("operation %d is %d times in the order\n%s", id, n, text(h))
		}
	}
}

// facts is what a graph says, to compare before and after.
func facts(g *saturate.Graph) (before []bool, edges int) {
	for v := range saturate.Node(g.Nodes()) {
		for u := range saturate.Node(g.Nodes()) {
			before = append(before, g.HB(u, v))
		}
	}
	return before, g.Inferred()
}

// A greedy order holds every access once and is accepted by the machine,
// and the graph is as before.
func TestGreedy(t *testing.T) {
	found := 0
	check := func(h *parse.History) {
		for _, m := range totals {
			g := graphOf(t, h, m)
			if g == nil {
				continue
			}
			before, edges := facts(g)
			order, stuck, _, err := greedy(t.Context(), g)
			if err != nil || (order == nil) == (stuck == nil) {
				t.Fatal(err, order, stuck)
			}
			after, edges2 := facts(g)
			if edges != edges2 || !slices.Equal(before, after) {
				t.Fatalf("%s: greedy leaves its mark on the graph\n%s", m.Name, text(h))
			}
			if order == nil {
				continue
			}
			found++
			permutation(t, h, order)
			if err := witness.Replay(h, m, order); err != nil {
				t.Fatalf("%s: %v\n%s", m.Name, err, text(h))
			}
		}
	}
	for seed := range many(1500) {
		check(draw(rand.New(rand.NewPCG(seed, 71)), 4, 12))
	}
	for seed := range many(100) {
		check(draw(rand.New(rand.NewPCG(seed, 72)), 100, 400))
	}
	if found == 0 {
		t.Error("no order")
	}
}

// Kernels with one way to order their pairs lead decisions astray: greedy
// takes some back and still finds the order, or gives up, and never says that
// the model forbids what it cannot order. SAT finds what greedy does not.
func TestPitfallDeadEndIsNoRefutation(t *testing.T) {
	back, gaveUp, gaveUpWrongly := 0, 0, 0
	compare := func(h *parse.History, m model.Model, allowed bool) {
		v, err := Greedy.Run(t.Context(), h, m, Limits{})
		if err != nil {
			t.Fatal(err)
		}
		accepted(t, h, m, v)
		if v.Answer == witness.Unknown && v.Reason == "" {
			t.Fatalf("%s: unknown without a reason\n%s", m.Name, text(h))
		}
		if v.Answer != witness.Unknown && (v.Answer == witness.Allowed) != allowed {
			t.Fatalf("%s: %v, want allowed: %v\n%s", m.Name, v.Answer, allowed, text(h))
		}
		if v.Answer == witness.Allowed && v.Stats.Backtracks > 0 {
			back++
		}
		if v.Answer == witness.Unknown {
			gaveUp++
			if allowed {
				gaveUpWrongly++
			}
			v, err := Auto.Run(t.Context(), h, m, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			accepted(t, h, m, v)
			if v.Answer == witness.Unknown || (v.Answer == witness.Allowed) != allowed {
				t.Fatalf("%s: %v %q, allowed: %v\n%s", m.Name, v.Answer, v.Reason, allowed, text(h))
			}
		}
	}
	for pairs := 1; pairs <= 3; pairs++ {
		for conflicts := 2; conflicts <= 4; conflicts++ {
			for _, forbid := range []bool{false, true} {
				h, _ := histgen.Kernel{Pairs: pairs, Conflicts: conflicts, Forbid: forbid}.History()
				compare(h, model.SC, !forbid)
			}
		}
	}
	for seed := range many(40) {
		rng := rand.New(rand.NewPCG(seed, 73))
		f := histgen.RandomCNF(rng, 3+rng.IntN(6), 4+rng.IntN(30))
		relaxed := seed%2 == 0
		h := histgen.FromCNF(f, relaxed)
		compare(h, model.SC, f.Satisfiable())
		if relaxed {
			compare(h, model.TSO, f.Satisfiable())
			compare(h, model.PSO, f.Satisfiable())
		}
	}
	t.Logf("decisions taken back for %d orders, %d given up, %d of them on allowed histories", back, gaveUp, gaveUpWrongly)
	if back == 0 || gaveUp == 0 {
		t.Error("no dead end")
	}
}

// The order of n6 has a forwarded load before its store: the machine with a
// store buffer accepts it, and refuses it where the load is swapped with one
// that is not forwarded. The graph is no part of that.
func TestPitfallReplayIsOperational(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[x] == 1\n0: M[y] == 0\n1: M[y] := 1\n1: M[x] := 2\nfinal M[x] == 1")
	v, err := Auto.Run(t.Context(), h, model.TSO, Limits{})
	if err != nil || v.Answer != witness.Allowed {
		t.Fatal(err, v.Answer, v.Reason)
	}
	accepted(t, h, model.TSO, v)
	ops := v.Order.Ops
	if slices.Index(ops, 1) > slices.Index(ops, 0) {
		t.Fatalf("the load does not come first in %v", ops)
	}
	if err := witness.Replay(h, model.SC, v.Order); err == nil {
		t.Error("SC accepts a forwarded load")
	}
	swapped := slices.Clone(ops)
	i, j := slices.Index(ops, 2), slices.Index(ops, 3) // y == 0 and y := 1
	swapped[i], swapped[j] = swapped[j], swapped[i]
	if err := witness.Replay(h, model.TSO, &witness.Order{Ops: swapped}); err == nil {
		t.Error("a load of the initial value after the store is accepted")
	}
}
