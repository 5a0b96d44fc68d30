package engine

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// crashing is a simulator that crashes with the titles of run numbers, or
// deadlocks if they begin with that; runs without a title pass.
func crashing(title func(number int) string) sim.Runner {
	return runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		text := title(runNumber(job))
		if text == "" {
			return new(fake.Runner).Run(ctx, job)
		}
		if title, ok := strings.CutPrefix(text, "deadlock "); ok {
			return sim.Result{Outcome: sim.Deadlock, Title: title}, nil
		}
		return sim.Result{Outcome: sim.Crash, Title: text}, nil
	})
}

// Each run of a configuration is followed by one of the next.
const canaryCampaign = `
name: canaries
sim: builtin
workers: 3
configs:
  - &c {name: clean, runs: 5, threads: 2, ops: 10, locations: 2, rounds: 3}
  - {<<: *c, name: caught, bug: {about: caught}}
  - {<<: *c, name: missed, bug: {about: missed}}
  - {<<: *c, name: otherwise, bug: {about: otherwise, by: [deadlock]}}
  - {<<: *c, name: short, bug: {about: short, budget: 100000}}
  - {<<: *c, name: survived, bug: {about: survived, equivalent: no reader}}
  - {<<: *c, name: killed, bug: {about: killed, equivalent: no reader}}
`

// TestCanaries requires that failing runs of canaries are no findings, but
// missed canaries and failing negative controls are; and that of a canary the
// first run stays that fails in either way.
func TestCanaries(t *testing.T) {
	e, log := newEngine(t, nil)
	e.Runner = func(_ string, c *config.Config) (sim.Runner, error) {
		return crashing(func(number int) string {
			if first := map[string]int{"caught": 2, "otherwise": 1, "killed": 3}[c.Name]; first > 0 && number/7 >= first {
				return "broken"
			}
			return ""
		}), nil
	}
	var reduced []string
	e.Reduce = func(_ context.Context, job ReduceJob) (*run.Reduction, error) {
		reduced = append(reduced, job.Dir.Base())
		return nil, errors.New("no")
	}
	sum := runEngine(t, e, parse(t, canaryCampaign, "reduce=1s"))
	type result struct {
		Status                   summary.Status
		Caught, Otherwise, First int
	}
	got := make(map[string]result)
	for _, r := range sum.Rows {
		if k := r.Canary; k != nil {
			got[r.Config] = result{k.Status, k.Caught, k.Otherwise, k.First}
		}
	}
	want := map[string]result{
		"caught":    {summary.StatusCaught, 3, 0, 15},
		"missed":    {Status: summary.StatusMissed},
		"otherwise": {Status: summary.StatusMissed, Otherwise: 4},
		"short":     {Status: summary.StatusPending},
		"survived":  {Status: summary.StatusSurvived},
		"killed":    {summary.StatusKilled, 2, 0, 27},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("canaries (-want +got):\n%s", diff)
	}
	var titles []string
	for _, f := range sum.Findings {
		titles = append(titles, f.Outcome.String()+": "+f.Title)
	}
	slices.Sort(titles)
	if diff := cmp.Diff([]string{
		"crash: negative control killed fails: broken", "missed: canary missed is no longer caught", "missed: canary otherwise is no longer caught",
	}, titles); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	log.has(t, "finding: canary missed is no longer caught")
	if diff := cmp.Diff([]string{run.Name(27)}, reduced); diff != "" {
		t.Errorf("reduced runs (-want +got):\n%s", diff)
	}
	// The first runs of clean, survived and killed pass.
	stays := []string{"000000", "000005", "000006", "000010", "000015", "000027", "000034"}
	if diff := cmp.Diff(stays, glob(t, e.Dir, "0*")); diff != "" {
		t.Errorf("run directories (-want +got):\n%s", diff)
	}
	text := sum.Text()
	contains(t, text,
		"Canaries are injected bugs that the campaign should catch: 1 of 4 caught; missed: missed, otherwise; pending: short.",
		"Negative controls are mutants that no run can kill: 1 of 2 survived; killed: killed.",
		"4 runs of canaries failed in another way than bug.by lists and do not count.",
		"total             5 ", "finding: canary missed is no longer caught (missed)")
	if n := strings.Count(text, "finding: "); n != 3 {
		t.Errorf("%d findings, want 3, in\n%s", n, text)
	}
	if got := sum.ExitStatus(); got != summary.ExitFinding {
		t.Errorf("exit status %d", got)
	}
}

// TestCanariesAlone requires that a campaign whose canaries are all caught has
// found nothing, and shows no table of tested configurations.
func TestCanariesAlone(t *testing.T) {
	e, _ := newEngine(t, crashing(func(int) string { return "broken" }))
	c := parse(t, canaryCampaign)
	c.Configs = c.Configs[1:3]
	sum := runEngine(t, e, c)
	hasCounts(t, sum, counts{sim.Crash: 10}, summary.ExitOK)
	contains(t, sum.Text(), "2 of 2 caught")
	if text := sum.Text(); strings.Contains(text, "configuration") {
		t.Errorf("a table of tested configurations:\n%s", text)
	}
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

// TestFindings requires that failures are grouped by outcome, title and system.
func TestFindings(t *testing.T) {
	e, _ := newEngine(t, crashing(func(number int) string {
		return map[int]string{1: "lost", 3: "lost", 4: "lost", 5: "lost", 6: "deadlock lost", 9: "lost"}[number]
	}))
	sum := runEngine(t, e, parse(t, severalConfigs)) // the schedule is a b c a b c …
	type finding struct {
		Title             string
		Outcome           sim.Outcome
		System            string
		Runs, First, Last int
		Configs           []summary.ConfigCount
		Best              int
	}
	var got []finding
	for _, f := range sum.Findings {
		got = append(got, finding{f.Title, f.Outcome, f.System, f.Runs, f.First, f.Last, f.Configs, f.Best.Number})
		dirs := []string{filepath.Join(e.Dir, run.Name(f.First)), filepath.Join(e.Dir, run.Name(f.Best.Number))}
		if diff := cmp.Diff(dirs, []string{f.Dir, f.Best.Dir}); diff != "" {
			t.Errorf("directories (-want +got):\n%s", diff)
		}
		if f.FirstAt <= 0 {
			t.Errorf("found after %v", f.FirstAt)
		}
		if f.LastAt < f.FirstAt {
			t.Errorf("found after %v, last after %v", f.FirstAt, f.LastAt)
		}
	}
	if diff := cmp.Diff([]finding{ // programs of b are the shortest
		{"lost", sim.Crash, "builtin mi", 4, 1, 9, []summary.ConfigCount{{Config: "b", Runs: 2}, {Config: "a", Runs: 2}}, 1},
		{"lost", sim.Crash, "builtin mesi-two-level", 1, 5, 5, []summary.ConfigCount{{Config: "c", Runs: 1}}, 5},
		{"lost", sim.Deadlock, "builtin mi", 1, 6, 6, []summary.ConfigCount{{Config: "a", Runs: 1}}, 6},
	}, got); diff != "" {
		t.Errorf("findings (-want +got):\n%s", diff)
	}
	contains(t, sum.Text(), "finding: lost (crash, 4 runs)", "first    run 1 of seed 1", "last     run 9", "system   builtin mi: b 2, a 2")
}
