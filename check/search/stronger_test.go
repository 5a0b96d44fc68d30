package search

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
)

// PSO and RMO take an order of TSO where there is one, in the memory that TSO
// needs, and decide by themselves where there is none.
func TestOrderOfStronger(t *testing.T) {
	for _, m := range []model.Model{model.PSO, model.RMO} {
		own, taken := 0, 0
		for seed := range many(200) {
			rng := rand.New(rand.NewPCG(seed, 71))
			p := histgen.Params{Threads: 3 + rng.IntN(4), Ops: 100, Locations: 4 + rng.IntN(4), RMWs: 0.02, Fences: 0.01, Deps: 0.05}
			from := []model.Model{model.TSO, m}[seed%2]
			h := histgen.Machine(rng, from, p).History
			v, err := Auto.Run(t.Context(), h, m, Limits{})
			if err != nil || v.Answer != witness.Allowed {
				t.Fatalf("seed %d %s: %v, %v\n%s", seed, m.Name, v.Answer, err, text(h))
			}
			if err := witness.Check(h, m, &v); err != nil {
				t.Fatalf("seed %d %s: %v\n%s", seed, m.Name, err, text(h))
			}
			tso, err := Auto.Run(t.Context(), h, model.TSO, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			switch v.Inclusion {
			case witness.Inclusion{}:
				own++
			case witness.Inclusion{Model: "tso", Checked: true}:
				taken++
				if tso.Answer != witness.Allowed {
					t.Fatalf("seed %d %s: an order of TSO, which answers %v\n%s", seed, m.Name, tso.Answer, text(h))
				}
			default:
				t.Fatalf("seed %d %s: the order is by %+v\n%s", seed, m.Name, v.Inclusion, text(h))
			}
		}
		if t.Logf("%s: %d orders of TSO, %d others", m.Name, taken, own); taken == 0 || own == 0 {
			t.Error("nothing tested")
		}
	}
	confined := run(model.TSO, 4, 400, 8)
	if v, err := Auto.Run(t.Context(), confined, model.RMO, Limits{}); err != nil || v.Inclusion != (witness.Inclusion{}) {
		t.Errorf("RMO without fences: %+v, %v", v.Inclusion, err)
	}
	// TestMemoryBudget has a limit below both estimates.
	h := run(model.TSO, 8, 4000, 32)
	tso := estimate(h, model.TSO)
	if pso := estimate(h, model.PSO); pso <= tso {
		t.Fatalf("PSO needs %d bytes, TSO %d", pso, tso)
	}
	if v, err := Auto.Run(t.Context(), h, model.PSO, Limits{MemoryBytes: tso}); err != nil || v.Answer != witness.Allowed {
		t.Errorf("in the memory of TSO: %v %q, %v", v.Answer, v.Reason, err)
	}
}
