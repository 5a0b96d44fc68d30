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

// runBatch makes runs in one launch. One that fails is made again alone.
func (r *running) runBatch(ctx context.Context, runner batchRunner, numbers []int, config int) error {
	b := &batch{running: r, config: config}
	if err := b.prepare(ctx, numbers); err != nil {
		return err
	}
	if len(b.jobs) == 0 {
		return nil
	}
	var results []sim.Result
	err := guarded(func() (err error) {
		results, err = r.launchBatch(ctx, runner, b.records[0], b.jobs)
		return err
	})
	for i, run := range b.runs {
		failed := err
		if failed == nil {
			failed = guarded(func() error { return b.judge(ctx, i, &results[i]) })
		}
		if failed = r.ended(ctx, run, b.records[i], failed); failed != nil {
			return failed
		}
	}
	return nil
}

// batch is the runs of one launch.
type batch struct {
	*running
	config  int
	runs    []*Run
	records []*Record
	jobs    []sim.Job
}

// prepare draws the programs and makes the directories. A run that cannot be
// prepared is not part of the batch.
func (b *batch) prepare(ctx context.Context, numbers []int) error {
	cfg := &b.c.Configs[b.config]
	for _, number := range numbers {
		dir, record := b.record(number, b.config)
		run := &Run{Number: number, Config: cfg, Dir: dir}
		err := guarded(func() error {
			p, err := b.program(ctx, cfg, number)
			if err != nil {
				return err
			}
			record.Batch = numbers
			if err := dir.Create(p, record); err != nil {
				return err
			}
			job, err := record.job(dir, p)
			if err == nil {
				b.jobs = append(b.jobs, job)
			}
			return err
		})
		if err != nil {
			if err := b.ended(ctx, run, record, err); err != nil {
				return err
			}
			continue
		}
		b.runs, b.records = append(b.runs, run), append(b.records, record)
	}
	return nil
}

// judge judges a run of the batch.
func (b *batch) judge(ctx context.Context, i int, res *sim.Result) error {
	run, record, p := b.runs[i], b.records[i], b.jobs[i].Program
	models, err := run.Config.Models()
	if err != nil {
		return err
	}
	single := b.single(b.config, models)
	if run.Case, err = b.judgeResult(ctx, p, run.Config.Rounds, res, single.Judging); err != nil {
		return err
	}
	if run.Finding() {
		run.Alone, err = alone(ctx, &single, run, p, record)
	}
	return err
}

func (r *running) launchBatch(ctx context.Context, runner batchRunner, record *Record, jobs []sim.Job) ([]sim.Result, error) {
	done, err := r.gate.run(ctx, coresOf(record.Sim, jobs[0].Program))
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
