package builtin

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// BenchmarkOperations measures the operations that all cores together perform
// in a second, by protocol, kind and number of cores.
func BenchmarkOperations(b *testing.B) {
	for _, protocol := range Protocols() {
		for _, k := range core.Kinds() {
			for _, cores := range []int{2, 4, 16, 64} {
				b.Run(fmt.Sprintf("%s/%s/%d", protocol, k, cores), func(b *testing.B) {
					benchmarkOperations(b, Options{Protocol: protocol, Core: k}, cores)
				})
			}
		}
	}
}

func benchmarkOperations(b *testing.B, o Options, cores int) {
	const rounds = 50
	programOptions := gen.Defaults()
	programOptions.Threads = cores
	p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), programOptions)
	if err != nil {
		b.Fatal(err)
	}
	r, err := New(o)
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	accesses, events := 0, uint64(0)
	for b.Loop() {
		report, err := r.Simulate(b.Context(), sim.Job{Program: p, Rounds: rounds, Seed: 1})
		if err != nil || report.Outcome != sim.Passed {
			b.Fatalf("%v: %s %s", err, report.Title, report.Detail)
		}
		accesses += rounds * p.Ops()
		events += report.Statistics.Events
	}
	b.ReportMetric(float64(accesses)/b.Elapsed().Seconds(), "ops/s")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(events), "ns/event")
}
