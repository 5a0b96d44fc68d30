package builtin

import (
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
)

// BenchmarkOperations measures the operations that all cores together perform
// in a second of processor time, by protocol, kind and number of cores.
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
	accesses, events, start := 0, uint64(0), userTime(b)
	for b.Loop() {
		report, err := r.Simulate(b.Context(), sim.Job{Program: p, Rounds: rounds, Seed: 1})
		if err != nil || report.Outcome != sim.Passed {
			b.Fatalf("%v: %s %s", err, report.Title, report.Detail)
		}
		accesses += rounds * p.Ops()
		events += report.Statistics.Events
	}
	spent := userTime(b) - start
	b.ReportMetric(float64(accesses)/spent.Seconds(), "ops/cpu-s")
	b.ReportMetric(float64(spent.Nanoseconds())/float64(events), "cpu-ns/event")
}

// userTime is the processor time that this process has spent for itself;
// other processes on the machine do not disturb it.
func userTime(b *testing.B) time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano())
}

// BenchmarkShort measures a run of a dozen operations: what building a machine
// costs.
func BenchmarkShort(b *testing.B) {
	o := gen.Defaults()
	o.Threads, o.Ops = 4, 3
	p, err := gen.Random(rand.New(rand.NewPCG(1, 1)), o)
	if err != nil {
		b.Fatal(err)
	}
	r, err := New(Options{Core: core.OOO})
	if err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := r.Simulate(b.Context(), sim.Job{Program: p, Rounds: 1, Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
