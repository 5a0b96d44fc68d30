package engine

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// BenchmarkTiny measures campaigns of runs of a dozen operations on all machines
// of embedded.yaml: what a run costs that simulates next to nothing.
func BenchmarkTiny(b *testing.B) {
	c, err := config.Ready("embedded.yaml", "configs.*.runs=100", "configs.*.rounds=1", "configs.*.threads=2", "configs.*.ops=6", "workers=1")
	must.Succeed(b, err)
	b.ReportAllocs()
	runs := 0
	for b.Loop() {
		e := &Engine{Dir: b.TempDir() + "/out"}
		sum, err := e.Run(b.Context(), c)
		must.Succeed(b, err)
		runs += sum.Total().Runs
	}
	b.ReportMetric(float64(b.Elapsed().Microseconds())/float64(runs), "µs/run")
}
