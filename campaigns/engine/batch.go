package engine

import (
	"context"
	"path/filepath"

	"ordeal/campaigns/execute"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/gen"
	"ordeal/sim"
)

// runBatch makes runs in one launch. One that fails is made again alone.
func (r *session) runBatch(ctx context.Context, runner execute.BatchRunner, numbers []int, config int) error {
	b := &batch{session: r, config: config}
	if err := b.prepare(ctx, numbers); err != nil {
		return err
	}
	if len(b.jobs) == 0 {
		return nil
	}
	var results []sim.Result
	err := execute.Guarded(func() (err error) {
		results, err = r.launchBatch(ctx, runner, b.records[0], b.jobs)
		return err
	})
	for i, run := range b.runs {
		failed := err
		if failed == nil {
			failed = execute.Guarded(func() error { return b.judge(ctx, i, &results[i]) })
		}
		if failed = r.ended(ctx, run, b.records[i], failed); failed != nil {
			return failed
		}
	}
	return nil
}

// batch is the runs of one launch.
type batch struct {
	*session
	config  int
	runs    []*journal.Run
	records []*rundir.Spec
	jobs    []sim.Job
}

// prepare draws the programs and makes the directories. A run that cannot be
// prepared is not part of the batch.
func (b *batch) prepare(ctx context.Context, numbers []int) error {
	cfg := &b.c.Configs[b.config]
	for _, number := range numbers {
		dir, record := b.record(number, b.config)
		run := &journal.Run{Number: number, Config: cfg, Dir: dir}
		err := execute.Guarded(func() error {
			p, err := b.program(ctx, cfg, number)
			if err != nil {
				return err
			}
			record.Batch = numbers
			if err := dir.Create(p, record); err != nil {
				return err
			}
			job, err := record.Job(dir, p)
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
	single := b.executor(b.config, models)
	if run.Case, err = b.judgeResult(ctx, p, run.Config.Rounds, res, single.Judging); err != nil {
		return err
	}
	if run.Finding() {
		run.Alone, err = alone(ctx, &single, run, p, record)
	}
	return err
}

func (r *session) launchBatch(ctx context.Context, runner execute.BatchRunner, record *rundir.Spec, jobs []sim.Job) ([]sim.Result, error) {
	done, err := r.gate.Run(ctx, execute.CoresOf(record.Sim, jobs[0].Program))
	if err != nil {
		return nil, err
	}
	defer done()
	return runner.RunBatch(ctx, jobs)
}

func (r *session) judgeResult(ctx context.Context, p *gen.Program, rounds int, res *sim.Result, how execute.CheckOptions) (*rundir.Case, error) {
	done, err := r.gate.Judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return execute.Evaluate(ctx, p, rounds, res, how)
}

// aloneDir is the directory of a run made again, in that of the run.
const aloneDir = "alone"

// alone makes a run again that failed in a batch.
func alone(ctx context.Context, single *execute.Executor, run *journal.Run, p *gen.Program, record *rundir.Spec) (*rundir.Alone, error) {
	again := *record
	again.Batch = nil
	dir := rundir.Dir(filepath.Join(string(run.Dir), aloneDir))
	came, err := single.Run(ctx, dir, p, &again)
	if err != nil {
		return nil, err
	}
	if err := dir.Finish(came); err != nil {
		return nil, err
	}
	return &rundir.Alone{Outcome: came.Outcome, Title: came.Title, Recurs: came.Same(&run.Result)}, nil
}
