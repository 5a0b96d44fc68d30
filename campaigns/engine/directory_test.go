package engine

import (
	"context"
	"os"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestNoDirectory requires that on a simulator without files no run has a
// directory while it is executed, and that each run that stays has a whole one
// when it is recorded: also one that cannot be evaluated.
func TestNoDirectory(t *testing.T) {
	e, _ := newEngine(t, nil)
	e.Runner = func(name string, c *config.Config) (sim.Runner, error) {
		runner, err := run.NewRunner(name, c)
		return runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
			if _, err := os.Stat(job.Dir); !os.IsNotExist(err) {
				t.Errorf("run %d has a directory: %v", runNumber(job), err)
			}
			if runNumber(job) == 4 {
				panic("on purpose")
			}
			return runner.Run(ctx, job)
		}), err
	}
	kept, failed := 0, 0
	e.OnResult = func(_ *summary.Summary, entry *journal.Entry) {
		_, err := os.Stat(string(e.Dir) + "/" + run.Name(entry.Number))
		if made := err == nil; made != entry.Kept {
			t.Errorf("run %d stays: %v, has a directory: %v", entry.Number, entry.Kept, made)
		}
		if !entry.Kept && !entry.Quarantined() {
			return
		}
		must.Succeed(t, entry.Dir.Verify())
		spec, err := entry.Dir.Spec()
		must.Succeed(t, err)
		if spec.Program != entry.Program || spec.Number != entry.Number {
			t.Errorf("run %d with program %s is recorded as %d with %s", entry.Number, entry.Program, spec.Number, spec.Program)
		}
		kept++
		if entry.Failed() {
			failed++
		}
	}
	sum := runEngine(t, e, parse(t, embeddedCampaign, "workers=1", "keep-per-finding=1000")) // else one more may stay when it ends
	total := sum.Total()
	if kept == 0 || failed == 0 || kept == total.Runs || total.Outcomes[sim.Infra] != 1 {
		t.Errorf("of %d runs %d stay, %d fail, %d are of outcome infra", total.Runs, kept, failed, total.Outcomes[sim.Infra])
	}
	for _, example := range entries(t, e.Dir) {
		program, err := example.Config.Program(sum.Seed, example.Number)
		must.Succeed(t, err)
		if diff := cmp.Diff(run.Hash(program.Text()), example.Program); diff != "" {
			t.Errorf("program of run %d (-want +got):\n%s", example.Number, diff)
		}
	}
}

// TestInterruptNoDirectory requires that a simulated run in flight leaves nothing
// when the campaign is interrupted, and is repeated.
func TestInterruptNoDirectory(t *testing.T) {
	const text = "name: passing\nsim: builtin\nkeep: findings\nworkers: 1\nconfigs:\n" +
		"  - {name: a, runs: 9, threads: 2, ops: 6, locations: 2, rounds: 1, protocol: mi, core: inorder}\n"
	whole, _ := newEngine(t, nil)
	runEngine(t, whole, parse(t, text))
	e, _ := newEngine(t, nil)
	sum, err := e.Run(interruptAt(t, e, 5), parse(t, text))
	if err != nil || !sum.Interrupted {
		t.Fatalf("%v: interrupted: %v", err, sum.Interrupted)
	}
	if list := glob(t, e.Dir, run.Name(5)); len(list) > 0 {
		t.Errorf("the run in flight leaves %v", list)
	}
	e.Runner = nil
	resume(t, e)
	if diff := cmp.Diff(contents(t, whole.Dir), contents(t, e.Dir)); diff != "" {
		t.Errorf("files (-whole +parts):\n%s", diff)
	}
}
