package rate

import (
	"context"
	"errors"
	"math"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

const campaignText = `
name: rates
seed: 3
sim: builtin
configs:
  - {name: sound, runs: 1, protocol: mi, core: ooo, threads: 2, ops: 30, rounds: 4, expect: tso}
  - {name: broken, runs: 1, protocol: mi, core: ooo, threads: 4, ops: 100, rounds: 10, expect: tso,
     mutant: "MI_example/L1Cache/(M,Fwd_GETX)/drop:forward_eviction_to_cpu"}
`

func parse(t *testing.T, text string, sets ...string) *config.Campaign {
	t.Helper()
	c, err := config.Read("rates.yaml", strings.NewReader(text), sets)
	must.Succeed(t, err)
	return c
}

// recorder notes the programs and seeds of the jobs of each runner.
type recorder struct {
	sim.Runner
	jobs *[]string
	to   string
}

func (r recorder) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	*r.jobs = append(*r.jobs, r.to+string(job.Program.Text())+string(rune('0'+job.Seed)))
	return r.Runner.Run(ctx, job)
}

// Each configuration runs until its time is spent, under all settings the same
// programs, in turn; the clock is one on which the n-th setting takes n+1 seconds a run.
func TestMeasure(t *testing.T) {
	var jobs []string
	o := Options{
		Settings: []Setting{{"as written", parse(t, campaignText)}, {"window=2", parse(t, campaignText, "configs.*.window=2")}},
		CPU:      6 * time.Second,
	}
	o.Runner = func(name string, c *config.Config) (sim.Runner, error) {
		r, err := execute.NewRunner(name, c)
		to := c.Name + " "
		if c.Window == 2 {
			to += "window "
		}
		return recorder{r, &jobs, to}, err
	}
	var now time.Duration
	o.Clock = func() time.Duration {
		if len(jobs) > 0 && strings.Contains(jobs[len(jobs)-1], "window ") {
			now += time.Second
		}
		now += time.Second
		return now
	}
	cells, err := Measure(t.Context(), o)
	must.Succeed(t, err)
	if len(cells) != 4 {
		t.Fatalf("%d cells", len(cells))
	}
	for i, c := range cells {
		if c.CPU < o.CPU || c.CPU > o.CPU+2*time.Second || c.Runs == 0 || c.Infra != 0 {
			t.Errorf("%+v", c)
		}
		per := []int{2 * 30 * 4, 4 * 100 * 10}[i/2]
		if c.Operations > per*c.Runs || c.Operations < per*c.Runs*9/10 { // delays and fences are none, or a few
			t.Errorf("%s: %d operations in %d runs of at most %d", c.Config, c.Operations, c.Runs, per)
		}
		if found := c.Failed > 0; found != (c.Config == "broken") || found != (c.First > 0) || c.First > c.CPU {
			t.Errorf("%+v", c)
		}
	}
	byRunner := map[string][]string{}
	for _, j := range jobs {
		to, rest, _ := strings.Cut(j, "ordeal-program")
		byRunner[to] = append(byRunner[to], rest)
	}
	for _, name := range []string{"sound ", "broken "} {
		a, b := byRunner[name], byRunner[name+"window "]
		if len(a) <= len(b) || len(b) < 2 {
			t.Fatalf("%s: %d and %d runs", name, len(a), len(b))
		}
		for i := range b {
			if a[i] != b[i] {
				t.Errorf("%s: run %d differs", name, i)
			}
		}
	}
	if order := []string{"sound ", "sound window ", "broken ", "broken window ", "sound "}; true {
		for i, want := range order {
			if !strings.HasPrefix(jobs[i], want+"ordeal") {
				t.Errorf("run %d is %.20q, want one of %s", i, jobs[i], want)
			}
		}
	}
}

type failing struct{ sim.Runner }

func (failing) Run(context.Context, sim.Job) (sim.Result, error) {
	return sim.Result{Outcome: sim.Infra, Title: "no such binary"}, nil
}

// Runs that cannot be made are no operations, and end the measurement where there
// is nothing else; an interrupt leaves what was measured.
func TestMeasureEnds(t *testing.T) {
	var now time.Duration
	o := Options{
		Settings: []Setting{{"as written", parse(t, campaignText)}}, CPU: time.Hour,
		Clock:  func() time.Duration { now += time.Second; return now },
		Runner: func(name string, c *config.Config) (sim.Runner, error) { return failing{}, nil },
	}
	cells, err := Measure(t.Context(), o)
	if err == nil || !strings.Contains(err.Error(), "configuration sound under as written: none of 3 runs could be made: no such binary") {
		t.Errorf("error %v", err)
	}
	if len(cells) != 2 || cells[0].Infra != 3 || cells[0].Operations != 0 || cells[0].Failed != 0 {
		t.Errorf("%+v", cells)
	}
	ctx, cancel := context.WithCancel(t.Context())
	o.Runner = execute.NewRunner
	runs := 0
	o.OnRun = func(*Cell) {
		if runs++; runs == 3 {
			cancel()
		}
	}
	cells, err = Measure(ctx, o)
	if !errors.Is(err, context.Canceled) || len(cells) != 2 || cells[0].Runs+cells[1].Runs != 3 {
		t.Errorf("%+v, %v", cells, err)
	}
	other := parse(t, campaignText)
	other.Configs = other.Configs[:1]
	o.Settings = append(o.Settings, Setting{"less", other})
	if _, err := Measure(t.Context(), o); err == nil || !strings.Contains(err.Error(), "less 1") {
		t.Errorf("settings of other configurations: %v", err)
	}
}

// TestSums adds up by hand: twice and eight times as fast are four times as fast in
// the geometric mean.
func TestSums(t *testing.T) {
	settings := []Setting{{Name: "a"}, {Name: "b"}}
	cells := []Cell{
		{Config: "x", Setting: "a", Runs: 1, Operations: 100, CPU: time.Second},
		{Config: "x", Setting: "b", Runs: 2, Operations: 400, CPU: 2 * time.Second, Failed: 1, First: time.Second},
		{Config: "y", Setting: "a", Runs: 1, Operations: 100, CPU: 2 * time.Second, Failed: 1, First: 2 * time.Second},
		{Config: "y", Setting: "b", Runs: 1, Operations: 1200, CPU: 3 * time.Second, Failed: 1, First: 3 * time.Second},
	}
	sums := Sums(cells, settings)
	a, b := sums[0], sums[1]
	if a.Faster != 1 || math.Abs(b.Faster-4) > 1e-9 || a.Found != 1 || b.Found != 2 || b.Operations != 1600 || b.CPU != 5*time.Second || b.Failed != 2 {
		t.Errorf("%+v", sums)
	}
	text := Table(cells, settings).String()
	for _, want := range []string{"all: found in 2, 4.00 times as fast", "24.0", "320"} { // 2 in 5 s, 1600 in 5 s
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
