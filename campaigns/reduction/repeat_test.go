package reduction

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// recordFake makes a run on a fake simulator and returns its directory.
func recordFake(t *testing.T, runner sim.Runner) rundir.Dir {
	t.Helper()
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 3, 20, 2, 5
	p, err := cfg.Programs.Program(5, 0)
	must.Succeed(t, err)
	models, err := cfg.Models()
	must.Succeed(t, err)
	dir := rundir.Dir(filepath.Join(t.TempDir(), "run"))
	single := execute.Executor{Runner: runner, Check: execute.CheckOptions{Models: models}}
	done, err := single.Run(context.Background(), dir, p, &rundir.Spec{
		Seed: 5, Sim: "fake", Config: cfg, Timeout: config.Duration(time.Minute), Started: time.Now(),
	})
	must.Succeed(t, err)
	must.Succeed(t, dir.Finish(done))
	return dir
}

func repeatOptions(runner sim.Runner, tries int) RepeatOptions {
	return RepeatOptions{Tries: tries, Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil }}
}

// A deterministic simulator does again what is recorded, log included.
func TestRepeatRecurs(t *testing.T) {
	runner := &fake.Runner{Fault: fake.Stale}
	dir := recordFake(t, runner)
	report, err := Repeat(context.Background(), dir, repeatOptions(runner, 3))
	must.Succeed(t, err)
	if report.Recorded.Outcome != sim.Violation {
		t.Fatalf("recorded %v: the fake simulator is not faulty enough", report.Recorded.Outcome)
	}
	if report.Tries != 3 || report.Hits != 3 || report.LogsSame != 3 || len(report.Others) != 0 {
		t.Errorf("%+v", report)
	}
	if _, err := os.Stat(filepath.Join(string(report.HitDir), rundir.ResultFile)); err != nil {
		t.Error(err)
	}
	// Only the first hit stays.
	if dirs, _ := filepath.Glob(filepath.Join(string(dir), "repro", "*")); len(dirs) != 1 {
		t.Errorf("repro holds %v", dirs)
	}
}

// A simulator that behaves now does not do again what is recorded.
func TestRepeatDoesNotRecur(t *testing.T) {
	dir := recordFake(t, &fake.Runner{Fault: fake.Stale})
	report, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 3))
	must.Succeed(t, err)
	if report.Tries != 3 || report.Hits != 0 || report.LogsSame != 0 || len(report.Others) != 0 || report.HitDir != "" {
		t.Errorf("%+v", report)
	}
	report, err = Repeat(context.Background(), dir, repeatOptions(&fake.Runner{Fault: fake.Crash}, 2))
	must.Succeed(t, err)
	if report.Hits != 0 || report.Others["crash panic: invalid transition"] != 2 {
		t.Errorf("a crash is not what is recorded: %+v", report)
	}
}

func TestRepeatRefusals(t *testing.T) {
	dir := recordFake(t, &fake.Runner{})
	path := filepath.Join(string(dir), rundir.ProgramFile)
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	other := strings.Replace(string(text), "\nload ", "\nfence\nload ", 1)
	must.Succeed(t, os.WriteFile(path, []byte(other), 0o644))
	if _, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 1)); err == nil || !strings.Contains(err.Error(), "not the recorded program") {
		t.Errorf("another program: error is %v", err)
	}
	must.Succeed(t, os.WriteFile(path, text, 0o644))
	must.Succeed(t, os.Remove(filepath.Join(string(dir), rundir.ResultFile)))
	if _, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 1)); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("a run that did not end: error is %v", err)
	}
}
