package engine

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
)

const embeddedCampaign = `
name: parts
sim: builtin
seed: 5
workers: 2
configs:
  - {name: clean, runs: 12, threads: 3, ops: 20, locations: 4, rounds: 2, core: tso, protocol: mi}
  - {name: faulty, runs: 12, threads: 3, ops: 30, locations: 3, rounds: 3, core: ooo, protocol: ideal-cached, core-bugs: [load-not-squashed]}
`

// stopAfter is a loop that is interrupted when some runs have ended. Its runs
// take turns on one core, so that few of them are ahead of the first.
func stopAfter(t *testing.T, dir string, n int) (Engine, context.Context) {
	ctx, cancel := context.WithCancel(t.Context())
	t.Cleanup(cancel)
	seen := 0
	return Engine{Dir: dir, Command: []string{"ordeal"}, Cores: 1, OnResult: func(*summary.Summary, *journal.Entry) {
		if seen++; seen == n {
			cancel()
		}
	}}, ctx
}

// TestResume interrupts a campaign twice, leaves a directory of a run that was
// in flight and half a line of the journal, and wants the end to be that of a
// campaign in one go.
func TestResume(t *testing.T) {
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), []string{"configs.*.runs=30"})
	if err != nil {
		t.Fatal(err)
	}
	whole := Engine{Dir: filepath.Join(t.TempDir(), "whole"), Command: []string{"ordeal"}}
	want, err := whole.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "parts")
	l, ctx := stopAfter(t, dir, 5)
	if sum, err := l.Run(ctx, c); err != nil || !sum.Interrupted {
		t.Fatalf("%v: not interrupted", err)
	}
	for n := range 2 {
		spoil(t, dir)
		l, ctx = stopAfter(t, dir, 7)
		if sum, err := l.Resume(ctx); err != nil || !sum.Interrupted {
			t.Fatalf("part %d: %v: not interrupted", n, err)
		}
	}
	spoil(t, dir)
	last := Engine{Dir: dir, Command: []string{"ordeal"}}
	got, err := last.Resume(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(outcome(t, want.Dir), outcome(t, dir)); diff != "" {
		t.Errorf("in parts it ends otherwise (-whole +parts):\n%s", diff)
	}
	if got.Rows[0].Coverage.Taken() == 0 || len(got.Findings) == 0 {
		t.Errorf("the campaign covers and finds nothing: %+v", got)
	}
	again := Engine{Dir: dir}
	if sum, err := again.Resume(t.Context()); err != nil || sum.Total().Runs != 60 || len(readEntries(t, dir)) != 60 {
		t.Errorf("a campaign that has ended goes on: %v", err)
	}
}

// spoil does to a campaign's directory what a kill may leave.
func spoil(t *testing.T, dir string) {
	t.Helper()
	f, err := os.OpenFile(filepath.Join(dir, journal.RunsFile), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteString(`{"number":59,"config":"fau`); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	flying := filepath.Join(dir, rundir.Name(59))
	if err := os.MkdirAll(flying, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(flying, rundir.SpecFile), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
}

// TestResumeRefuses wants directories that are no campaign's, journals that do
// not fit and campaigns that are running to be refused.
func TestResumeRefuses(t *testing.T) {
	resume := func(dir string) error {
		l := Engine{Dir: dir}
		_, err := l.Resume(t.Context())
		return err
	}
	if err := resume(t.TempDir()); err == nil || !strings.Contains(err.Error(), journal.CampaignFile) {
		t.Errorf("no campaign: %v", err)
	}
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), []string{"on-infra-error=stop"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "parts")
	l, ctx := stopAfter(t, dir, 4)
	running := l.OnResult
	l.OnResult = func(s *summary.Summary, r *journal.Entry) {
		if err := resume(dir); err == nil || !strings.Contains(err.Error(), "another process") {
			t.Errorf("a campaign that is running: %v", err)
		}
		running(s, r)
	}
	if _, err := l.Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, journal.RunsFile)
	good, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	first := good[:strings.IndexByte(string(good), '\n')+1]
	for what, bad := range map[string]string{
		"a run twice":         string(first) + string(first),
		"no JSON":             "hello\n",
		"of another campaign": strings.Replace(string(first), `"config":"`, `"config":"other-`, 1),
		"beyond the campaign": `{"number":99,"config":"clean"}` + "\n",
		"negative":            `{"number":-1,"config":"clean"}` + "\n",
	} {
		if err := os.WriteFile(path, []byte(bad), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := resume(dir); err == nil || !strings.Contains(err.Error(), journal.RunsFile+":") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestResumeBudget wants the time of earlier sessions to count.
func TestResumeBudget(t *testing.T) {
	c, err := config.Parse("parts.yaml", []byte(embeddedCampaign), []string{"budget=1h"})
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(t.TempDir(), "parts")
	l, ctx := stopAfter(t, dir, 3)
	if _, err := l.Run(ctx, c); err != nil {
		t.Fatal(err)
	}
	var h journal.Header
	if err := rundir.ReadJSON(filepath.Join(dir, journal.HeaderFile), &h); err != nil {
		t.Fatal(err)
	}
	h.Spent = 2 * time.Hour
	if err := rundir.WriteJSON(filepath.Join(dir, journal.HeaderFile), &h, false); err != nil {
		t.Fatal(err)
	}
	last := Engine{Dir: dir}
	sum, err := last.Resume(t.Context())
	if err != nil || !sum.BudgetSpent || sum.Elapsed < 2*time.Hour {
		t.Errorf("%v: %d runs, budget spent %v after %v", err, sum.Total().Runs, sum.BudgetSpent, sum.Elapsed)
	}
}
