package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/parse"
)

var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

var closures = []model.Model{model.WSC, model.WTSO, model.WPSO}

// provable compares what Verify can be brought to accept with brute force.
func provable(t *testing.T, rng *rand.Rand, h *parse.History) {
	t.Helper()
	for _, m := range append(totals, closures...) {
		ref := newProver(rng, h, m).prove(m.Family == model.Total)
		if got, want := ref != nil, !brute.Allowed(h, m); got != want {
			t.Fatalf("%s: refuted: %v; brute force forbids: %v; %+v", m.Name, got, want, h)
		}
		if ref == nil {
			continue
		}
		if err := Verify(h, m, ref); err != nil {
			t.Fatalf("%s: %v; %+v", m.Name, err, h)
		}
	}
}

// The edges that Verify accepts refute exactly the forbidden histories: the
// rules are sound, and with case splits complete.
func TestVerifyOnAllSmall(t *testing.T) {
	bound := histgen.Bound{Threads: 3, Locations: 2, Ops: 3, RMW: true, Fences: []parse.FenceMask{
		parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
	}}
	rng := rand.New(rand.NewPCG(21, 0))
	for h := range histgen.All(bound) {
		provable(t, rng, h)
	}
	if testing.Short() {
		return
	}
	bound.Ops, bound.Exact = 4, true
	for h := range histgen.Every(scale.Of(0, 29, 3), histgen.All(bound)) {
		provable(t, rng, h)
	}
}

// smallRandom draws histories with all that a history can have.
func smallRandom(rng *rand.Rand, ops int) *parse.History {
	p := histgen.Params{
		Threads: 2 + rng.IntN(3), Ops: ops, Locations: 1 + rng.IntN(3), RMWs: 0.1 * float64(rng.IntN(2)),
		Fences: 0.1 * float64(rng.IntN(3)), Mask: parse.FenceMask(1 + rng.IntN(15)), Deps: 0.5 * float64(rng.IntN(2)),
	}
	run := histgen.Machine(rng, totals[rng.IntN(4)], p)
	h := histgen.Mutate(rng, run, rng.IntN(4))
	if rng.IntN(3) == 0 {
		histgen.AddFinal(rng, h)
	}
	if rng.IntN(4) == 0 {
		histgen.AddStoreOrder(rng, h)
	}
	return h
}

func TestVerifyOnRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 0))
	for range scale.Of(100, 150, 1000) {
		provable(t, rng, smallRandom(rng, 5+rng.IntN(5)))
	}
}
