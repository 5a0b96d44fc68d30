package explore

import (
	"flag"
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/ruby/cache"
	"ordeal/sim/protocols"
)

var soak = flag.Bool("soak", false, "visit larger machines and sample for longer")

// TestSampling runs random programs on the simulator with the machine that is
// explored: no row is ever taken that exploration calls unreachable.
func TestSampling(t *testing.T) {
	names, runs, limit := []string{"mi", "moesi-amd-base"}, 20, 20_000
	if *soak {
		names, runs, limit = protocols.Names(), 300, 4_000_000
	}
	for _, name := range names {
		p := compiled(t, name)
		c := tiny(p, 2, 2)
		c.Symmetry = true
		explored := visit(t, c, limit)
		if !explored.complete {
			t.Fatalf("%s: more than %d orbits", name, limit)
		}
		one := cache.Geometry{Sets: 1, Ways: 1}
		r, err := builtin.New(builtin.Options{Compiled: p, Core: core.InOrder, Private: one, Shared: one})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(runs) {
			o := gen.Defaults()
			o.Threads, o.Locations, o.Ops, o.Layout = 2, 2, 50, gen.Conflict
			program, err := gen.Random(rand.New(rand.NewPCG(seed, 1)), o)
			if err != nil {
				t.Fatal(err)
			}
			result, err := r.Run(t.Context(), sim.Job{Program: program, Rounds: 1, Seed: seed})
			if err != nil || result.Outcome != sim.Passed {
				t.Fatalf("%s: %v, %s %s", name, err, result.Outcome, result.Title)
			}
			for i, row := range result.Coverage {
				if row.Count > 0 && explored.rows[i].Count == 0 {
					t.Errorf("%s, seed %d: (%s, %s) of %s is taken, and was not found", name, seed, row.State, row.Event, row.Machine)
				}
			}
		}
	}
}
