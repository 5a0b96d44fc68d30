package run

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ordeal/campaigns/diagnose"
	"ordeal/gen"
	"ordeal/sim"
)

// Executor executes runs of one configuration.
type Executor struct {
	Runner  sim.Runner
	Check   CheckOptions
	Limiter *CPULimiter // nil: no limit
	// Timings has failed runs of a simulator that is Timed repeated at faithful
	// latencies.
	Timings bool
	// Stage is called with what takes further time once a run has failed; nil: not called.
	Stage func(what string)
	_     struct{}
}

// Run executes the run that spec describes: it creates dir, runs the program
// and checks the log. The error is ctx's, or that of a run directory that cannot
// be written or a job that cannot be run.
func (x *Executor) Run(ctx context.Context, dir Dir, p *gen.Program, spec *Spec) (*Evaluation, error) {
	if err := dir.Create(p, spec); err != nil {
		return nil, err
	}
	return x.RunIn(ctx, dir, p, spec)
}

// RunIn is Run in a directory that is created already, or that need not be since
// the simulator leaves no files.
func (x *Executor) RunIn(ctx context.Context, dir Dir, p *gen.Program, spec *Spec) (*Evaluation, error) {
	jobs, own, err := x.jobs(dir, p, spec)
	if err != nil {
		return nil, err
	}
	results, err := x.Launch(ctx, spec.Sim, jobs)
	if err != nil {
		return nil, err
	}
	return x.Evaluate(ctx, jobs[own], &results[own])
}

// BatchRunner is a simulator that runs several jobs in one launch.
type BatchRunner interface {
	RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error)
}

// Holder is a runner that prepares what many runs need, as gem5 builds a mutant, and
// undoes it in the end: runs with the context that do gets find it.
type Holder interface {
	Hold(ctx context.Context, do func(ctx context.Context) error) error
}

// Hold calls do once the runner is prepared for many runs, if it has to be.
func Hold(ctx context.Context, runner sim.Runner, do func(ctx context.Context) error) error {
	if h, ok := runner.(Holder); ok {
		return h.Hold(ctx, do)
	}
	return do(ctx)
}

// Launch runs jobs on the simulator of that name in one launch, which takes a
// BatchRunner if there are several. A job that exceeds the time of this machine beside
// others of the limiter is run once again, alone.
func (x *Executor) Launch(ctx context.Context, simulator string, jobs []sim.Job) ([]sim.Result, error) {
	results, err := x.launch(ctx, simulator, jobs)
	if err == nil && (x.Limiter != nil || len(jobs) > 1) {
		err = x.retryLimited(ctx, jobs, results)
	}
	return results, err
}

func (x *Executor) launch(ctx context.Context, simulator string, jobs []sim.Job) ([]sim.Result, error) {
	release, err := x.Limiter.Acquire(ctx, CoresOf(simulator, jobs[0].Program))
	if err != nil {
		return nil, err
	}
	defer release()
	if len(jobs) > 1 {
		return x.Runner.(BatchRunner).RunBatch(ctx, jobs)
	}
	result, err := x.Runner.Run(ctx, jobs[0])
	return []sim.Result{result}, err
}

// retryLimited runs the jobs again that exceeded the time that this machine may
// take, each once and with nothing else that the limiter knows of beside it. It
// replaces their results.
func (x *Executor) retryLimited(ctx context.Context, jobs []sim.Job, results []sim.Result) error {
	for i := range results {
		if !results[i].LimitExceeded {
			continue
		}
		release, err := x.Limiter.Acquire(ctx, math.MaxInt)
		if err != nil {
			return err
		}
		again, err := x.Runner.Run(ctx, jobs[i])
		release()
		if err != nil {
			return err
		}
		again.Detail = strings.TrimSpace(again.Detail + "\nthe run was repeated alone: the first time it was ended: " + results[i].Title)
		results[i] = again
	}
	return nil
}

// batchDir holds the directories of the other runs of a batch.
const batchDir = "batch"

// jobs are those of the launch that a run is part of; own is the run's. A run
// of a batch takes all of the batch, since only the same launch behaves the
// same. The other runs' directories are below that of the run.
func (x *Executor) jobs(dir Dir, p *gen.Program, spec *Spec) (jobs []sim.Job, own int, err error) {
	numbers := spec.Batch
	if _, ok := x.Runner.(BatchRunner); !ok || len(numbers) < 2 {
		numbers = []int{spec.Number}
	}
	own = slices.Index(numbers, spec.Number)
	if own < 0 {
		return nil, 0, fmt.Errorf("run %d is not in its batch %v", spec.Number, numbers)
	}
	for i, number := range numbers {
		other, program, place := *spec, p, dir
		if i != own {
			other.Number, place = number, dir.Sub(batchDir, Name(number))
			if program, err = spec.Config.Program(spec.Seed, number); err != nil {
				return nil, 0, err
			}
			if err := MkdirAll(string(place)); err != nil {
				return nil, 0, err
			}
		}
		job, err := other.Job(place, program)
		if err != nil {
			return nil, 0, err
		}
		jobs = append(jobs, job)
	}
	return jobs, own, nil
}

// RemoveBatch removes the directories of the other runs of a batch.
func RemoveBatch(dir Dir) error { return RemoveAll(dir.Path(batchDir)) }

// Evaluate checks the log of a job, signs a violation, and repeats a failed run
// at faithful latencies with Timings.
func (x *Executor) Evaluate(ctx context.Context, job sim.Job, simulated *sim.Result) (*Evaluation, error) {
	release, err := x.Limiter.Acquire(ctx, 1)
	if err != nil {
		return nil, err
	}
	defer release()
	r, err := Evaluate(ctx, job.Program, job.Rounds, simulated, x.Check)
	if err == nil {
		err = x.sign(ctx, job, r)
	}
	if err == nil {
		err = x.repeatFaithful(ctx, job, simulated.Work, r)
	}
	return r, err
}

// sign adds the signature of a violation that the expected model refutes, or of
// a lost update. The error is ctx's: a violation stays one where it cannot be
// signed.
func (x *Executor) sign(ctx context.Context, job sim.Job, r *Evaluation) error {
	if r.Outcome != sim.Violation {
		return nil
	}
	observer, _ := x.Runner.(diagnose.Observer) // nil where the simulator is none
	var found sim.Failure
	err := Guarded(func() (err error) {
		switch {
		case r.Failure.Kind == lostUpdate:
			found, err = diagnose.LostUpdate(ctx, observer, job)
		case len(r.Verdicts) > 0 && r.Verdicts[0].Refutation != nil:
			found, err = diagnose.Violation(ctx, r.History, r.Models[0], &r.Verdicts[0], x.Check.Options, observer, job)
		}
		return err
	})
	if err == nil && found.Kind != "" {
		r.Failure.Failure, r.Signature = found, found.Title()
	}
	if err != nil && ctx.Err() == nil {
		r.Detail = strings.TrimPrefix(r.Detail+"\n"+err.Error(), "\n")
		return nil
	}
	return err
}
