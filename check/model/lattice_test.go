package model_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

func TestByName(t *testing.T) {
	for _, m := range model.All() {
		if got, ok := model.ByName(m.Name); !ok || got != m {
			t.Errorf("%s: %v, %v", m.Name, got, ok)
		}
	}
	if _, ok := model.ByName("SC"); ok {
		t.Error("names are lower case")
	}
}

// Each model stands after those that imply it, and no two imply each other.
func TestOrder(t *testing.T) {
	all := model.All()
	for i, a := range all {
		for _, b := range all[i+1:] {
			if model.Implies(b, a) {
				t.Errorf("%s implies %s, which stands before it", b.Name, a.Name)
			}
		}
	}
}

// The whole relation, by hand.
func TestImplies(t *testing.T) {
	weaker := map[string][]string{
		"sc":   {"tso", "pso", "rmo", "wsc", "wtso", "wpso", "ccm", "wccm", "ccv", "cm", "cc"},
		"tso":  {"pso", "rmo", "wtso", "wpso", "wccm", "ccv", "cc"},
		"pso":  {"rmo", "wpso"},
		"wsc":  {"wtso", "wpso", "ccm", "wccm", "ccv", "cm", "cc"},
		"wtso": {"wpso", "wccm", "ccv", "cc"},
		"ccm":  {"wccm", "ccv", "cm", "cc"},
		"ccv":  {"cc"},
		"cm":   {"cc"},
	}
	for _, a := range model.All() {
		for _, b := range model.All() {
			want := a == b || slices.Contains(weaker[a.Name], b.Name)
			if got := model.Implies(a, b); got != want {
				t.Errorf("%s implies %s: %v", a.Name, b.Name, got)
			}
		}
	}
}

// Brute force finds no history that a model allows and one that it implies
// forbids: among all histories of up to three operations (with -soak four) with
// RMWs and fences, a sample of the larger ones, and random ones with
// dependencies, final values and store orders. It finds one for every pair of
// models that do not imply each other, except that the closures wsc, wtso and
// wpso differ from sc, tso and pso in larger histories only.
func TestImplicationsHold(t *testing.T) {
	all := model.All()
	separate := map[[2]string]bool{}
	check := func(h *parse.History) {
		allowed := make([]bool, len(all))
		for i, m := range all {
			allowed[i] = brute.Allowed(h, m)
		}
		for i, a := range all {
			for j, b := range all {
				if !allowed[i] || allowed[j] {
					continue
				}
				if model.Implies(a, b) {
					t.Fatalf("%s allows and %s forbids %+v", a.Name, b.Name, h)
				}
				separate[[2]string{a.Name, b.Name}] = true
			}
		}
	}
	exact := func(n int) histgen.Bound {
		return histgen.Bound{Threads: 3, Locations: 2, Ops: n, Exact: true, RMW: true, Fences: []parse.FenceMask{parse.FullFence, parse.StoreStore}}
	}
	random := scale.Of(3000, 3000, 300_000)
	for n, step := range []int{1: 1, 2: 1, 3: 1, 4: scale.Of(31, 31, 1), 5: scale.Of(307, 307, 7)} {
		if step == 0 {
			continue
		}
		for h := range histgen.Every(step, histgen.All(exact(n))) {
			check(h)
		}
	}
	machines := []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	for seed := range uint64(random) {
		rng := rand.New(rand.NewPCG(seed, 0))
		p := histgen.Params{
			Threads: 2 + rng.IntN(3), Ops: 5 + rng.IntN(5), Locations: 1 + rng.IntN(3), Writes: 0.45,
			RMWs: 0.15 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Deps: 0.5 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(4), Depth: 1 + rng.IntN(6),
		}
		h := histgen.Random(rng, p)
		if rng.IntN(4) > 0 {
			h = histgen.Mutate(rng, histgen.Machine(rng, machines[rng.IntN(len(machines))], p), rng.IntN(3))
		}
		switch rng.IntN(6) {
		case 0:
			histgen.AddFinal(rng, h)
		case 1:
			histgen.AddStoreOrder(rng, h)
		}
		check(h)
	}
	// A history of TSO that CM forbids: the stores to x come in one order and
	// then in the other.
	check(cases.Parse("0: M[x] := 1\n0: M[y] == 0\n0: M[y] == 8\n0: M[x] == 1\n1: M[y] := 5\n1: M[x] == 0\n1: M[x] := 7\n1: M[y] := 8"))
	for _, a := range all {
		for _, b := range all {
			closure := a == model.WSC || a == model.WTSO || a == model.WPSO
			if !model.Implies(a, b) && !separate[[2]string{a.Name, b.Name}] && (!closure || b.Family != model.Total) {
				t.Errorf("no history among these that %s allows and %s forbids", a.Name, b.Name)
			}
		}
	}
}
