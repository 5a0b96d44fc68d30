package engine

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestReductionQueue requires that runs are reduced one at a time and in order,
// that run ends when the queue is closed and empty, and that an interrupted
// reduction stays in the queue.
func TestReductionQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		q := newReductionQueue()
		var reduced []run.Dir
		ended := false
		go func() {
			q.run(t.Context(), func(_ context.Context, dir run.Dir) { reduced = append(reduced, dir) })
			ended = true
		}()
		q.add("a")
		q.add("b")
		synctest.Wait()
		q.add("c")
		synctest.Wait()
		if ended {
			t.Error("run ends before the queue is closed")
		}
		q.close()
		synctest.Wait()
		if !ended {
			t.Error("run does not end when the queue is closed")
		}
		if diff := cmp.Diff([]run.Dir{"a", "b", "c"}, reduced); diff != "" {
			t.Errorf("reduced (-want +got):\n%s", diff)
		}

		q = newReductionQueue()
		q.add("a")
		q.add("b")
		ctx, cancel := context.WithCancel(t.Context())
		q.run(ctx, func(context.Context, run.Dir) { cancel() })
		if q.due() != 2 {
			t.Errorf("%d reductions are due after an interrupt, want 2", q.due())
		}
	})
}

// TestReductionDeadline requires that candidates of a reduction that exceeds its
// time are ended, and that no further ones start.
func TestReductionDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		runner := &limitedRunner{runnerFunc(func(ctx context.Context, _ sim.Job) (sim.Result, error) {
			<-ctx.Done()
			return sim.Result{}, ctx.Err()
		}), config.SimBuiltin, run.NewCPULimiter(1), time.Now().Add(time.Hour)}
		for range 2 { // during the first one, and after the deadline
			if _, err := runner.Run(t.Context(), sim.Job{}); !errors.Is(err, errReductionTime) {
				t.Errorf("error is %v", err)
			}
		}
	})
}

// TestReduction reduces the first run of each finding, at once, or on
// resumption after the first reduction was interrupted.
func TestReduction(t *testing.T) {
	e, _ := newEngine(t, crashing(func(number int) string { return map[int]string{1: "one", 2: "two", 4: "one", 7: "one"}[number] }))
	var reduced []string
	reduce := func(_ context.Context, job ReduceJob) (*run.Reduction, error) {
		reduced = append(reduced, job.Dir.Base())
		if job.Dir.Base() == run.Name(2) {
			panic("no way")
		}
		if job.Time != time.Minute {
			t.Errorf("a reduction of %v", job.Time)
		}
		if err := job.Dir.Verify(); err != nil {
			t.Error(err)
		}
		return &run.Reduction{Before: 60, After: 2, Threads: 2, Rounds: 1, Hits: 9, Tries: 10, Minimal: true}, os.MkdirAll(string(job.Out), 0o755)
	}
	c := parse(t, severalConfigs, "reduce=1m")
	e.Reduce = reduce
	reductionsAre(t, e, runEngine(t, e, c), &reduced)

	e.Dir, reduced = filepath.Join(t.TempDir(), "out"), nil
	ctx, cancel := context.WithCancel(t.Context())
	e.Reduce = func(ctx context.Context, job ReduceJob) (*run.Reduction, error) {
		must.Succeed(t, os.MkdirAll(string(job.Out), 0o755))
		cancel()
		<-ctx.Done()
		return new(run.Reduction), nil // the best so far
	}
	sum, err := e.Run(ctx, c)
	must.Succeed(t, err)
	if !sum.Interrupted {
		t.Error("the campaign is not interrupted")
	}
	e.Reduce = reduce
	reductionsAre(t, e, resume(t, e), &reduced)
}

// reductionsAre requires the reductions of TestReduction, and that none is
// repeated on resumption.
func reductionsAre(t *testing.T, e *Engine, sum *summary.Summary, reduced *[]string) {
	t.Helper()
	first, second := filepath.Join(e.Dir, run.Name(1)), filepath.Join(e.Dir, run.Name(2))
	best := filepath.Join(first, run.ReducedDir)
	a, err := journal.Open(e.Dir)
	must.Succeed(t, err)
	read, err := summary.Read(a)
	must.Succeed(t, err)
	for _, s := range []*summary.Summary{sum, read} {
		if len(s.Findings) != 2 {
			t.Fatalf("findings: %+v", s.Findings)
		}
		one, two := s.Findings[0], s.Findings[1]
		if diff := cmp.Diff(&summary.Reproducer{Dir: best, Example: journal.Example{Number: 1, Operations: 2}, Reduced: true}, one.Best); diff != "" {
			t.Errorf("the first finding's reproducer (-want +got):\n%s", diff)
		}
		if one.Reduction == nil || one.Reduction.Dir != best {
			t.Errorf("the first finding's reduction is %+v", one.Reduction)
		}
		if two.Best.Dir != second {
			t.Errorf("the second finding's reproducer is in %s", two.Best.Dir)
		}
		elapsed := cmpopts.IgnoreFields(run.Reduction{}, "Elapsed")
		if diff := cmp.Diff(&run.Reduction{Error: "ordeal panics: no way"}, two.Reduction, elapsed); diff != "" {
			t.Errorf("the second finding's reduction (-want +got):\n%s", diff)
		}
	}
	contains(t, sum.Text(),
		"reduced  from 60 operations to 2 in 2 threads and 1 round, fails in 9 of 10 runs", "repeat   ordeal repro "+best,
		"reduced  failed: ordeal panics: no way", "reduce   ordeal reduce "+second)
	if _, err := os.Stat(filepath.Join(first, run.PartDir)); err == nil {
		t.Error("a part of a reduction stays")
	}
	resume(t, e)
	if diff := cmp.Diff([]string{run.Name(1), run.Name(2)}, *reduced); diff != "" {
		t.Errorf("reduced runs (-want +got):\n%s", diff)
	}
}
