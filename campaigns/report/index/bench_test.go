package index

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"ordeal/campaigns/internal/must"
)

var benchRuns = flag.Int("runs", 9000, "runs of the campaign that BenchmarkReindex indexes")

// protocols is a campaign whose journal lines have much coverage.
const protocols = `
name: protocols
sim: builtin
seed: 3
configs:
  - {name: mesi, runs: 300, protocol: mesi-two-level, dirs: 2, l2-banks: 2, core: ooo, threads: 4, ops: 20, locations: 32, rounds: 1}
  - {name: mi, runs: 300, protocol: mi, core: tso, threads: 4, ops: 20, locations: 16, rounds: 1}
  - {name: hammer, runs: 300, protocol: moesi-hammer, core: pso, threads: 4, ops: 20, locations: 16, rounds: 1, expect: pso, classify: [tso, sc]}
`

// BenchmarkReindex indexes a campaign.
// For a big campaign: go test -bench Reindex -benchtime 1x -runs 100000
func BenchmarkReindex(b *testing.B) {
	small, dir := filepath.Join(b.TempDir(), "small"), filepath.Join(b.TempDir(), "big")
	runCampaign(b, small, protocols)
	grow(b, small, dir, *benchRuns/3)
	db := filepath.Join(b.TempDir(), "index.db")
	for range b.N {
		must.Succeed(b, Reindex(b.Context(), db, []string{dir}, Options{}))
	}
	info, err := os.Stat(db)
	must.Succeed(b, err)
	b.ReportMetric(float64(info.Size())/1e6, "MB")
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(*benchRuns), "ns/run")
}
