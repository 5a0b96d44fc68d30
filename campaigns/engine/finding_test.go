package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// crashes is a simulator that crashes with the titles that a function gives to
// run numbers; those without a title pass.
func crashes(title func(number int) string) sim.Runner {
	return hooked(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		n, _ := rundir.Number(filepath.Base(job.Dir))
		if text := title(n); text != "" {
			outcome := sim.Crash
			if strings.HasPrefix(text, "deadlock") {
				outcome = sim.Deadlock
			}
			return sim.Result{Outcome: outcome, Title: strings.TrimPrefix(text, "deadlock ")}, nil
		}
		return new(fake.Runner).Run(ctx, job)
	})
}

const severalConfigs = `
name: several
sim: builtin
workers: 3
configs:
  - &c {name: a, runs: 4, threads: 2, ops: 10, locations: 2, rounds: 3, protocol: mi}
  - {<<: *c, name: b, ops: 5}
  - {<<: *c, name: c, protocol: mesi-two-level}
`

// TestFindings counts findings by outcome, title and system, and says where and
// when they came.
func TestFindings(t *testing.T) {
	l := on(filepath.Join(t.TempDir(), "out"), crashes(func(n int) string {
		return map[int]string{1: "lost", 3: "lost", 4: "lost", 5: "lost", 6: "deadlock lost", 9: "lost"}[n]
	}), new(testLog))
	// The order is a b c a b c …
	sum, err := l.Run(t.Context(), parsed(t, severalConfigs))
	if err != nil {
		t.Fatal(err)
	}
	type brief struct {
		outcome           sim.Outcome
		system            string
		runs, first, last int
		configs           []summary.ConfigCount
		best              int
	}
	var got []brief
	for _, f := range sum.Findings {
		if f.Title != "lost" || f.FirstAt <= 0 || f.LastAt < f.FirstAt || f.Dir != filepath.Join(l.Dir, rundir.Name(f.First)) || f.Best.Dir != filepath.Join(l.Dir, rundir.Name(f.Best.Number)) {
			t.Errorf("%+v", f)
		}
		got = append(got, brief{f.Outcome, f.System, f.Runs, f.First, f.Last, f.Configs, f.Best.Number})
	}
	// The shorter programs are those of b.
	want := []brief{
		{sim.Crash, "builtin mi", 4, 1, 9, []summary.ConfigCount{{Config: "b", Runs: 2}, {Config: "a", Runs: 2}}, 1},
		{sim.Crash, "builtin mesi-two-level", 1, 5, 5, []summary.ConfigCount{{Config: "c", Runs: 1}}, 5},
		{sim.Deadlock, "builtin mi", 1, 6, 6, []summary.ConfigCount{{Config: "a", Runs: 1}}, 6},
	}
	if !slices.EqualFunc(got, want, func(a, b brief) bool {
		return a.outcome == b.outcome && a.system == b.system && a.runs == b.runs && a.first == b.first && a.last == b.last && a.best == b.best && slices.Equal(a.configs, b.configs)
	}) {
		t.Errorf("findings %+v\nwant     %+v", got, want)
	}
	for _, text := range []string{"finding: lost (crash, 4 runs)", "first    run 1 of seed 1", "last     run 9", "system   builtin mi: b 2, a 2"} {
		if !strings.Contains(sum.Text(), text) {
			t.Errorf("no %q in\n%s", text, sum.Text())
		}
	}
}

// TestBestReproducer prefers what was reduced, then what recurs, then what is
// short, then what came first.
func TestBestReproducer(t *testing.T) {
	list := []summary.Reproducer{
		{Number: 9, Operations: 900, Reduced: true}, {Number: 8, Operations: 100, Recurs: true}, {Number: 2, Operations: 200, Recurs: true},
		{Number: 7, Operations: 10}, {Number: 1, Operations: 20}, {Number: 3, Operations: 20},
	}
	for i := range list {
		for k := range list {
			if got := list[i].Better(&list[k]); got != (i < k) {
				t.Errorf("%+v better than %+v: %v", list[i], list[k], got)
			}
		}
	}
}

const canaryCampaign = `
name: canaries
sim: builtin
workers: 3
configs:
  - &c {name: clean, runs: 5, threads: 2, ops: 10, locations: 2, rounds: 3}
  - {<<: *c, name: seen, bug: {about: seen}}
  - {<<: *c, name: unseen, bug: {about: unseen}}
  - {<<: *c, name: otherwise, bug: {about: otherwise, by: [deadlock]}}
  - {<<: *c, name: short, bug: {about: short, budget: 100000}}
  - {<<: *c, name: quiet, bug: {about: quiet, equivalent: nothing looks}}
  - {<<: *c, name: loud, bug: {about: loud, equivalent: nothing looks}}
`

// TestCanaries wants failing runs of canaries to be no findings, canaries that
// nobody catches and negative controls that fail to be some, and people to see
// which is which.
func TestCanaries(t *testing.T) {
	w := new(testLog)
	l := on(filepath.Join(t.TempDir(), "out"), nil, w)
	l.Runner = func(_ string, c *config.Config) (sim.Runner, error) {
		return crashes(func(n int) string {
			// The order is that of the file, again and again.
			if fails := map[string]int{"seen": 2, "otherwise": 1, "loud": 3}[c.Name]; fails > 0 && n/7 >= fails {
				return "broken"
			}
			return ""
		}), nil
	}
	reduced := 0
	l.Reduce = func(context.Context, ReduceJob) (*rundir.Reduction, error) {
		reduced++
		return nil, errors.New("no")
	}
	sum, err := l.Run(t.Context(), parsed(t, canaryCampaign, "reduce=1s"))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]summary.Canary{
		"seen":      {Status: summary.StatusCaught, Caught: 3, First: 15},
		"unseen":    {Status: summary.StatusMissed},
		"otherwise": {Status: summary.StatusMissed, Otherwise: 4},
		"short":     {Status: summary.StatusPending},
		"quiet":     {Status: summary.StatusSurvived},
		"loud":      {Status: summary.StatusKilled, Caught: 2, First: 27},
	}
	for _, r := range sum.Rows {
		if r.Canary == nil {
			if r.Config != "clean" {
				t.Errorf("%s is no canary", r.Config)
			}
			continue
		}
		k, x := r.Canary, want[r.Config]
		if k.Status != x.Status || k.Caught != x.Caught || k.Otherwise != x.Otherwise || k.First != x.First {
			t.Errorf("%s: %+v\nwant %+v", r.Config, *k, x)
		}
	}
	var titles []string
	for _, f := range sum.Findings {
		titles = append(titles, f.Outcome.String()+": "+f.Title)
	}
	slices.Sort(titles)
	if wanted := []string{
		"crash: negative control loud fails: broken", "missed: canary otherwise is no longer caught", "missed: canary unseen is no longer caught",
	}; !slices.Equal(titles, wanted) {
		t.Errorf("findings %q, want %q", titles, wanted)
	}
	w.has(t, "finding: canary unseen is no longer caught")
	if reduced != 1 {
		t.Errorf("%d reductions, want that of the control", reduced)
	}
	// Of a canary the first run that failed stays, in either way.
	dirs, err := filepath.Glob(filepath.Join(l.Dir, "0*"))
	if err != nil {
		t.Fatal(err)
	}
	var stay []string
	for _, d := range dirs {
		stay = append(stay, filepath.Base(d))
	}
	// run 0 is the example of clean, 5 that of quiet, 6 that of loud.
	if wanted := []string{rundir.Name(0), rundir.Name(5), rundir.Name(6), rundir.Name(10), rundir.Name(15), rundir.Name(27), rundir.Name(34)}; !slices.Equal(stay, wanted) {
		t.Errorf("%v stay, want %v", stay, wanted)
	}
	text := sum.Text()
	for _, part := range []string{
		"Canaries are injected bugs that the campaign should catch: 1 of 4 caught; missed: unseen, otherwise; pending: short.",
		"Negative controls are mutants that no run can kill: 1 of 2 survived; killed: loud.",
		"4 runs of canaries failed in another way than bug.by lists and do not count.",
		"total             5 ", "finding: canary unseen is no longer caught (missed)",
	} {
		if !strings.Contains(text, part) {
			t.Errorf("no %q in\n%s", part, text)
		}
	}
	if strings.Count(text, "finding: ") != 3 || sum.ExitStatus() != summary.ExitFinding {
		t.Errorf("exit status %d, and\n%s", sum.ExitStatus(), text)
	}
}

// TestCanariesAlone wants a campaign whose canaries are all caught to have found
// nothing.
func TestCanariesAlone(t *testing.T) {
	l := on(filepath.Join(t.TempDir(), "out"), crashes(func(n int) string { return "broken" }), new(testLog))
	c := parsed(t, canaryCampaign)
	c.Configs = c.Configs[1:3]
	sum, err := l.Run(t.Context(), c)
	if err != nil || len(sum.Findings) != 0 || sum.ExitStatus() != summary.ExitOK {
		t.Errorf("%v: exit status %d, findings %+v", err, sum.ExitStatus(), sum.Findings)
	}
	if text := sum.Text(); strings.Contains(text, "configuration") || !strings.Contains(text, "2 of 2 caught") {
		t.Errorf("a table of tested configurations, or no canaries:\n%s", text)
	}
}

// TestReduction has the first run of each finding reduced, and goes on with what
// an interrupt left undone.
func TestReduction(t *testing.T) {
	for _, when := range []string{"at once", "interrupted"} {
		w := new(testLog)
		ctx, cancel := context.WithCancel(t.Context())
		l := on(filepath.Join(t.TempDir(), "out"), crashes(func(n int) string {
			return map[int]string{1: "one", 2: "two", 4: "one", 7: "one"}[n]
		}), w)
		var seen []string
		l.Reduce = func(ctx context.Context, job ReduceJob) (*rundir.Reduction, error) {
			if when == "interrupted" && len(seen) == 0 {
				seen = append(seen, "")
				if err := os.MkdirAll(string(job.Out), 0o755); err != nil {
					t.Error(err)
				}
				cancel()
				<-ctx.Done()
				return new(rundir.Reduction), nil // the best so far
			}
			seen = append(seen, filepath.Base(string(job.Dir)))
			if filepath.Base(string(job.Dir)) == rundir.Name(2) {
				panic("no way")
			}
			if job.Time != time.Minute {
				t.Errorf("a reduction of %v", job.Time)
			}
			if _, err := job.Dir.Result(); err != nil {
				t.Error(err)
			}
			return &rundir.Reduction{Before: 60, After: 2, Threads: 2, Rounds: 1, Hits: 9, Tries: 10, Minimal: true}, os.MkdirAll(string(job.Out), 0o755)
		}
		c := parsed(t, severalConfigs, "reduce=1m")
		sum, err := l.Run(ctx, c)
		if when == "interrupted" {
			if err != nil || !sum.Interrupted {
				t.Fatalf("%v: interrupted: %v", err, sum.Interrupted)
			}
			seen = []string{}
			when = "resumed"
			sum, err = l.Resume(t.Context())
		}
		if err != nil || sum.Interrupted || sum.Total().Runs != 12 {
			t.Fatalf("%s: %v: %+v", when, err, sum)
		}
		slices.Sort(seen)
		if !slices.Equal(seen, []string{rundir.Name(1), rundir.Name(2)}) {
			t.Errorf("%s: %v are reduced, want the first run of each finding", when, seen)
		}
		one, two := sum.Findings[0], sum.Findings[1]
		best := filepath.Join(l.Dir, rundir.Name(1), rundir.ReducedDir)
		if one.Best.Dir != best || !one.Best.Reduced || one.Best.Operations != 2 || one.Reduction.Dir != best {
			t.Errorf("%s: %+v, reduced: %+v", when, one.Best, one.Reduction)
		}
		if two.Best.Dir != filepath.Join(l.Dir, rundir.Name(2)) || two.Reduction == nil || two.Reduction.Error != "ordeal panics: no way" {
			t.Errorf("%s: %+v, reduced: %+v", when, two.Best, two.Reduction)
		}
		for _, part := range []string{
			"reduced  from 60 operations to 2 in 2 threads and 1 round, fails in 9 of 10 runs", "repeat   ordeal repro " + best,
			"reduced  not: ordeal panics: no way", "reduce   ordeal reduce " + filepath.Join(l.Dir, rundir.Name(2)),
		} {
			if !strings.Contains(sum.Text(), part) {
				t.Errorf("%s: no %q in\n%s", when, part, sum.Text())
			}
		}
		if _, err := os.Stat(filepath.Join(l.Dir, rundir.Name(1), rundir.PartDir)); err == nil {
			t.Errorf("%s: a part of a reduction stays", when)
		}
		archive, err := journal.Open(l.Dir)
		if err != nil {
			t.Fatal(err)
		}
		read, err := summary.Read(archive)
		if err != nil || read.Findings[0].Reduction == nil || *read.Findings[0].Best != *one.Best || read.Findings[1].Reduction.Error != two.Reduction.Error {
			t.Errorf("%s: read back: %v: %+v", when, err, read.Findings)
		}
		if _, err := l.Resume(t.Context()); err != nil || len(seen) != 2 {
			t.Errorf("%s: %v: reduced again: %v", when, err, seen)
		}
	}
}

// TestLimits refuses logs and histories beyond the limits, and lets go of them.
func TestLimits(t *testing.T) {
	for _, tt := range []struct{ set, title string }{
		{"log-size=200B", "the log is too long"}, {"memory=2KiB", "the history is too long"},
	} {
		w := new(testLog)
		l := on(filepath.Join(t.TempDir(), "out"), new(fake.Runner), w)
		sum, err := l.Run(t.Context(), parsed(t, smallCampaign, tt.set, "configs.*.runs=2"))
		if err != nil || sum.Total().Outcomes[sim.Infra] != 4 {
			t.Fatalf("%s: %v: %v", tt.set, err, sum.Total().Outcomes)
		}
		w.has(t, "infrastructure error: run 0: "+tt.title)
		dir := rundir.Dir(filepath.Join(l.Dir, journal.QuarantineDir, rundir.Name(0)))
		if _, err := dir.Log(); err == nil {
			t.Errorf("%s: the log is written", tt.set)
		}
		if _, err := dir.Result(); err != nil {
			t.Error(err)
		}
		key, _, _ := strings.Cut(tt.set, "=")
		if reason, err := os.ReadFile(dir.Path(rundir.ReasonFile)); err != nil || !strings.Contains(string(reason), key) {
			t.Errorf("%s: %v: %s", tt.set, err, reason)
		}
	}
	l := on(filepath.Join(t.TempDir(), "out"), new(fake.Runner), new(testLog))
	sum, err := l.Run(t.Context(), parsed(t, smallCampaign, "log-size=1MiB", "memory=1GiB"))
	if err != nil || sum.Total().Outcomes[sim.Passed] != 12 {
		t.Errorf("%v: %v", err, sum.Total().Outcomes)
	}
}
