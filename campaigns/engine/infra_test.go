package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestInfraErrors gives the outcomes of runs to both policies: i for infra, p
// for passed. The last one ends the campaign, and none before.
func TestInfraErrors(t *testing.T) {
	for _, tt := range []struct {
		policy   config.OnInfraError
		outcomes string
		want     string // in the error of the last run; empty for none
	}{
		{config.InfraContinue, "iiiiiiiiii", "giving up after 10 runs in a row"},
		{config.InfraContinue, "iiiiiiiiipiiiiiiiiii", "the last of them run 19: absent: no simulator"},
		{config.InfraContinue, strings.Repeat("iiiiiiiiip", 3), ""},
		{config.InfraStop, "ppi", "stopping at run 2"},
		{config.InfraStop, "ppp", ""},
	} {
		c := infraErrors{policy: tt.policy}
		for number, outcome := range tt.outcomes {
			e := &journal.Entry{Number: number, Result: &run.Result{Outcome: sim.Passed}}
			if outcome == 'i' {
				e.Result = &run.Result{Outcome: sim.Infra, Title: "absent", Detail: "no simulator\nmore"}
			}
			err := c.add(e)
			if last := number == len(tt.outcomes)-1; last && tt.want != "" {
				fails(t, err, tt.want)
			} else if err != nil {
				t.Errorf("%s: %s: run %d: %v", tt.policy, tt.outcomes, number, err)
			}
		}
	}
}

// TestExplorationFails has an exploration fail, which has no program and so no directory: the run says why. What
// is known before the campaign begins is no run.
func TestExplorationFails(t *testing.T) {
	c := parse(t, "{name: bound, sim: builtin, configs: [{name: a, protocol: mi, explore: {}}]}")
	e, _ := newEngine(t, &fake.Runner{})
	e.Explore = func(context.Context, *run.Spec, int, string) (Explored, error) {
		return nil, errors.New("no such step")
	}
	sum, err := e.Run(t.Context(), c)
	if err != nil || len(sum.InfraErrors) != 1 || sum.InfraErrors[0].Title != "no such step" {
		t.Errorf("%v, %+v", err, sum.InfraErrors)
	}
	e, _ = newEngine(t, &fake.Runner{})
	e.Explorable = func(*config.Config) error { return errors.New("no such buffer") }
	e.Explore = func(context.Context, *run.Spec, int, string) (Explored, error) { panic("it begins") }
	sum, err = e.Run(t.Context(), c)
	fails(t, err, "configuration a: explore: no such buffer")
	if sum.Total().Runs != 0 {
		t.Errorf("%d runs", sum.Total().Runs)
	}
}

// TestSimulatorDisappears removes the simulator after 15 runs: the campaign
// gives up with ten runs in quarantine. With the simulator restored it ends
// like one that was not disturbed.
func TestSimulatorDisappears(t *testing.T) {
	c := parse(t, smallCampaign, "configs.*.runs=20")
	stale := &fake.Runner{Fault: fake.Stale}
	undisturbed, _ := newEngine(t, stale)
	runEngine(t, undisturbed, c)
	e, log := newEngine(t, runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		if runNumber(job) >= 15 {
			return (&fake.Runner{Fault: fake.Absent}).Run(ctx, job)
		}
		return stale.Run(ctx, job)
	}))
	sum, err := e.Run(t.Context(), c)
	fails(t, err, "giving up after 10 runs in a row that could not be executed or checked, the last of them run 24: cannot start: no such simulator")
	log.has(t, "infrastructure error: run 15: cannot start, in "+filepath.Join(e.Dir, journal.QuarantineDir, run.Name(15)))
	if got := sum.Total(); got.Runs != 25 {
		t.Errorf("%d runs, want 25", got.Runs)
	}
	var numbers []int
	for _, i := range sum.InfraErrors {
		numbers = append(numbers, i.Number)
		reason, err := os.ReadFile(filepath.Join(i.Dir, run.ReasonFile))
		if err != nil {
			t.Error(err)
		}
		contains(t, string(reason), "no such simulator")
	}
	if diff := cmp.Diff([]int{15, 16, 17, 18, 19, 20, 21, 22, 23, 24}, numbers); diff != "" {
		t.Errorf("infrastructure errors (-want +got):\n%s", diff)
	}
	contains(t, sum.Text(), "10 runs could not be executed", "run 15 of", run.Name(15))
	e.use(stale)
	resume(t, e)
	if diff := cmp.Diff(contents(t, undisturbed.Dir), contents(t, e.Dir)); diff != "" {
		t.Errorf("files (-undisturbed +resumed):\n%s", diff)
	}
}

// panicking is a simulator that panics.
var panicking = runnerFunc(func(context.Context, sim.Job) (sim.Result, error) { panic("state 7 of nowhere") })

// TestPanic runs a simulator that panics in one run, which goes to quarantine
// with its program and the stack; on-infra-error decides about further runs.
func TestPanic(t *testing.T) {
	for _, tt := range []struct {
		policy config.OnInfraError
		passed int
	}{{config.InfraContinue, 11}, {config.InfraStop, 5}} {
		e, log := newEngine(t, either(panicking, func(number int) bool { return number == 5 }))
		sum, err := e.Run(t.Context(), parse(t, smallCampaign, "on-infra-error="+string(tt.policy)))
		if tt.policy == config.InfraStop {
			fails(t, err, "stopping at run 5")
		} else if err != nil {
			t.Error(err)
		}
		hasCounts(t, sum, counts{sim.Passed: tt.passed, sim.Infra: 1}, summary.ExitInfra)
		log.has(t, "infrastructure error: run 5: ordeal panics: state 7 of nowhere")
		dir := entries(t, e.Dir)[5].Dir
		if want := run.Dir(filepath.Join(e.Dir, journal.QuarantineDir, run.Name(5))); dir != want {
			t.Errorf("the directory is %s, want %s", dir, want)
		}
		if err := dir.Verify(); err != nil {
			t.Error(err)
		}
		reason, err := os.ReadFile(dir.Path(run.ReasonFile))
		if err != nil {
			t.Error(err)
		}
		contains(t, string(reason), "infra_test.go")
	}
}

// TestDirectoryInUse creates a file where a run's directory should be, and a
// run directory that is not of the campaign: both go to quarantine.
func TestDirectoryInUse(t *testing.T) {
	e, log := newEngine(t, new(fake.Runner))
	e.OnResult = func(_ *summary.Summary, entry *journal.Entry) {
		if entry.Number != 0 {
			return
		}
		other := filepath.Join(e.Dir, run.Name(9))
		if err := os.WriteFile(filepath.Join(e.Dir, run.Name(8)), nil, 0o644); err != nil {
			t.Error(err)
		}
		if err := os.MkdirAll(other, 0o755); err != nil {
			t.Error(err)
		}
		if err := os.WriteFile(filepath.Join(other, run.SpecFile), nil, 0o644); err != nil {
			t.Error(err)
		}
	}
	sum := runEngine(t, e, parse(t, smallCampaign, "workers=1"))
	hasCounts(t, sum, counts{sim.Passed: 10, sim.Infra: 2}, summary.ExitInfra)
	log.has(t, "run 8: cannot write the run directory")
	log.has(t, "run 9: cannot write the run directory: it holds a run already")
	want := []string{"000008/in-the-way", "000008/reason.txt", "000009/reason.txt", "000009/result.json", "000009/run.json"}
	if diff := cmp.Diff(want, glob(t, filepath.Join(e.Dir, journal.QuarantineDir), "*", "*")); diff != "" {
		t.Errorf("quarantine (-want +got):\n%s", diff)
	}
}

// TestLimits requires that logs and histories beyond the limits are not checked
// and not written.
func TestLimits(t *testing.T) {
	for _, tt := range []struct{ key, limit, title string }{
		{"log-size", "200B", "the log is too long"}, {"memory", "2KiB", "the history is too long"},
	} {
		e, log := newEngine(t, new(fake.Runner))
		sum := runEngine(t, e, parse(t, smallCampaign, tt.key+"="+tt.limit, "configs.*.runs=2"))
		hasCounts(t, sum, counts{sim.Infra: 4}, summary.ExitInfra)
		log.has(t, "infrastructure error: run 0: "+tt.title)
		dir := run.Dir(filepath.Join(e.Dir, journal.QuarantineDir, run.Name(0)))
		if _, err := dir.Log(); err == nil {
			t.Errorf("%s: the log is written", tt.key)
		}
		if _, err := dir.Result(); err != nil {
			t.Error(err)
		}
		reason, err := os.ReadFile(dir.Path(run.ReasonFile))
		if err != nil {
			t.Error(err)
		}
		contains(t, string(reason), tt.key)
	}
	e, _ := newEngine(t, new(fake.Runner))
	hasCounts(t, runEngine(t, e, parse(t, smallCampaign, "log-size=1MiB", "memory=1GiB")), counts{sim.Passed: 12}, summary.ExitOK)
}

// TestFullDisk fills the disk during a campaign: nothing that was recorded is
// lost, and with space again it ends like one that was not disturbed.
func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if runtime.GOOS != "linux" || os.Geteuid() != 0 {
		t.Skip("only root can mount a small disk")
	}
	if err := unix.Mount("tmpfs", disk, "tmpfs", 0, "size=4m"); err != nil {
		t.Skipf("mount a small disk: %v", err)
	}
	t.Cleanup(func() {
		if err := unix.Unmount(disk, 0); err != nil {
			t.Error(err)
		}
	})
	c := parse(t, smallCampaign, "configs.*.runs=20", "workers=2", "keep-per-finding=1000")
	undisturbed, _ := newEngine(t, &fake.Runner{Fault: fake.Stale})
	runEngine(t, undisturbed, c)
	full := make(chan struct{})
	e, _ := newEngine(t, runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		if runNumber(job) > 13 { // else it might be recorded with run 12
			<-full
		}
		return (&fake.Runner{Fault: fake.Stale}).Run(ctx, job)
	}))
	e.Cores = 8 // a run that waits keeps none from run 12
	e.Dir = filepath.Join(disk, "out")
	ballast := filepath.Join(disk, "ballast")
	e.OnResult = func(_ *summary.Summary, run *journal.Entry) {
		if run.Number != 12 {
			return
		}
		defer close(full)
		f, err := os.Create(ballast)
		if err != nil {
			t.Error(err)
			return
		}
		for err == nil {
			_, err = f.Write(make([]byte, 4096))
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
	sum, err := e.Run(t.Context(), c)
	fails(t, err, unix.ENOSPC.Error())
	if got := sum.Total().Runs; got < 13 || got == 40 {
		t.Errorf("%d runs are recorded", got)
	}
	must.Succeed(t, os.Remove(ballast))
	e.OnResult = nil
	e.use(&fake.Runner{Fault: fake.Stale})
	resume(t, e)
	if diff := cmp.Diff(contents(t, undisturbed.Dir), contents(t, e.Dir)); diff != "" {
		t.Errorf("files (-undisturbed +resumed):\n%s", diff)
	}
}
