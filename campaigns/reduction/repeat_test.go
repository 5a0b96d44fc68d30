package reduction

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// recordFake makes a run on a fake simulator and returns its directory.
func recordFake(t *testing.T, runner sim.Runner) run.Dir {
	t.Helper()
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Threads, cfg.Ops, cfg.Locations, cfg.Rounds = "a", 3, 20, 2, 5
	p, err := cfg.Programs.Program(5, 0)
	must.Succeed(t, err)
	models, err := cfg.Models()
	must.Succeed(t, err)
	dir := run.Dir(filepath.Join(t.TempDir(), "run"))
	executor := run.Executor{Runner: runner, Check: run.CheckOptions{Models: models}}
	done, err := executor.Run(context.Background(), dir, p, &run.Spec{
		Seed: 5, Sim: "fake", Config: cfg, Timeout: config.Duration(time.Minute), Started: time.Now(),
	})
	must.Succeed(t, err)
	must.Succeed(t, dir.Finish(done))
	return dir
}

func repeatOptions(runner sim.Runner, tries int) RepeatOptions {
	return RepeatOptions{Tries: tries, Runner: func(string, *config.Config) (sim.Runner, error) { return runner, nil }}
}

// counts compares what reports count.
var counts = cmpopts.IgnoreFields(RepeatReport{}, "Recorded", "ExecutableSame", "HitDir", "_")

// A deterministic simulator repeats what is recorded, log included.
func TestRepeatRecurs(t *testing.T) {
	runner := &fake.Runner{Fault: fake.Stale}
	dir := recordFake(t, runner)
	report, err := Repeat(context.Background(), dir, repeatOptions(runner, 3))
	must.Succeed(t, err)
	if report.Recorded.Outcome != sim.Violation {
		t.Fatalf("recorded %v: the fake simulator is not faulty enough", report.Recorded.Outcome)
	}
	if diff := cmp.Diff(RepeatReport{Tries: 3, Hits: 3, LogsSame: 3, Others: map[string]int{}}, *report, counts); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if _, err := os.Stat(filepath.Join(string(report.HitDir), run.ResultFile)); err != nil {
		t.Error(err)
	}
	// Only the first hit stays.
	if dirs, _ := filepath.Glob(filepath.Join(string(dir), "repro", "*")); len(dirs) != 1 {
		t.Errorf("repro holds %v", dirs)
	}
}

// A simulator without the bug does not repeat what is recorded.
func TestRepeatDoesNotRecur(t *testing.T) {
	dir := recordFake(t, &fake.Runner{Fault: fake.Stale})
	report, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 3))
	must.Succeed(t, err)
	if diff := cmp.Diff(RepeatReport{Tries: 3, Others: map[string]int{}}, *report, counts); diff != "" || report.HitDir != "" {
		t.Errorf("first hit in %q, -want +got:\n%s", report.HitDir, diff)
	}
	report, err = Repeat(context.Background(), dir, repeatOptions(&fake.Runner{Fault: fake.Crash}, 2))
	must.Succeed(t, err)
	want := RepeatReport{Tries: 2, Others: map[string]int{"crash: panic: invalid transition": 2}}
	if diff := cmp.Diff(want, *report, counts); diff != "" {
		t.Errorf("crashes: -want +got:\n%s", diff)
	}
}

func TestRepeatRefusals(t *testing.T) {
	dir := recordFake(t, &fake.Runner{})
	path := filepath.Join(string(dir), run.ProgramFile)
	text, err := os.ReadFile(path)
	must.Succeed(t, err)
	other := strings.Replace(string(text), "\nload ", "\nfence\nload ", 1)
	must.Succeed(t, os.WriteFile(path, []byte(other), 0o644))
	if _, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 1)); err == nil || !strings.Contains(err.Error(), "not the recorded program") {
		t.Errorf("another program: error is %v", err)
	}
	must.Succeed(t, os.WriteFile(path, text, 0o644))
	must.Succeed(t, os.Remove(filepath.Join(string(dir), run.ResultFile)))
	if _, err := Repeat(context.Background(), dir, repeatOptions(&fake.Runner{}, 1)); err == nil || !strings.Contains(err.Error(), "did not end") {
		t.Errorf("a run that did not end: error is %v", err)
	}
}
