package check_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
)

// TestMachines checks runs of every machine, which its model must allow, and
// mutations of them, whose evidence must be accepted.
func TestMachines(t *testing.T) {
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 5))
		for _, m := range models {
			p := histgen.Params{
				Threads: 2 + rng.IntN(20), Ops: 50 + rng.IntN(1000), Locations: 1 + rng.IntN(20),
				RMWs: 0.1 * float64(rng.IntN(3)), Fences: 0.1 * float64(rng.IntN(2)), Depth: 1 + rng.IntN(20),
				Burst: 1 + rng.IntN(10),
			}
			if m.Deps {
				p.Deps = 0.3 * float64(rng.IntN(2))
			}
			run := histgen.Machine(rng, m, p)
			v, err := check.Check(context.Background(), run.History, m, check.Options{})
			if err != nil {
				t.Fatalf("seed %d %s: %v", seed, m.Name, err)
			}
			if v.Answer != check.Allowed {
				t.Fatalf("seed %d %s: %v (%s)", seed, m.Name, v.Answer, v.Reason)
			}
			if v.Procedure != "greedy" {
				t.Logf("seed %d %s: by %s, %d clauses", seed, m.Name, v.Procedure, v.Stats.Clauses)
			}
			for range 3 {
				h := histgen.Mutate(rng, run, 1+rng.IntN(3))
				v, err := check.Check(context.Background(), h, m, check.Options{})
				if err != nil {
					t.Fatalf("seed %d %s: mutant: %v", seed, m.Name, err)
				}
				if v.Answer == check.Unknown {
					t.Fatalf("seed %d %s: mutant: unknown (%s)", seed, m.Name, v.Reason)
				}
				if v.Procedure == "sat" {
					t.Logf("seed %d %s: mutant %v by sat, %d clauses", seed, m.Name, v.Answer, v.Stats.Clauses)
				}
			}
		}
	}
}
