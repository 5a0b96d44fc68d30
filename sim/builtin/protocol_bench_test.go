package builtin

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
)

// BenchmarkProtocols measures the operations on coherence protocols: ours, and
// those of the gem5 tree that ORDEAL_GEM5_TREE names.
func BenchmarkProtocols(b *testing.B) {
	var machines []Options
	for _, name := range protocols.Names() {
		machines = append(machines, Options{Protocol: name})
	}
	if tree := os.Getenv("ORDEAL_GEM5_TREE"); tree != "" {
		for _, name := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
			machines = append(machines, Options{SLICC: filepath.Join(tree, "src/mem/ruby/protocol", name+".slicc"), Repair: true})
		}
	}
	for _, o := range machines {
		for _, o.Core = range []core.Kind{core.InOrder, core.OOO} {
			for _, cores := range []int{2, 4, 8, 16, 32, 64} {
				name := strings.TrimPrefix(o.Protocol+"/"+filepath.Base(o.SLICC), "/")
				b.Run(fmt.Sprintf("%s/%s/%d", strings.TrimSuffix(name, "/."), o.Core, cores), func(b *testing.B) {
					benchmarkMisses(b, o, cores)
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
		report, err := r.Simulate(b.Context(), sim.Job{Program: p, Rounds: 10, Seed: seed, Timeout: time.Hour})
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
