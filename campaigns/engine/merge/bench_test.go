package merge

import (
	"fmt"
	"path/filepath"
	"runtime"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// BenchmarkMerge merges the journals of four shards of a campaign that keeps no
// run. Each run has the coverage of a table of 100 transitions.
func BenchmarkMerge(b *testing.B) {
	for _, runs := range []int{10_000, 100_000} {
		b.Run(fmt.Sprint(runs), func(b *testing.B) {
			var sources []string
			for i := 1; i <= 4; i++ {
				sources = append(sources, forge(b, config.Shard{Index: i, Of: 4}, runs))
			}
			var before, after runtime.MemStats
			peak := uint64(0)
			for b.Loop() {
				m := Merge{Dir: filepath.Join(b.TempDir(), "merged"), Sources: sources}
				runtime.GC()
				runtime.ReadMemStats(&before)
				r, err := m.Run(b.Context())
				if err != nil || r.Added != runs {
					b.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				peak = max(peak, after.HeapSys)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*runs), "ns/run")
			b.ReportMetric(float64(peak)/(1<<20), "MiB-heap")
		})
	}
}

// forge writes the journal of a shard.
func forge(b *testing.B, shard config.Shard, runs int) string {
	b.Helper()
	c, err := config.Parse("c.yaml", fmt.Appendf(nil, "name: c\nsim: builtin\nconfigs: [{name: a, runs: %d, threads: 2, ops: 5, locations: 2, rounds: 2, protocol: mi}]", runs), nil)
	must.Succeed(b, err)
	w, err := journal.Rewrite(filepath.Join(b.TempDir(), "shard"))
	must.Succeed(b, err)
	defer w.Close()
	h := &journal.Header{Version: run.FormatVersion, Seed: c.Seed, Shard: shard, End: journal.EndComplete}
	must.Succeed(b, w.Begin(c, h))
	for number, has := range shard.Has(c) {
		if !has {
			continue
		}
		var coverage sim.Coverage
		for i := range 100 {
			coverage = append(coverage, sim.Transition{Row: sim.Row{Machine: "L1Cache", State: fmt.Sprint("S", i/10), Event: fmt.Sprint("E", i%10)}, Count: uint64(number * i % 7)})
		}
		_, err := w.Add(&journal.Entry{
			Number: number, ConfigName: "a", Program: fmt.Sprintf("%064x", number),
			Coverage: coverage,
			Result: &run.Result{
				Version: run.FormatVersion, Outcome: sim.Passed, Operations: 20, LogHash: fmt.Sprintf("%064x", number),
				Answers: []run.Answer{{Model: "tso", Answer: "allowed"}, {Model: "sc", Answer: "allowed"}},
				Covered: &run.Covered{Taken: 80},
			},
		})
		must.Succeed(b, err)
	}
	must.Succeed(b, w.Commit())
	return w.Dir
}
