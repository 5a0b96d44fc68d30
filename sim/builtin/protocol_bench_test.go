package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// BenchmarkProtocols measures the operations on coherence protocols: the small
// one, and those of the gem5 tree that ORDEAL_GEM5_TREE names.
func BenchmarkProtocols(b *testing.B) {
	paths := []string{smallProtocol}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" {
		for _, name := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
			paths = append(paths, filepath.Join(tree, "src/mem/ruby/protocol", name+".slicc"))
		}
	}
	for _, path := range paths {
		for _, k := range []core.Kind{core.InOrder, core.OOO} {
			for _, cores := range []int{2, 4, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", filepath.Base(path), k, cores), func(b *testing.B) {
					benchmarkMisses(b, Options{SLICC: path, Repair: true, Core: k}, cores)
				})
			}
		}
	}
}

// benchmarkMisses measures operations of which most miss: all cores access
// many more lines than a cache holds. A run that a defect of the protocol ends
// early counts with what it did.
func benchmarkMisses(b *testing.B, o Options, cores int) {
	programOptions := gen.Defaults()
	programOptions.Threads, programOptions.Locations = cores, 64
	programOptions.Layout, programOptions.Locality = gen.Spread, 0
	p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), programOptions)
	if err != nil {
		b.Fatal(err)
	}
	r, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	passed, seed, start, events := 0, uint64(0), userTime(b), uint64(0)
	for b.Loop() {
		seed++
		report, err := r.Simulate(b.Context(), sim.Job{Program: p, Rounds: 10, Seed: seed})
		if err != nil {
			b.Fatal(err)
		}
		events += report.Statistics.Events
		if report.Outcome == sim.Passed {
			passed++
		}
	}
	spent := userTime(b) - start
	b.ReportMetric(float64(passed*10*p.Ops())/spent.Seconds(), "ops/cpu-s")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(events), "cpu-ns/event")
	b.ReportMetric(float64(passed)/float64(seed), "passed")
}
