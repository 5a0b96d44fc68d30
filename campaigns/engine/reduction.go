package engine

import (
	"context"
	"errors"
	"sync"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Reducer reduces the failed run in job.Dir and leaves a run directory of its
// own at job.Out. The error is of a run that could not be reduced, or ctx's.
type Reducer func(ctx context.Context, job ReduceJob) (*run.Reduction, error)

// ReduceJob is one run to reduce.
type ReduceJob struct {
	Dir, Out run.Dir
	// Time bounds the reduction.
	Time time.Duration
	// CheckTimeout bounds the check of one run.
	CheckTimeout time.Duration
	// Workers is how many checks run at a time, that of the reduction included.
	Workers int
	// Runner returns the runner of a candidate, which shares the cores of this
	// machine with the runs of the campaign.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// reductionQueue is the runs to reduce, one at a time beside the campaign's
// runs.
type reductionQueue struct {
	mu      sync.Mutex
	changed sync.Cond
	queue   []run.Dir
	closed  bool
}

func newReductionQueue() *reductionQueue {
	q := new(reductionQueue)
	q.changed.L = &q.mu
	return q
}

// change changes the queue, and lets run look at it.
func (q *reductionQueue) change(f func()) {
	q.mu.Lock()
	defer q.mu.Unlock()
	f()
	q.changed.Broadcast()
}

// add requests the reduction of a run.
func (q *reductionQueue) add(dir run.Dir) { q.change(func() { q.queue = append(q.queue, dir) }) }

// close ends run when the queue is empty.
func (q *reductionQueue) close() { q.change(func() { q.closed = true }) }

// due counts the runs that are not reduced.
func (q *reductionQueue) due() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	return len(q.queue)
}

// run reduces runs in order until the queue is closed and empty or ctx is done.
// A reduction that is interrupted stays in the queue.
func (q *reductionQueue) run(ctx context.Context, reduce func(context.Context, run.Dir)) {
	defer context.AfterFunc(ctx, func() { q.change(func() {}) })()
	q.mu.Lock()
	defer q.mu.Unlock()
	for ctx.Err() == nil {
		switch {
		case len(q.queue) > 0:
			dir := q.queue[0]
			q.mu.Unlock()
			reduce(ctx, dir)
			if q.mu.Lock(); ctx.Err() == nil {
				q.queue = q.queue[1:]
			}
		case q.closed:
			return
		default:
			q.changed.Wait()
		}
	}
}

// reduce reduces a run and adds the result to the summary. A reduction that is
// interrupted or killed leaves no run.ReductionFile and is repeated.
func (s *session) reduce(ctx context.Context, dir run.Dir) {
	reduction, err := s.reduceRun(ctx, dir)
	if ctx.Err() != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if err != nil {
		s.logf("infrastructure error: the reduction of %s cannot be written: %v", dir, err)
		return
	}
	s.sum.AddReduction(dir, reduction)
	s.logf("reduced: %s: %s", dir, reduction)
}

// reductionGrace is how much longer than its time a reduction may take, for its
// last run and for measuring how reliably the result fails.
const reductionGrace = 30 * time.Second

// reduceRun reduces a run and writes the result.
func (s *session) reduceRun(ctx context.Context, dir run.Dir) (*run.Reduction, error) {
	part, reduced := dir.Path(run.PartDir), dir.Path(run.ReducedDir)
	if err := errors.Join(run.RemoveAll(part), run.RemoveAll(reduced)); err != nil {
		return nil, err
	}
	var reduction *run.Reduction
	start, limit := time.Now(), time.Duration(s.c.Reduce)
	err := run.Guarded(func() (err error) {
		reduction, err = s.Reduce(ctx, ReduceJob{
			Dir: dir, Out: run.Dir(part), Time: limit, CheckTimeout: time.Duration(s.c.CheckTimeout), Workers: checks(s.c),
			Runner: func(name string, c *config.Config) (sim.Runner, error) {
				runner, err := s.newRunner(name, c)
				return &limitedRunner{runner, name, s.targets[0].executor.Limiter, start.Add(limit + reductionGrace)}, err
			},
		})
		return err
	})
	switch {
	case ctx.Err() != nil:
		return nil, errors.Join(ctx.Err(), run.RemoveAll(part))
	case err != nil:
		reduction = &run.Reduction{Error: run.InfraTitle(err), Elapsed: time.Since(start)}
		err = run.RemoveAll(part)
	default:
		reduction.Dir = run.ReducedDir
		if err = run.FlushTree(part); err == nil {
			err = run.Rename(part, reduced)
		}
	}
	if err != nil {
		return nil, err
	}
	return reduction, run.WriteJSON(dir.Path(run.ReductionFile), reduction, true)
}

// errReductionTime ends a reduction that exceeds its time by far.
var errReductionTime = errors.New("it takes too long")

// limitedRunner runs the candidates of a reduction: each waits for its cores
// like the runs of the campaign, and none runs beyond the deadline.
type limitedRunner struct {
	sim.Runner
	name     string
	limiter  *run.CPULimiter
	deadline time.Time
}

// Run waits for the cores that the job needs.
func (l *limitedRunner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, l.deadline, errReductionTime)
	defer cancel()
	release, err := l.limiter.Acquire(ctx, run.CoresOf(l.name, job.Program))
	if err != nil {
		return sim.Result{}, context.Cause(ctx)
	}
	defer release()
	result, err := l.Runner.Run(ctx, job)
	if err != nil && ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, err
}
