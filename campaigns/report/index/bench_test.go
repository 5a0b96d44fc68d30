package index

import (
	"flag"
	"os"
	"path/filepath"
	"testing"
	"time"

	"ordeal/campaigns/engine/journal"
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

// BenchmarkReindex indexes a campaign from scratch, one run more, and nothing new.
// For a big campaign: go test -bench Reindex -benchtime 1x -runs 100000
func BenchmarkReindex(b *testing.B) {
	small, dir := filepath.Join(b.TempDir(), "small"), filepath.Join(b.TempDir(), "big")
	runCampaign(b, small, protocols)
	grow(b, small, dir, *benchRuns/3)
	lines, err := os.ReadFile(filepath.Join(dir, journal.RunsFile))
	must.Succeed(b, err)
	last := len(lines) - 2
	for lines[last] != '\n' {
		last--
	}
	db := filepath.Join(b.TempDir(), "index.db")
	reindex := func(b *testing.B) {
		must.Succeed(b, Reindex(b.Context(), db, []string{dir}, Options{}))
	}
	megabytes := func(b *testing.B) float64 {
		info, err := os.Stat(db)
		must.Succeed(b, err)
		return float64(info.Size()) / 1e6
	}
	for _, what := range []string{"scratch", "one-more", "nothing-new"} {
		b.Run(what, func(b *testing.B) {
			for range b.N {
				b.StopTimer()
				if what != "nothing-new" {
					os.Remove(db)
					write(b, filepath.Join(dir, journal.RunsFile), string(lines))
				}
				if what == "one-more" {
					write(b, filepath.Join(dir, journal.RunsFile), string(lines[:last+1]))
					reindex(b)
					time.Sleep(10 * time.Millisecond)
					write(b, filepath.Join(dir, journal.RunsFile), string(lines))
				}
				b.StartTimer()
				reindex(b)
			}
			b.ReportMetric(megabytes(b), "MB")
			b.ReportMetric(float64(len(lines))/1e6, "journal-MB")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(*benchRuns), "ns/run")
		})
	}
}
