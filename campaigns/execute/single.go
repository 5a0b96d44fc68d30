package execute

import (
	"context"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
	"ordeal/gen"
	"ordeal/sim"
)

// Single makes one run: it writes the record to dir, runs, judges and writes
// what came of it. With gate, the simulator and the judge take their turns.
type Executor struct {
	Runner  sim.Runner
	Judging CheckOptions
	Gate    *CPULimiter // nil: nobody else is running
	_       struct{}
}

// Run makes the run that record describes. The error is ctx's, or one of
// writing the run directory or of a job that cannot be run at all.
func (s *Executor) Run(ctx context.Context, dir rundir.Dir, p *gen.Program, record *rundir.Spec) (*rundir.Case, error) {
	if err := dir.Create(p, record); err != nil {
		return nil, err
	}
	res, err := s.simulate(ctx, dir, p, record)
	if err != nil {
		return nil, err
	}
	done, err := s.Gate.Judge(ctx)
	if err != nil {
		return nil, err
	}
	defer done()
	return Evaluate(ctx, p, record.Config.Rounds, &res, s.Judging)
}

func (s *Executor) simulate(ctx context.Context, dir rundir.Dir, p *gen.Program, record *rundir.Spec) (sim.Result, error) {
	done, err := s.Gate.Run(ctx, CoresOf(record.Sim, p))
	if err != nil {
		return sim.Result{}, err
	}
	defer done()
	if runner, ok := s.Runner.(BatchRunner); ok && len(record.Batch) > 1 {
		return repeatBatch(ctx, record, runner, dir, p)
	}
	job, err := record.Job(dir, p)
	if err != nil {
		return sim.Result{}, err
	}
	return s.Runner.Run(ctx, job)
}

// coresOf is how many cores of this machine a run wants: one for each thread
// that runs on the processor, one for a simulator.
func CoresOf(simulator string, p *gen.Program) int {
	if simulator == config.SimBuiltin || simulator == config.SimGem5 {
		return 1
	}
	return len(p.Threads)
}
