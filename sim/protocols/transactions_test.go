package protocols_test

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

// With room for two transactions caches and devices wait for room, and allocate
// nothing in a full table.
func TestFewTransactions(t *testing.T) {
	s := setting{threads: 2, ops: 60, lines: 4, rounds: 4, dma: 2, layout: gen.Conflict}
	for _, protocol := range []string{"mi", "mesi-two-level"} {
		r, err := builtin.New(builtin.Options{
			SLICC: file(t, protocol), Core: core.InOrder, Hardware: ruby.Hardware{TBEs: 2, Private: cache.Geometry{Sets: 4, Ways: 1}},
		})
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(20) {
			report, err := r.Simulate(t.Context(), sim.Job{Program: s.program(t, seed), Rounds: s.rounds, Seed: seed})
			if err != nil || report.Outcome != sim.Passed {
				t.Fatalf("%s, seed %d: %s: %s\n%s%v", protocol, seed, report.Outcome, report.Title, report.Detail, err)
			}
		}
	}
}
