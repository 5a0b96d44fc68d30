package saturate_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
)

// benchmarked are runs of machines of about the sizes that matter.
var benchmarked = []struct {
	m                       model.Model
	ops, threads, locations int
}{
	{model.SC, 1000, 8, 16},
	{model.SC, 32768, 4, 16},
	{model.SC, 32768, 16, 16},
	{model.TSO, 1000, 8, 16},
	{model.TSO, 32768, 16, 16},
	{model.TSO, 32768, 32, 16},
	{model.TSO, 32768, 64, 64},
	{model.PSO, 32768, 8, 16},
	{model.RMO, 32768, 8, 16},
}

// eachSize runs a benchmark for each size and reports its time per operation.
func eachSize(b *testing.B, f func(b *testing.B, run histgen.Run, m model.Model)) {
	for _, size := range benchmarked {
		b.Run(sprintf("%s/%d/%d/%d", size.m.Name, size.ops, size.threads, size.locations), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			run := histgen.Machine(rng, size.m, histgen.Params{Threads: size.threads, Ops: size.ops, Locations: size.locations})
			b.ReportAllocs()
			f(b, run, size.m)
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(size.ops), "ns/operation")
		})
	}
}

// BenchmarkBuild makes the static graph.
func BenchmarkBuild(b *testing.B) {
	eachSize(b, func(b *testing.B, run histgen.Run, m model.Model) {
		for b.Loop() {
			if _, err := saturate.Build(run.History, m); err != nil {
				b.Fatal(err)
			}
		}
	})
}

// BenchmarkSaturate closes it. The static graph of each round is made outside
// the time.
func BenchmarkSaturate(b *testing.B) {
	eachSize(b, func(b *testing.B, run histgen.Run, m model.Model) {
		derived := 0
		for b.Loop() {
			b.StopTimer()
			g, err := saturate.Build(run.History, m)
			if err != nil {
				b.Fatal(err)
			}
			b.StartTimer()
			if ok, err := g.Saturate(b.Context()); !ok || err != nil {
				b.Fatal(ok, err)
			}
			derived = g.Inferred()
		}
		b.ReportMetric(float64(derived)/float64(len(run.Order)), "derived/operation")
	})
}
