package reduction

import (
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen/reduce"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

const (
	// batchLeast is the least number of tries of a candidate for which a launch
	// of all of them pays.
	batchLeast = 4
	// staggerIterations is the bound of the delays that make seeds matter on
	// gem5: some accesses to memory.
	staggerIterations = 256
	// staggerTries is how many seeds are tried to have the recorded failure with
	// these delays.
	staggerTries = 4
)

// seedless reports that another seed changes nothing: gem5 draws random numbers
// for randomization only, and the delays of executables are from the seed. Cores of the
// tester with a store buffer draw from it.
func (s *reducer) seedless() bool {
	c := &s.spec.Config
	draws := c.Randomization || c.Stagger != 0 || c.Agent != "" && c.Agent != "inorder"
	return s.spec.Sim == config.SimGem5 && !draws
}

// stagger has the rounds of the threads begin after delays that are drawn from the
// seed, if seeds change nothing otherwise and the program fails with them, too. What
// fails at one alignment of its threads only then fails under other seeds as well,
// and no operations have to stay for the sake of that alignment. It returns the run
// of the program, which first is so far.
func (s *reducer) stagger(ctx context.Context, whole *reduce.Candidate, first *run.Evaluation) (*run.Evaluation, error) {
	if !s.seedless() {
		return first, nil
	}
	s.spec.Config.Stagger = staggerIterations
	clear(s.runners)
	for seed := s.best; seed < s.best+staggerTries; seed++ {
		res, hit, err := s.run(ctx, whole, seed)
		switch {
		case errors.Is(err, reduce.ErrBudget):
		case err != nil:
			return nil, err
		case hit:
			s.seed, s.best = seed, seed
			return res, nil
		}
	}
	s.spec.Config.Stagger = 0
	clear(s.runners)
	return first, nil
}

// batch runs a candidate by itself with the seed of the best one and, beside it,
// many times in one launch, on a simulator that takes seconds to start. It is sure
// that the candidate fails if the former does, and takes it for one that does not
// if neither does; otherwise a seed has to be found.
func (s *reducer) batch(ctx context.Context, c *reduce.Candidate, tries int) (hit, sure bool, err error) {
	runner, err := s.runner(c)
	if err != nil {
		return false, false, err
	}
	batches, ok := runner.(run.BatchRunner)
	if !ok {
		return false, false, nil
	}
	if s.spent(2) {
		return false, false, reduce.ErrBudget
	}
	var alone, together bool
	group, ctx := errgroup.WithContext(ctx)
	group.Go(func() error {
		res, err := s.once(ctx, runner, c, s.best, s.check)
		alone = err == nil && s.same(res)
		return err
	})
	group.Go(func() (err error) {
		together, err = s.anyOf(ctx, batches, c, tries)
		return err
	})
	if err := group.Wait(); err != nil {
		return false, false, err
	}
	if alone {
		s.seed = s.best
	}
	return alone, alone || !together, nil
}

// anyOf reports whether one of n copies of a candidate in one launch fails, or the
// launch does not say.
func (s *reducer) anyOf(ctx context.Context, runner run.BatchRunner, c *reduce.Candidate, n int) (bool, error) {
	jobs := make([]sim.Job, n)
	for i := range jobs {
		dir, remove, err := scratch.Make("reduce")
		if err != nil {
			return false, err
		}
		defer remove()
		jobs[i] = sim.Job{Program: c.Program, Rounds: c.Rounds, Seed: s.best + 1, Timeout: time.Duration(s.spec.Timeout), Dir: dir}
	}
	results, err := runner.RunBatch(ctx, jobs)
	if err != nil {
		return false, err
	}
	if slices.ContainsFunc(results, func(r sim.Result) bool { return r.Outcome == sim.Infra }) {
		return true, nil
	}
	for i := range results {
		res, err := run.Evaluate(ctx, c.Program, c.Rounds, &results[i], s.check)
		if err != nil || s.same(res) {
			return err == nil, err
		}
	}
	return false, nil
}
