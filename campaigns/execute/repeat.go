package execute

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ordeal/campaigns/rundir"
	"ordeal/gen"
	"ordeal/sim"
)

// batchRunner is a simulator that runs several jobs in one launch, and tells
// the result of each.
type BatchRunner interface {
	RunBatch(ctx context.Context, jobs []sim.Job) ([]sim.Result, error)
}

// repeatBatch makes the batch again that a run was part of, for a simulator
// does the same again only if all of the launch is the same. The directories
// of the other runs lie in that of the run.
func repeatBatch(ctx context.Context, r *rundir.Spec, runner BatchRunner, dir rundir.Dir, p *gen.Program) (sim.Result, error) {
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
			place = rundir.Dir(filepath.Join(string(dir), BatchDir, rundir.Pad(number)))
			if err := os.MkdirAll(string(place), 0o755); err != nil {
				return sim.Result{}, err
			}
		}
		job, err := other.Job(place, program)
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

// batchDir holds the other runs of a batch that is made again.
const BatchDir = "batch"
