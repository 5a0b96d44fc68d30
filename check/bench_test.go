package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// BenchmarkCheck judges histories of machines, evidence checks included.
func BenchmarkCheck(b *testing.B) {
	for _, size := range []struct {
		m                 model.Model
		ops, threads, loc int
	}{
		{model.TSO, 1000, 8, 16},
		{model.TSO, 32768, 16, 16},
		{model.TSO, 32768, 32, 16},
		{model.SC, 1 << 20, 4, 16},
		{model.TSO, 1 << 20, 8, 64},
		{model.TSO, 1 << 17, 64, 64},
		{model.TSO, 1 << 20, 64, 64},
	} {
		b.Run(fmt.Sprintf("%s/%d/%d/%d", size.m.Name, size.ops, size.threads, size.loc), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 2))
			run := histgen.Machine(rng, size.m, histgen.Params{Threads: size.threads, Ops: size.ops, Locations: size.loc})
			b.ReportAllocs()
			start := processorTime()
			for b.Loop() {
				v, err := check.Check(context.Background(), run.History, size.m, check.Options{})
				if err != nil {
					b.Fatal(err)
				}
				if v.Answer != check.Allowed {
					b.Fatalf("%v: %s", v.Answer, v.Reason)
				}
				b.ReportMetric(float64(v.Stats.Evidence.Milliseconds()), "evidence-ms")
				b.ReportMetric(float64(v.Stats.Backtracks), "rejected")
				b.ReportMetric(float64(v.Stats.Derived), "derived")
			}
			spent := float64(processorTime()-start) / float64(b.N)
			b.ReportMetric(spent/1e6, "cpu-ms")
			b.ReportMetric(spent/float64(size.ops), "cpu-ns/operation")
		})
	}
}

// BenchmarkForbidden finds and explains violations, and compares that with
// the saturation alone.
func BenchmarkForbidden(b *testing.B) {
	for _, size := range []struct {
		m                 model.Model
		ops, threads, loc int
	}{
		{model.TSO, 32768, 16, 16},
		{model.SC, 1 << 20, 8, 64},
		{model.TSO, 1 << 20, 8, 64},
	} {
		b.Run(fmt.Sprintf("%s/%d/%d/%d", size.m.Name, size.ops, size.threads, size.loc), func(b *testing.B) {
			rng := rand.New(rand.NewPCG(1, 8))
			run := histgen.Machine(rng, size.m, histgen.Params{Threads: size.threads, Ops: size.ops, Locations: size.loc})
			var h *parse.History
			alone := time.Duration(0) // the fastest of a few, in processor time
			for h == nil || alone == 0 {
				h = histgen.Mutate(rng, run, 1)
				for range 5 {
					start := processorTime()
					g, err := saturate.Build(h, size.m)
					if err != nil {
						b.Fatal(err)
					}
					if ok, err := g.Saturate(context.Background()); ok || err != nil {
						break // allowed: try another
					}
					if d := processorTime() - start; alone == 0 || d < alone {
						alone = d
					}
				}
			}
			start := processorTime()
			for b.Loop() {
				v, err := check.Check(context.Background(), h, size.m, check.Options{})
				if err != nil || v.Answer != check.Forbidden {
					b.Fatalf("%v: %v %s", err, v.Answer, v.Reason)
				}
				b.ReportMetric(float64(len(v.Refutation.Lemmas)), "lemmas")
				b.ReportMetric(float64(len(v.Refutation.Root.Cycle)), "cycle")
			}
			b.ReportMetric(float64(processorTime()-start)/float64(b.N)/float64(alone), "ratio")
		})
	}
}

// processorTime is the time that this process has spent in user mode.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano())
}
