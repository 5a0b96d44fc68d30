package engine

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Reducer shrinks the failing run in job.Dir and leaves a run directory of its
// own at job.Out. The error is of a run that could not be reduced, or ctx's.
type Reducer func(ctx context.Context, job ReduceJob) (*rundir.Reduction, error)

// ReduceJob is one run to shrink.
type ReduceJob struct {
	Dir, Out rundir.Dir
	// Time bounds the reduction.
	Time time.Duration
	// CheckTimeout bounds the judging of one run.
	CheckTimeout time.Duration
	// Runner makes the runner of a candidate. Its runs take turns with those
	// of the campaign on the cores of this machine.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// reductions shrinks findings, one at a time, beside the runs.
type reductions struct {
	due []rundir.Dir // first runs of findings, by their number
	// asked are the findings that were asked for.
	asked map[summary.FindingKey]bool
	run   func(dir rundir.Dir)
	turn  sync.Mutex
	group sync.WaitGroup
}

// noteFindings asks for the reduction of findings that are new, and tells of
// canaries that are missed. The lock is held, or nobody else is there yet.
func (r *session) noteFindings() {
	if r.reduce.asked == nil {
		r.reduce.asked = make(map[summary.FindingKey]bool)
	}
	for i := range r.sum.Findings {
		f := &r.sum.Findings[i]
		if r.reduce.asked[f.Key()] {
			continue
		}
		r.reduce.asked[f.Key()] = true
		switch {
		case f.Outcome == sim.Missed:
			r.logf("finding: %s", f.Title)
		case r.Reduce != nil && r.c.Reduce > 0 && f.Reduction == nil:
			r.reduce.due = append(r.reduce.due, rundir.Dir(f.Dir))
			if r.reduce.run != nil {
				r.reduce.begin(rundir.Dir(f.Dir))
			}
		}
	}
}

// start begins the reductions that are due, those of an earlier session.
func (q *reductions) start(ctx context.Context, r *session) {
	r.mu.Lock()
	defer r.mu.Unlock()
	q.run = func(dir rundir.Dir) { r.reduceOne(ctx, dir) }
	for _, dir := range q.due {
		q.begin(dir)
	}
}

func (q *reductions) begin(dir rundir.Dir) {
	q.group.Go(func() {
		q.turn.Lock()
		defer q.turn.Unlock()
		q.run(dir)
	})
}

// wait waits for all reductions.
func (q *reductions) wait() { q.group.Wait() }

// reduceOne shrinks a run. A reduction that is interrupted, or killed, leaves
// no reductionFile: it is done again.
func (r *session) reduceOne(ctx context.Context, dir rundir.Dir) {
	if ctx.Err() != nil {
		return
	}
	came, err := r.shrink(ctx, dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	for i, due := range r.reduce.due {
		if due == dir {
			r.reduce.due = append(r.reduce.due[:i:i], r.reduce.due[i+1:]...)
			break
		}
	}
	if err != nil {
		r.logf("trouble: the reduction of %s cannot be written: %v", dir, err)
		return
	}
	r.sum.Reduced(dir, came)
	r.logf("reduced: %s: %s", dir, came)
}

// grace is how much longer than its time a reduction may take, for its last
// run and the measuring of how reliably the result fails.
const grace = 30 * time.Second

// shrink has a run shrunk and leaves what came of it.
func (r *session) shrink(ctx context.Context, dir rundir.Dir) (*rundir.Reduction, error) {
	part := dir.Path(rundir.PartDir)
	if err := errors.Join(os.RemoveAll(part), os.RemoveAll(dir.Path(rundir.ReducedDir))); err != nil {
		return nil, err
	}
	limit := time.Duration(r.c.Reduce)
	var came *rundir.Reduction
	start := time.Now()
	err := execute.Guarded(func() (err error) {
		came, err = r.Reduce(ctx, ReduceJob{
			Dir: dir, Out: rundir.Dir(part), Time: limit, CheckTimeout: time.Duration(r.c.CheckTimeout),
			Runner: func(name string, c *config.Config) (sim.Runner, error) {
				runner, err := r.newRunner(name, c)
				return &limitedRunner{runner, name, r.gate, start.Add(limit + grace)}, err
			},
		})
		return err
	})
	if ctx.Err() != nil {
		return nil, errors.Join(ctx.Err(), os.RemoveAll(part))
	}
	if err != nil {
		came = &rundir.Reduction{Error: execute.InfraTitle(err), Elapsed: time.Since(start)}
		if err := os.RemoveAll(part); err != nil {
			return nil, err
		}
	} else {
		came.Dir = rundir.ReducedDir
		if err := os.Rename(part, dir.Path(rundir.ReducedDir)); err != nil {
			return nil, err
		}
	}
	if err := rundir.WriteJSON(dir.Path(rundir.ReductionFile), came, true); err != nil {
		return nil, err
	}
	return came, nil
}

// errReductionTime ends a reduction that exceeds its time by far.
var errReductionTime = errors.New("it takes too long")

// limitedRunner runs the candidates of a reduction: each waits for its cores
// like the runs of the campaign, and none runs beyond the deadline.
type limitedRunner struct {
	sim.Runner
	name     string
	limiter  *execute.CPULimiter
	deadline time.Time
}

// Run waits for the cores that the job needs.
func (l *limitedRunner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	ctx, cancel := context.WithDeadlineCause(ctx, l.deadline, errReductionTime)
	defer cancel()
	done, err := l.limiter.Run(ctx, execute.CoresOf(l.name, job.Program))
	if err != nil {
		return sim.Result{}, context.Cause(ctx)
	}
	defer done()
	result, err := l.Runner.Run(ctx, job)
	if err != nil && ctx.Err() != nil {
		return result, context.Cause(ctx)
	}
	return result, err
}
