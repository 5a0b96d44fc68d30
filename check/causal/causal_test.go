package causal_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/causal"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

var models = []model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WCCM}

func judge(t testing.TB, h *parse.History, m model.Model) witness.Verdict {
	t.Helper()
	v, err := causal.Judge(context.Background(), h, m, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// agree judges h under all models and compares with brute force; refutations
// must be accepted.
func agree(t testing.TB, h *parse.History) {
	t.Helper()
	for _, m := range models {
		v := judge(t, h, m)
		if want := brute.Allowed(h, m); (v.Answer == witness.Allowed) != want {
			t.Fatalf("%s: %v; brute force allows: %v; %+v", m.Name, v.Answer, want, h)
		}
		if v.Answer == witness.Forbidden {
			if err := witness.Verify(h, m, v.Refutation); err != nil {
				t.Fatalf("%s: %v; %+v; %+v", m.Name, err, v.Refutation, h)
			}
		}
	}
}

func TestAllSmall(t *testing.T) {
	fence := []parse.FenceMask{parse.FullFence}
	bounds := []histgen.Bound{{Threads: 3, Locations: 2, Ops: 4, RMW: true, Fences: fence}}
	if !testing.Short() {
		bounds = append(bounds,
			histgen.Bound{Threads: 3, Locations: 2, Ops: 5, Exact: true, Fences: fence},
			histgen.Bound{Threads: 3, Locations: 1, Ops: 5, Exact: true, RMW: true})
	}
	for _, b := range bounds {
		for h := range histgen.All(b) {
			agree(t, h)
		}
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	n := 6000
	if testing.Short() {
		n = 600
	}
	totals := []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	for i := range n {
		p := histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 4 + rng.IntN(14), Locations: 1 + rng.IntN(3),
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		}
		if i%4 == 0 {
			agree(t, histgen.Random(rng, p))
			continue
		}
		agree(t, histgen.Mutate(rng, histgen.Machine(rng, totals[rng.IntN(4)], p), rng.IntN(4)))
	}
}
