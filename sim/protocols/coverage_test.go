package protocols_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby/cache"
)

// TestCoverage takes every transition of the protocols but that of pairs. Few
// lines for a first level of one line in a set go back and forth between the
// levels of MOESI hammer while others ask for them; second levels of one line in
// a set write back all the time, so that some requests for leave come when
// another core has the line.
func TestCoverage(t *testing.T) {
	one := cache.Geometry{Sets: 2, Ways: 1, IndexBit: 6}
	brief, wide, long := event.Latency{Base: 1, Jitter: 5}, event.Latency{Base: 5, Jitter: 100}, event.Latency{Base: 1, Jitter: 100}
	locked := setting{core: core.OOO, threads: 4, ops: 100, lines: 12, rounds: 5, rmw: core.Locked}
	for _, protocol := range []struct {
		name        string
		short, long uint64 // seeds
		settings    []setting
	}{
		{"mi", 3, 25, []setting{
			{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5},
			{core: core.OOO, threads: 4, ops: 200, lines: 6, rounds: 5, latency: wide},
			locked,
			{core: core.InOrder, threads: 3, ops: 100, lines: 4, rounds: 3, dma: 2, fetch: 1},
		}},
		{"mesi-two-level", 3, 25, []setting{
			{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5},
			{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5, latency: wide},
			locked,
			{core: core.InOrder, threads: 3, ops: 100, lines: 4, rounds: 3, dma: 2},
			{core: core.OOO, threads: 3, ops: 100, lines: 4, rounds: 3, dma: 2, layout: gen.Conflict, latency: wide, private: one, shared: one},
			{core: core.OOO, threads: 4, ops: 100, lines: 6, rounds: 5, prefetch: 50, latency: wide},
			{core: core.TSO, threads: 4, ops: 100, lines: 5, rounds: 5, prefetch: 30, layout: gen.Conflict, dma: 1},
		}},
		{"moesi-hammer", 2, 40, []setting{
			{core: core.OOO, threads: 4, ops: 100, lines: 12, rounds: 2},
			{core: core.InOrder, threads: 3, ops: 100, lines: 6, rounds: 2, rmw: core.Locked},
			{core: core.PSO, threads: 4, ops: 100, lines: 5, rounds: 6, layout: gen.Conflict, latency: brief, private: one},
			{core: core.RMO, threads: 4, ops: 100, lines: 5, rounds: 3, layout: gen.Conflict, latency: brief},
			{core: core.RMO, threads: 5, ops: 100, lines: 4, rounds: 10, layout: gen.Conflict, latency: brief, private: one, shared: one},
			{core: core.RMO, threads: 5, ops: 100, lines: 4, rounds: 5, layout: gen.Conflict, latency: long, private: one, shared: one},
			{core: core.OOO, threads: 3, ops: 100, lines: 4, rounds: 3, dma: 2},
			{core: core.InOrder, threads: 3, ops: 100, lines: 3, rounds: 3, dma: 3, latency: brief},
			{core: core.OOO, threads: 4, ops: 100, lines: 6, rounds: 3, flush: 100, dma: 1},
			{core: core.RMO, threads: 5, ops: 100, lines: 4, rounds: 3, flush: 60, layout: gen.Conflict, latency: brief, private: one, shared: one},
		}},
	} {
		t.Run(protocol.name, func(t *testing.T) {
			counts, seeds := sim.Coverage{}, protocol.long
			if testing.Short() {
				seeds = protocol.short
			}
			runners := make([]*builtin.Runner, len(protocol.settings))
			for i, s := range protocol.settings {
				runners[i] = s.runner(t, file(t, protocol.name))
			}
			for seed := uint64(0); seed < seeds && !covered(counts); seed++ {
				for i, s := range protocol.settings {
					counts.Add(s.run(t, runners[i], seed).Coverage)
				}
			}
			requireCovered(t, counts)
		})
	}
}

// covered reports that every transition was taken, so that further seeds would
// show nothing.
func covered(counts sim.Coverage) bool { return len(counts) > 0 && len(counts.Missing()) == 0 }

// requireCovered requires that every transition was taken, except by short tests.
func requireCovered(t *testing.T, counts sim.Coverage) {
	t.Helper()
	if missing := counts.Missing(); len(missing) > 0 && !testing.Short() {
		t.Errorf("never taken: %v", missing)
	}
}

// TestAMDCoverage takes every transition of the protocol of pairs. Lines of
// one set thrash first levels but not the second one, and so keep fills under
// way; a short jitter keeps probes coming meanwhile; few stores leave lines
// shared.
func TestAMDCoverage(t *testing.T) {
	seeds, counts := uint64(30), sim.Coverage{}
	if testing.Short() {
		seeds = 2
	}
	s := setting{core: core.OOO, latency: event.Latency{Base: 1, Jitter: 3}}
	r := s.runner(t, file(t, "moesi-amd-base"))
	for seed := uint64(0); seed < seeds && !covered(counts); seed++ {
		for _, stores := range []int{10, 25, 45} {
			o := gen.Defaults()
			o.Threads, o.Ops, o.Locations, o.Layout = 6, 100, 6, gen.Conflict
			o.Mix = gen.Mix{Load: 100 - stores, Store: stores}
			o.Locality = float64(seed%2) / 2
			p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
			if err != nil {
				t.Fatal(err)
			}
			report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: 10, Seed: seed})
			if err != nil || report.Outcome != sim.Passed {
				t.Fatalf("%d%% stores, seed %d: %v, %s: %s\n%s", stores, seed, err, report.Outcome, report.Title, report.Detail)
			}
			counts.Add(report.Coverage)
		}
	}
	requireCovered(t, counts)
}
