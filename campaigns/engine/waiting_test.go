package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/internal/fake"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// firstLasts is a simulator whose run 0 lasts until release is closed, and that
// counts the others that started.
func firstLasts(release chan struct{}, started *atomic.Int64) sim.Runner {
	return hooked(func(ctx context.Context, job sim.Job) (sim.Result, error) {
		if filepath.Base(job.Dir) == rundir.Name(0) {
			select {
			case <-release:
			case <-ctx.Done():
				return sim.Result{}, ctx.Err()
			}
		} else {
			started.Add(1)
		}
		return new(fake.Runner).Run(ctx, job)
	})
}

// until waits for a condition.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); !is(); time.Sleep(time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("after a minute: not %s", what)
			return
		}
	}
}

// TestWaitingStays interrupts a campaign whose first run lasts: those that
// ended meanwhile are not in the journal, but are not made again either.
func TestWaitingStays(t *testing.T) {
	var started, again atomic.Int64
	dir := filepath.Join(t.TempDir(), "out")
	ctx, cancel := context.WithCancel(t.Context())
	l := on(dir, firstLasts(nil, &started), new(testLog))
	go func() {
		until(t, "all are noted", func() bool {
			notes, _ := filepath.Glob(filepath.Join(dir, "*", journal.PendingFile))
			return len(notes) == 11
		})
		cancel()
	}()
	c := parsed(t, smallCampaign, "sim=builtin", "workers=2")
	sum, err := l.Run(ctx, c)
	if err != nil || !sum.Interrupted || sum.Total().Runs != 0 || started.Load() != 11 {
		t.Fatalf("%v: %d runs of %d that started", err, sum.Total().Runs, started.Load())
	}
	release := make(chan struct{})
	close(release)
	l = on(dir, firstLasts(release, &again), new(testLog))
	if sum, err = l.Resume(t.Context()); err != nil || sum.Total().Runs != 12 || again.Load() != 0 {
		t.Errorf("%v: %d runs, %d of them made again", err, sum.Total().Runs, again.Load())
	}
	if notes, _ := filepath.Glob(filepath.Join(dir, "*", journal.PendingFile)); len(notes) > 0 {
		t.Errorf("%v stay", notes)
	}
}

// TestBudgetAndBatches spends the budget while a batch is ahead of other
// configurations: its runs count, nothing waits for ever, and resume knows.
func TestBudgetAndBatches(t *testing.T) {
	w := new(testLog)
	dir := filepath.Join(t.TempDir(), "out")
	l := on(dir, nil, w)
	l.Runner = func(string, *config.Config) (sim.Runner, error) {
		return slowBatches{hooked(func(ctx context.Context, job sim.Job) (sim.Result, error) {
			time.Sleep(20 * time.Millisecond)
			return new(fake.Runner).Run(ctx, job)
		})}, nil
	}
	sum, err := l.Run(t.Context(), parsed(t, mixedCampaign, "workers=1", "budget=30ms"))
	if err != nil || !sum.BudgetSpent {
		t.Fatalf("%v: budget spent: %v", err, sum.BudgetSpent)
	}
	// The order is single, batched, …: at least these began.
	if n := sum.Total().Runs; n < 5 || n > 30 || n != len(readEntries(t, dir)) {
		t.Errorf("%d runs, %d of them in the journal", n, len(readEntries(t, dir)))
	}
	if notes, _ := filepath.Glob(filepath.Join(dir, "*", journal.PendingFile)); len(notes) > 0 {
		t.Errorf("%v wait", notes)
	}
	again, err := l.Resume(t.Context())
	if err != nil || !again.BudgetSpent || again.Total().Runs != sum.Total().Runs {
		t.Errorf("%v: %+v", err, again.Total())
	}
	w.has(t, "the campaign's budget of 30ms is spent: nothing is left to do")
}

type slowBatches struct{ hooked }

func (s slowBatches) RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error) {
	var all []sim.Result
	for _, job := range jobs {
		r, err := s.Run(ctx, job)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

// TestReductionDeadline wants candidates of a reduction that exceeds its time
// to end, and none to begin.
func TestReductionDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &limitedRunner{hooked(func(ctx context.Context, _ sim.Job) (sim.Result, error) {
			<-ctx.Done()
			return sim.Result{}, ctx.Err()
		}), config.SimBuiltin, execute.NewCPULimiter(1), time.Now().Add(time.Hour)}
		for range 2 { // while one runs, and after the deadline
			if _, err := runner.Run(t.Context(), sim.Job{}); !errors.Is(err, errReductionTime) {
				t.Errorf("error is %v", err)
			}
		}
	})
}

// TestArchiveOfTrouble reads a campaign back in which runs are in quarantine.
func TestArchiveOfTrouble(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out")
	l := on(dir, &pair{new(fake.Runner), new(panics), only(5)}, new(testLog))
	want, err := l.Run(t.Context(), parsed(t, smallCampaign))
	if err != nil {
		t.Fatal(err)
	}
	a, err := journal.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	got, err := summary.Read(a)
	if err != nil || len(got.InfraErrors) != 1 || got.InfraErrors[0] != want.InfraErrors[0] || got.Elapsed != want.Elapsed {
		t.Errorf("%v: troubles %+v, want %+v; %v, want %v", err, got.InfraErrors, want.InfraErrors, got.Elapsed, want.Elapsed)
	}
	if _, err := os.Stat(filepath.Join(got.InfraErrors[0].Dir, rundir.ReasonFile)); err != nil || !strings.Contains(got.InfraErrors[0].Title, "panics") {
		t.Errorf("%v: %+v", err, got.InfraErrors[0])
	}
}
