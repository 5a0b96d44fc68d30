package brute_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

var machines = []model.Model{model.SC, model.TSO, model.PSO}

// The axioms and the machines agree on every small history, and on a sample
// of somewhat larger ones.
func TestDefinitionsAgreeOnAllSmall(t *testing.T) {
	bound := histgen.Bound{Threads: 3, Locations: 2, Ops: 4, RMW: true, Fences: []parse.FenceMask{parse.FullFence}}
	n, allowed := 0, [3]int{}
	agree := func(h *parse.History) {
		n++
		for i, m := range machines {
			a, o := brute.Axiomatic(h, m), brute.Operational(h, m)
			if a != o {
				t.Fatalf("%s: axioms say %v, machine says %v for %+v", m.Name, a, o, h)
			}
			if a {
				allowed[i]++
			}
		}
	}
	for h := range histgen.All(bound) {
		agree(h)
	}
	if !testing.Short() {
		bound.Ops, bound.Exact = 5, true
		for h := range histgen.Every(scale.Of(0, 107, 7), histgen.All(bound)) {
			agree(h)
		}
	}
	t.Logf("%d histories; allowed %v", n, allowed)
	if allowed[0] >= allowed[1] || allowed[1] >= allowed[2] {
		t.Error("the bound does not tell the models apart")
	}
}

// They also agree on random ones with every fence mask, final values and
// store orders.
func TestDefinitionsAgreeOnRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	n := scale.Of(500, 500, 3000)
	for i := range n {
		p := histgen.Params{
			Threads: 2 + rng.IntN(2), Ops: 5 + rng.IntN(5), Locations: 1 + rng.IntN(3),
			Writes: 0.45, RMWs: 0.1 * float64(rng.IntN(2)), Fences: 0.3 * float64(rng.IntN(2)),
			Mask: parse.FenceMask(1 + rng.IntN(15)), Depth: 4,
		}
		m := machines[rng.IntN(3)]
		var h *parse.History
		switch i % 3 {
		case 0:
			h = histgen.Random(rng, p)
		case 1:
			h = histgen.Mutate(rng, histgen.Machine(rng, model.PSO, p), rng.IntN(3))
		default:
			run := histgen.Machine(rng, m, p)
			h = run.History
			h.StoreOrder = h.Writes(run.Order)
			h.Final = histgen.Final(h, run.Order)
			if !brute.Allowed(h, m) {
				t.Fatalf("%s: forbids what its machine did: %+v", m.Name, h)
			}
		}
		if i%4 == 0 {
			histgen.AddFinal(rng, h)
		}
		if i%5 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		for _, m := range machines {
			if a, o := brute.Axiomatic(h, m), brute.Operational(h, m); a != o {
				t.Fatalf("%s: axioms say %v, machine says %v for %+v", m.Name, a, o, h)
			}
		}
	}
}

// The machine of RMO does what the axioms of RMO allow.
func TestRMOMachine(t *testing.T) {
	rng := rand.New(rand.NewPCG(2, 0))
	weaker := 0
	for range 1000 {
		run := histgen.Machine(rng, model.RMO, histgen.Params{
			Threads: 2 + rng.IntN(2), Ops: 10, Locations: 1 + rng.IntN(3),
			Writes: 0.4, RMWs: 0.1, Fences: 0.1, Mask: parse.FenceMask(1 + rng.IntN(15)), Deps: 0.3,
		})
		h := run.History
		h.Final = histgen.Final(h, run.Order)
		h.StoreOrder = h.Writes(run.Order)
		if !brute.Allowed(h, model.RMO) {
			t.Fatalf("forbids what the machine did: %+v, order %v", h, run.Order)
		}
		if !brute.Allowed(h, model.PSO) {
			weaker++
		}
	}
	if weaker == 0 {
		t.Error("the machine never left PSO")
	}
}

// The models form the lattice that the papers state.
func TestLattice(t *testing.T) {
	implies := [][2]model.Model{
		{model.SC, model.TSO}, {model.TSO, model.PSO}, {model.PSO, model.RMO},
		{model.SC, model.WSC}, {model.TSO, model.WTSO}, {model.PSO, model.WPSO},
		{model.WSC, model.WTSO}, {model.WTSO, model.WPSO}, {model.TSO, model.WCCM},
		{model.WSC, model.CCM}, {model.CCM, model.CCv}, {model.CCM, model.CM},
		{model.CCv, model.CC}, {model.CM, model.CC}, {model.CCM, model.WCCM},
	}
	strict := map[[2]string]bool{}
	compare := func(h *parse.History) {
		verdicts := map[string]bool{}
		for _, m := range []model.Model{
			model.SC, model.TSO, model.PSO, model.RMO, model.CC, model.CCv, model.CM,
			model.CCM, model.WCCM, model.WSC, model.WTSO, model.WPSO,
		} {
			verdicts[m.Name] = brute.Allowed(h, m)
		}
		for _, pair := range implies {
			strong, weak := pair[0].Name, pair[1].Name
			if verdicts[strong] && !verdicts[weak] {
				t.Fatalf("%s allows and %s forbids %+v", strong, weak, h)
			}
			if verdicts[weak] && !verdicts[strong] {
				strict[[2]string{strong, weak}] = true
			}
		}
	}
	for h := range histgen.All(histgen.Bound{Threads: 3, Locations: 2, Ops: scale.Of(3, 3, 4), RMW: true, Fences: []parse.FenceMask{parse.FullFence}}) {
		compare(h)
	}
	rng := rand.New(rand.NewPCG(3, 0))
	for range 1500 {
		p := histgen.Params{Threads: 2 + rng.IntN(3), Ops: 6 + rng.IntN(4), Locations: 2, RMWs: 0.05}
		compare(histgen.Mutate(rng, histgen.Machine(rng, model.TSO, p), 1+rng.IntN(3)))
	}
	t.Logf("strict: %d of %d implications", len(strict), len(implies))
}

func BenchmarkAllowed(b *testing.B) {
	var hs []*parse.History
	for h := range histgen.All(histgen.Bound{Threads: 3, Locations: 2, Ops: 5, Exact: true, RMW: true, Fences: []parse.FenceMask{parse.FullFence}}) {
		if len(hs) < 100000 {
			hs = append(hs, histgen.Clone(h))
		}
	}
	for _, m := range append([]model.Model{model.RMO, model.CCM, model.WSC, model.WTSO}, machines...) {
		b.Run(m.Name, func(b *testing.B) {
			for i := 0; b.Loop(); i++ {
				brute.Allowed(hs[i%len(hs)], m)
			}
		})
	}
	b.Run("operational", func(b *testing.B) {
		for i := 0; b.Loop(); i++ {
			brute.Operational(hs[i%len(hs)], machines[i%3])
		}
	})
}
