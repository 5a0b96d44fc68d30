package explore

import (
	"flag"
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/cache"
)

var (
	soak    = flag.Bool("soak", false, "visit larger machines and sample for longer")
	samples = flag.Int("samples", 300, "with -soak: random programs on each machine")
)

// sampled are machines that are explored and simulated.
var sampled = []struct{ cores, lines, devices int }{{2, 2, 0}, {3, 1, 0}, {2, 1, 1}}

// TestSampling runs random programs on the simulator with the machine that is
// explored: no row is ever taken that exploration calls unreachable.
func TestSampling(t *testing.T) {
	names, machines, runs, limit := []string{"mi", "moesi-amd-base"}, 1, 20, 20_000
	if *soak {
		names, machines, runs, limit = protocols.Names(), len(sampled), *samples, 4_000_000
	}
	for _, name := range names {
		p := compiled(t, name)
		for _, size := range sampled[:machines] {
			if size.devices == 0 || p.Devices() {
				compareSamples(t, name, p, size.cores, size.lines, size.devices, runs, limit)
			}
		}
	}
}

// TestTreeSampling is TestSampling for gem5's own protocols, as far as their machines
// have few enough states and no faults.
func TestTreeSampling(t *testing.T) {
	if !*soak {
		t.Skip("only with -soak")
	}
	for _, name := range []string{"mem/ruby/protocol/MI_example", "mem/ruby/protocol/MESI_Two_Level", "mem/ruby/protocol/MESI_Three_Level", "mem/ruby/protocol/MOESI_hammer", "mem/ruby/protocol/MOESI_CMP_directory"} {
		p := inTree(t, name)
		for _, size := range sampled[1:] {
			compareSamples(t, name, p, size.cores, size.lines, size.devices, *samples, 300_000)
		}
	}
}

func compareSamples(t *testing.T, name string, p *ruby.Protocol, cores, lines, devices, runs, limit int) {
	t.Helper()
	c := tiny(p, cores, lines)
	c.Symmetry, c.System.Devices = true, devices
	explored := visit(t, c, limit)
	if !explored.complete || len(explored.titles) > 0 {
		t.Logf("%s, %d cores, %d lines, %d devices: left out: complete %v in %d orbits, %q", name, cores, lines, devices, explored.complete, limit, explored.titles)
		return
	}
	one := cache.Geometry{Sets: 1, Ways: 1}
	operations := 0
	for seed := range uint64(runs) {
		// Every kind of latency takes its turn, from hardly any to wide ones.
		latency := event.Latency{Base: event.Tick(1 + seed%3*4), Jitter: event.Tick(seed % 5 * 30)}
		r, err := builtin.New(builtin.Options{Compiled: p, Core: core.InOrder, Hardware: ruby.Hardware{Private: one, Shared: one}, Latency: latency})
		if err != nil {
			t.Fatal(err)
		}
		o := gen.Defaults()
		o.Threads, o.Locations, o.Ops, o.DMA, o.Layout = cores, lines, 50, devices, gen.Conflict
		o.Mix = gen.Mix{Load: 50, Store: 50}
		program, err := gen.Random(rand.New(rand.NewPCG(seed, 1)), o)
		if err != nil {
			t.Fatal(err)
		}
		operations += program.Ops()
		result, err := r.Run(t.Context(), sim.Job{Program: program, Rounds: 1, Seed: seed})
		if err != nil || result.Outcome != sim.Passed {
			t.Fatalf("%s: %v, %s %s", name, err, result.Outcome, result.Title)
		}
		for i, row := range result.Coverage {
			if row.Count > 0 && explored.rows[i].Count == 0 {
				t.Errorf("%s, %d cores, %d lines, %d devices, seed %d: (%s, %s) of %s is taken, and was not found",
					name, cores, lines, devices, seed, row.State, row.Event, row.Machine)
			}
		}
	}
	t.Logf("%s, %d cores, %d lines, %d devices: %d operations", name, cores, lines, devices, operations)
}
