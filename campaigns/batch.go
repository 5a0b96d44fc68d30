package campaigns

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ordeal/gen"
	"ordeal/sim"
)

// batchRunner is a simulator that runs several jobs in one launch, and tells
// the result of each.
type batchRunner interface {
	RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error)
}

// runSome makes runs of one configuration, in one launch where the simulator
// can.
func (r *running) runSome(ctx context.Context, numbers []int, config int) error {
	if runner, ok := r.runners[config].(batchRunner); ok && len(numbers) > 1 {
		return r.runBatch(ctx, runner, numbers, config)
	}
	for _, number := range numbers {
		if err := r.runOne(ctx, number, config); err != nil {
			return err
		}
	}
	return nil
}

// runBatch makes runs in one launch. One that fails is made again alone.
func (r *running) runBatch(ctx context.Context, runner batchRunner, numbers []int, config int) error {
	cfg := &r.c.Configs[config]
	models, err := cfg.Models()
	if err != nil {
		return err
	}
	single := r.single(config, models)
	var runs []*Run
	var records []*Record
	var jobs []sim.Job
	for _, number := range numbers {
		p, err := r.program(ctx, cfg, number)
		if err != nil {
			return err
		}
		dir, record := r.record(number, config)
		record.Batch = numbers
		if err := dir.Create(p, record); err != nil {
			return err
		}
		job, err := record.job(dir, p)
		if err != nil {
			return err
		}
		runs = append(runs, &Run{Number: number, Config: cfg, Dir: dir})
		records, jobs = append(records, record), append(jobs, job)
	}
	results, err := r.launchBatch(ctx, runner, records[0], jobs)
	if err != nil {
		return err
	}
	for i, run := range runs {
		if run.Case, err = r.judgeResult(ctx, jobs[i].Program, cfg.Rounds, &results[i], single.Judging); err != nil {
			return err
		}
		if run.Finding() {
			if run.Alone, err = alone(ctx, &single, run, jobs[i].Program, records[i]); err != nil {
				return err
			}
		}
	}
	for i, run := range runs {
		if err := r.finish(run, records[i]); err != nil {
			return err
		}
	}
	return nil
}

func (r *running) launchBatch(ctx context.Context, runner batchRunner, record *Record, jobs []sim.Job) ([]sim.Result, error) {
	done, err := r.gate.run(ctx, record.cores(jobs[0].Program))
	if err != nil {
		return nil, err
	}
	defer done()
	return runner.RunBatch(ctx, jobs)
}

func (r *running) judgeResult(ctx context.Context, p *gen.Program, rounds int, res *sim.Result, how Judging) (*Case, error) {
	done, err := r.gate.judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return Judge(ctx, p, rounds, res, how)
}

// repeatBatch makes the batch again that a run was part of, for a simulator
// does the same again only if all of the launch is the same. The directories
// of the other runs lie in that of the run.
func (r *Record) repeatBatch(ctx context.Context, runner batchRunner, dir RunDir, p *gen.Program) (sim.Result, error) {
	own := -1
	var jobs []sim.Job
	for i, number := range r.Batch {
		other := *r
		other.Number = number
		program, place := p, dir
		if number == r.Number {
			own = i
		} else {
			var err error
			if program, err = r.Config.Program(r.Seed, number); err != nil {
				return sim.Result{}, err
			}
			place = RunDir(filepath.Join(string(dir), batchDir, pad(number)))
			if err := os.MkdirAll(string(place), 0o755); err != nil {
				return sim.Result{}, err
			}
		}
		job, err := other.job(place, program)
		if err != nil {
			return sim.Result{}, err
		}
		jobs = append(jobs, job)
	}
	if own < 0 {
		return sim.Result{}, fmt.Errorf("run %d is not in its batch %v", r.Number, r.Batch)
	}
	results, err := runner.RunBatch(ctx, jobs)
	if err != nil {
		return sim.Result{}, err
	}
	return results[own], nil
}

// aloneDir is the directory of a run made again, in that of the run.
const aloneDir = "alone"

// batchDir holds the other runs of a batch that is made again.
const batchDir = "batch"

// alone makes a run again that failed in a batch.
func alone(ctx context.Context, single *Single, run *Run, p *gen.Program, record *Record) (*Alone, error) {
	again := *record
	again.Batch = nil
	dir := RunDir(filepath.Join(string(run.Dir), aloneDir))
	came, err := single.Run(ctx, dir, p, &again)
	if err != nil {
		return nil, err
	}
	if err := dir.Finish(came); err != nil {
		return nil, err
	}
	return &Alone{Outcome: came.Outcome, Title: came.Title, Recurs: came.Same(&run.Judgement)}, nil
}
