package protocols_test

import (
	"math/rand/v2"
	"path/filepath"
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

// file is the path of a protocol's root file.
func file(t testing.TB, protocol string) string {
	t.Helper()
	root, err := protocols.Root(protocol)
	if err != nil {
		t.Fatal(err)
	}
	return filepath.Join("slicc", root)
}

// setting is a machine and what runs on it.
type setting struct {
	core    core.Kind
	latency event.Latency
	threads int
	ops     int // of each thread
	lines   int // locations, one to a line
	rounds  int
	rmw     core.RMW
	// dma and fetch are numbers of threads of other agents.
	dma, fetch int
	// layout may be Conflict, so that all lines share a set; else Spread.
	layout gen.Layout
	// private and shared are the sizes of caches; zero means the defaults.
	private, shared cache.Geometry
	// flush and prefetch are the ticks between two of a core; 0 for none.
	flush, prefetch event.Tick
}

// program is a random program.
func (s setting) program(t testing.TB, seed uint64) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.DMA, o.Fetch = s.dma, s.fetch
	o.Threads, o.Ops, o.Locations, o.Layout = s.threads, s.ops, s.lines, gen.Spread
	if s.layout != gen.AnyLayout {
		o.Layout = s.layout
	}
	if seed%2 == 1 {
		o.Locality = 0
	}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// runner is the machine with the protocol of a root file.
func (s setting) runner(t testing.TB, path string) *builtin.Runner {
	t.Helper()
	r, err := builtin.New(builtin.Options{
		SLICC: path, Core: s.core, Latency: s.latency, RMW: s.rmw, Hardware: ruby.Hardware{Private: s.private, Shared: s.shared},
		Flush: s.flush, Prefetch: s.prefetch,
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs a random program, which must come to its end, on the setting's machine.
func (s setting) run(t testing.TB, r *builtin.Runner, seed uint64) builtin.Report {
	t.Helper()
	job := sim.Job{Program: s.program(t, seed), Rounds: s.rounds, Seed: seed}
	report, err := r.Simulate(t.Context(), job)
	if err != nil {
		t.Fatal(err)
	}
	if report.Outcome != sim.Passed {
		t.Fatalf("%+v, seed %d: %s: %s\n%s", s, seed, report.Outcome, report.Title, report.Detail)
	}
	return report
}

// TestAlone has a core flush what it owns where no other cache could answer: the directory does.
func TestAlone(t *testing.T) {
	s := setting{core: core.TSO, threads: 1, ops: 40, lines: 4, rounds: 5, flush: 40}
	for seed := range uint64(3) {
		s.run(t, s.runner(t, file(t, "moesi-hammer")), seed)
	}
}
