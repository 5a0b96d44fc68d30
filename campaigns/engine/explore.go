package engine

import (
	"context"
	"path/filepath"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/gen"
)

// Explorer explores the machine of a run, on one core; workers is how many runs
// share the memory. If ctx ends or the process is killed, what it leaves in dir lets a
// later call go on. The error is of a machine that cannot be explored, or ctx's.
type Explorer func(ctx context.Context, spec *run.Spec, workers int, dir string) (Explored, error)

// Explored is an exploration that has ended.
type Explored interface {
	// Program is what a simulation would run to come near what was found.
	Program() *gen.Program
	// Run is the exploration as a run of a configuration that expects a model.
	Run(expect string) *run.Evaluation
	// Write writes the files of the exploration into the directory of the run.
	Write(dir string) error
}

// explore visits the states of a configuration.
func (s *session) explore(ctx context.Context, t *target, x *execution) error {
	release, err := t.executor.Limiter.Acquire(ctx, 1)
	if err != nil {
		return err
	}
	defer release()
	dir := filepath.Join(s.journal.Path(journal.ExplorationsDir), run.Name(x.Number))
	if x.explored, err = s.Explore(ctx, x.spec, checks(s.c), dir); err != nil {
		return err
	}
	x.program = x.explored.Program()
	x.spec.SetProgram(x.program)
	return x.evaluated(x.explored.Run(t.cfg.Expect), nil)
}
