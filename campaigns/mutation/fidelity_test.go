package mutation

import (
	"cmp"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/sim"
)

// fidelityRounds is how often the program is executed, on gem5 and here.
const fidelityRounds = 40

// recorded is how a run of a mutant ended on gem5 v24.0.0.1, built from the patch that `ordeal mutate apply`
// writes: testdata/fidelity.tsv.
type recorded struct {
	mutant, core string // core is inorder for gem5's timing cores, and ooo for its O3
	outcome      string
	// why the embedded simulator is known to differ: "-" if it does not; see README.md of sim/builtin.
	why   string
	title string // of gem5's run
}

// fidelityRecords reads testdata/fidelity.tsv, whose first line says what the columns are.
func fidelityRecords(t testing.TB) []recorded {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", "fidelity.tsv"))
	must.Succeed(t, err)
	var list []recorded
	for line := range strings.Lines(string(data)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		f := append(strings.Split(strings.TrimSuffix(line, "\n"), "\t"), "")
		if len(f) < 5 {
			t.Fatalf("line %q", line)
		}
		list = append(list, recorded{f[0], f[1], f[2], f[3], f[4]})
	}
	return list
}

// BenchmarkFidelity runs 60 mutants of MI_example, MESI_Two_Level and MOESI_hammer of the gem5 tree that ORDEAL_GEM5_TREE
// names, at gem5's latencies, and compares how the runs end with what the same program did on gem5 itself. Metrics
// are the mutants that end alike with both kinds of core, and the ends of the 95 % interval of their share, in percent. It fails for a mutant
// that is not as recorded.
func BenchmarkFidelity(b *testing.B) {
	tree := os.Getenv("ORDEAL_GEM5_TREE")
	if tree == "" {
		b.Skip("ORDEAL_GEM5_TREE names no gem5 tree")
	}
	data, err := os.ReadFile(filepath.Join("testdata", "fidelity-program.txt"))
	must.Succeed(b, err)
	program, err := gen.Parse("fidelity-program.txt", data)
	must.Succeed(b, err)
	for b.Loop() {
		alike := map[string]bool{}
		for _, want := range fidelityRecords(b) {
			got := endOf(b, tree, program, want)
			same := got.Outcome.String() == want.outcome
			if before, seen := alike[want.mutant]; !seen || before {
				alike[want.mutant] = same
			}
			b.Logf("%-9s %-9s %-8s %s, %s: %s; gem5: %s", got.Outcome, want.outcome, want.why, want.mutant, want.core, cmp.Or(got.Title, "-"), cmp.Or(want.title, "-"))
			if same != (want.why == "-") {
				b.Errorf("%s, %s: %s, on gem5 %s, recorded as %q", want.mutant, want.core, got.Outcome, want.outcome, want.why)
			}
		}
		k := 0
		for _, same := range alike {
			if same {
				k++
			}
		}
		low, high := summary.Wilson(k, len(alike))
		b.ReportMetric(float64(k), "alike")
		b.ReportMetric(100*low, "low-%")
		b.ReportMetric(100*high, "high-%")
	}
}

// endOf is how the program ends on a mutant, with the caches, the latencies and the barriers of the runs on gem5.
func endOf(t testing.TB, tree string, p *gen.Program, r recorded) *run.Evaluation {
	t.Helper()
	protocol, _, _ := strings.Cut(r.mutant, "/")
	cfg := config.DefaultConfig()
	cfg.Machine = config.Machine{
		SLICC: filepath.Join(tree, "src/mem/ruby/protocol", protocol+".slicc"), Mutant: r.mutant, Core: r.core,
		PrivateCache: "4x2", SharedCache: "4x4", Latency: 6, LinkOccupancy: 4, MemoryLatency: 60, EventOrder: "lifo", Barriers: "ends",
	}
	on, err := run.NewRunner(config.SimBuiltin, &cfg)
	must.Succeed(t, err)
	models, err := config.ParseModels(cfg.Machine.Promise())
	must.Succeed(t, err)
	res, err := runJob(t.Context(), on, sim.Job{Program: p, Rounds: fidelityRounds, Seed: 1}, models)
	must.Succeed(t, err)
	return res
}
