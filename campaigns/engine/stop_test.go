package engine

import (
	"context"
	"errors"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestStop requires that a campaign stops at the run that meets the condition,
// reports it, and does nothing when it is resumed. The conditions are tested in
// package summary.
func TestStop(t *testing.T) {
	crash := &fake.Runner{Fault: fake.Crash}
	e, log := newEngine(t, either(crash, func(number int) bool { return number%5 == 2 }))
	sum := runEngine(t, e, parse(t, smallCampaign, "stop.same=3", "configs.*.runs=20", "configs.*.sim=builtin"))
	const why = "run 12: stop.same is 3"
	hasCounts(t, sum, counts{sim.Passed: 10, sim.Crash: 3}, summary.ExitFinding)
	contains(t, sum.Text(), "Stopped at "+why)
	if n := len(entries(t, e.Dir)); n != 13 {
		t.Errorf("%d lines in the journal, want 13", n)
	}
	before := contents(t, e.Dir)
	resumed := resume(t, e)
	type end struct {
		Stopped       string
		Runs, Elapsed int
	}
	if diff := cmp.Diff(end{why, 13, int(sum.Elapsed)}, end{resumed.Stopped, resumed.Total().Runs, int(resumed.Elapsed)}); diff != "" {
		t.Errorf("resumed (-want +got):\n%s", diff)
	}
	log.has(t, "the campaign stopped at "+why+": nothing is left to do")
	if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
		t.Errorf("files (-stopped +resumed):\n%s", diff)
	}
}

// TestAfterStop requires that the directory of a run on hardware that failed
// after the run at which the campaign stopped is moved to AfterStopDir.
func TestAfterStop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e, log := newEngine(t, runnerFunc(func(ctx context.Context, job sim.Job) (sim.Result, error) {
			switch runNumber(job) {
			case 0: // ends after run 1
				time.Sleep(time.Second)
				return sim.Result{Outcome: sim.Crash, Title: "zero"}, nil
			case 1:
				return sim.Result{Outcome: sim.Crash, Title: "one"}, nil
			}
			<-ctx.Done()
			return sim.Result{}, ctx.Err()
		}))
		e.Cores = 2
		sum := runEngine(t, e, parse(t, smallCampaign, "stop.findings=1", "workers=2", "configs.*.threads=1"))
		hasCounts(t, sum, counts{sim.Crash: 1}, summary.ExitFinding)
		log.has(t, "run 1 failed after the campaign had stopped: one")
		r, err := run.Dir(filepath.Join(e.Dir, journal.AfterStopDir, run.Name(1))).Result()
		must.Succeed(t, err)
		if r.Title != "one" {
			t.Errorf("title %q, want one", r.Title)
		}
	})
}

// TestDiscardLog requires that discarded runs are logged with the lock held, as
// reductions are that may end at the same time.
func TestDiscardLog(t *testing.T) {
	e, log := newEngine(t, nil)
	w, err := journal.Create(e.Dir, parse(t, smallCampaign), journal.Header{})
	must.Succeed(t, err)
	s := e.session(w, nil)
	e.Logf = func(format string, args ...any) {
		log.logf(format, args...)
		if s.mu.TryLock() {
			t.Error("the lock is not held")
			s.mu.Unlock()
		}
	}
	failed := w.NewEntry(1)
	failed.Result = &run.Result{Outcome: sim.Crash, Title: "one"}
	s.order.Restore(failed)
	must.Succeed(t, errors.Join(s.discard(), w.Close()))
	log.has(t, "run 1 failed after the campaign had stopped: one")
}

// TestBudget spends the budget while a batch is ahead of other configurations:
// its runs count, nothing is pending, and resuming does nothing, since the time
// of earlier sessions counts. Runs beyond a stop condition that is met then are
// discarded.
func TestBudget(t *testing.T) {
	for _, tt := range []struct {
		set     string
		budget  string
		fault   fake.Fault
		want    []int
		outcome sim.Outcome
		end     journal.End
		log     string
	}{
		// A batch is runs 1, 4, 6 and 9; runs of a batch that fail are repeated.
		{"keep=all", "6h", fake.None, []int{0, 1, 2, 3, 4, 6, 9}, sim.Passed, journal.EndBudget, "the campaign's budget of 6h0m0s is spent"},
		{"stop.same=5", "9h30m", fake.Crash, []int{0, 1, 2, 3, 4, 6}, sim.Crash, journal.EndStopped, "the campaign stopped at run 6: stop.same is 5"},
	} {
		synctest.Test(t, func(t *testing.T) {
			e, log := newEngine(t, batchRunner{func(ctx context.Context, job sim.Job) (sim.Result, error) {
				time.Sleep(time.Hour)
				return (&fake.Runner{Fault: tt.fault}).Run(ctx, job)
			}})
			sum := runEngine(t, e, parse(t, mixedCampaign, "workers=1", "budget="+tt.budget, tt.set))
			var got []int
			for _, entry := range entries(t, e.Dir) {
				got = append(got, entry.Number)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("%s: runs (-want +got):\n%s", tt.set, diff)
			}
			if diff := cmp.Diff(counts{tt.outcome: len(tt.want)}, counts(sum.Total().Outcomes)); diff != "" {
				t.Errorf("%s: outcomes (-want +got):\n%s", tt.set, diff)
			}
			a, err := journal.Open(e.Dir)
			must.Succeed(t, err)
			if a.Header.End != tt.end {
				t.Errorf("the end is %s, want %s", a.Header.End, tt.end)
			}
			before := contents(t, e.Dir)
			resume(t, e)
			log.has(t, tt.log+": nothing is left to do")
			if diff := cmp.Diff(before, contents(t, e.Dir)); diff != "" {
				t.Errorf("%s: files (-ended +resumed):\n%s", tt.set, diff)
			}
		})
	}
}
