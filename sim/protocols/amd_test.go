package protocols_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
)

// TestAMDCoverage takes every transition of the protocol of pairs. Lines of
// one set thrash first levels but not the second one, and so keep fills under
// way; a short jitter keeps probes coming meanwhile; few stores leave lines
// shared.
func TestAMDCoverage(t *testing.T) {
	seeds, counts := uint64(30), map[string]uint64{}
	if testing.Short() {
		seeds = 2
	}
	s := setting{core: core.OOO, latency: event.Latency{Base: 1, Jitter: 3}}
	r := s.runner(t, file(t, "moesi-amd-base"))
	for _, stores := range []int{10, 25, 45} {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations, o.Layout = 6, 100, 6, gen.Conflict
		o.Mix = gen.Mix{Load: 100 - stores, Store: stores}
		for seed := range seeds {
			o.Locality = float64(seed%2) / 2
			p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
			if err != nil {
				t.Fatal(err)
			}
			report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: 10, Seed: seed})
			if err != nil || report.Outcome != sim.Passed {
				t.Fatalf("%d%% stores, seed %d: %v, %s: %s\n%s", stores, seed, err, report.Outcome, report.Title, report.Detail)
			}
			for _, c := range report.Coverage {
				counts[c.Machine+" "+c.State+" "+c.Event] += c.Count
			}
		}
	}
	if !testing.Short() {
		wantCovered(t, counts, nil)
	}
}
