package campaigns

import (
	"context"
	"path/filepath"
	"time"

	"ordeal/gen"
	"ordeal/sim"
)

// Single makes one run: it writes the record to dir, runs, judges and writes
// what came of it. With gate, the simulator and the judge take their turns.
type Single struct {
	Runner  sim.Runner
	Judging Judging
	Gate    *Gate // nil: nobody else is running
	_       struct{}
}

// Run makes the run that record describes. The error is ctx's, or one of
// writing the run directory or of a job that cannot be run at all.
func (s *Single) Run(ctx context.Context, dir RunDir, p *gen.Program, record *Record) (*Case, error) {
	if err := dir.Create(p, record); err != nil {
		return nil, err
	}
	res, err := s.simulate(ctx, dir, p, record)
	if err != nil {
		return nil, err
	}
	done, err := s.Gate.judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return Judge(ctx, p, record.Config.Rounds, &res, s.Judging)
}

func (s *Single) simulate(ctx context.Context, dir RunDir, p *gen.Program, record *Record) (sim.Result, error) {
	done, err := s.Gate.run(ctx, coresOf(record.Sim, p))
	if err != nil {
		return sim.Result{}, err
	}
	defer done()
	if runner, ok := s.Runner.(batchRunner); ok && len(record.Batch) > 1 {
		return record.repeatBatch(ctx, runner, dir, p)
	}
	job, err := record.job(dir, p)
	if err != nil {
		return sim.Result{}, err
	}
	return s.Runner.Run(ctx, job)
}

// job is what a simulator is told of a run.
func (r *Record) job(dir RunDir, p *gen.Program) (sim.Job, error) {
	// The simulator works in the directory, so the path must not depend on
	// where this process works.
	abs, err := filepath.Abs(string(dir))
	return sim.Job{
		Program: p, Rounds: r.Config.Rounds, Seed: r.Seed + uint64(r.Number),
		Dir: abs, Timeout: time.Duration(r.Timeout), Memory: int64(r.Memory), LogSize: int64(r.LogSize),
	}, err
}
