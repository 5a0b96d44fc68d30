package html

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// BenchmarkReport reports a campaign of 100,000 runs of 20 configurations, each
// run with the 500 transitions of a large protocol, and 200 findings.
func BenchmarkReport(b *testing.B) {
	const runs, configs, findings = 100_000, 20, 200
	file := "name: long\nsim: builtin\nconfigs:\n"
	for i := range configs {
		protocol := [...]string{"mi", "mesi-two-level", "moesi-hammer", "moesi-amd-base"}[i%4]
		file += fmt.Sprintf("  - {name: c%d, runs: %d, protocol: %s}\n", i, runs/configs, protocol)
	}
	table := make(sim.Coverage, 500)
	for i := range table {
		table[i] = sim.Transition{Row: sim.Row{Machine: fmt.Sprintf("Machine%d", i/250), State: fmt.Sprintf("State_%d", i%250/10), Event: fmt.Sprintf("Event_%d", i%10)}}
	}
	c, err := config.Parse("long", []byte(file), nil)
	must.Succeed(b, err)
	counts := make([]uint64, len(table))
	known := map[string]bool{}
	a := fake(b, file, journal.Header{}, func(yield func(*journal.Entry)) {
		for n, i := range c.Schedule() {
			yield(entry(c.Configs[i].Name, n, func(e *journal.Entry) {
				if !known[e.ConfigName] {
					e.New, known[e.ConfigName] = table, true
				}
				for k := range counts {
					counts[k] = uint64((n + k) % 7)
				}
				e.Counts, e.Covered = counts, &run.Covered{Taken: 400, Total: 500}
				if n%100 == 0 {
					fails(sim.Crash, fmt.Sprintf("invalid transition (S%d, E) of L1Cache", n/100%findings))(e)
				}
			}))
		}
	})
	b.ReportAllocs()
	for b.Loop() {
		var out bytes.Buffer
		must.Succeed(b, Write(context.Background(), &out, a, Options{}))
		b.ReportMetric(float64(out.Len())/1e6, "MB/page")
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/runs, "ns/run")
}
