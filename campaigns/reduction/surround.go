package reduction

import (
	"context"
	"errors"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/gen/background"
	"ordeal/gen/reduce"
	"ordeal/sim"
)

// Few operations rarely fail on gem5: what breaks needs caches and a protocol that
// are busy. These are the steps of the search for a background with which they do.
const (
	// Of few rounds of a setting, copies of which run in two launches, copiesKept have to
	// fail, and alone they have to under quorumKept of quorumSeeds seeds. Then they are
	// reduced: a candidate has to fail as copies in the same way, and alone under
	// quorumAgain of quorumSeeds further seeds, since among many candidates some fail by
	// chance. What fails under fewer, but quorumLeast, is the result as it is: with less
	// of it fewer would.
	quorumSeeds = 9
	quorumLeast = 2
	quorumKept  = 7
	quorumAgain = 6
	copies      = 2 * perLaunch
	copiesKept  = copies * 3 / 4
	// keptRuns bounds the launches of these candidates.
	keptRuns = 200
	// searchRuns and searchTime are the least budgets with which such a search is
	// begun.
	searchRuns = 40
	searchTime = 2 * time.Minute
	// freshSeeds is how far apart the seeds of a search and those that measure its
	// result are.
	freshSeeds = 1 << 20
)

// surround looks for operations of the witness of a violation, and a background
// (see package background) with which a few rounds of them fail under most seeds.
// These are reduced then in place of whole, and true is the answer. Where there are
// none, nothing changes.
func (s *reducer) surround(ctx context.Context, whole *reduce.Candidate) (bool, error) {
	if s.spec.Sim != config.SimGem5 || s.identity.Model == "" || s.spec.Config.Background > 0 || whole.Ops() <= surroundedOps {
		return false, nil
	}
	if s.o.Runs > 0 && s.o.Runs < searchRuns || s.o.Time > 0 && s.o.Time < searchTime {
		return false, nil
	}
	if runner, err := s.runner(whole); err != nil {
		return false, err
	} else if _, ok := runner.(aroundRunner); !ok {
		return false, nil
	}
	recorded, err := s.recorded(ctx)
	if err != nil {
		return false, err
	}
	shapes, err := s.shapes(ctx, recorded)
	if err != nil || len(shapes) == 0 {
		return false, err
	}
	chosen, err := s.race(ctx, shapes)
	if err != nil || chosen == nil {
		return false, err
	}
	s.seed = chosen.seed
	s.spec.Config, s.chosen, s.until = chosen.config(&s.spec.Config), chosen, s.runs
	if chosen.hits >= quorumKept {
		s.until += keptRuns
	}
	clear(s.runners)
	*whole = chosen.candidate()
	s.onBest(whole)
	return true, nil
}

// recorded is the recorded run with its history, checked by the model to keep, which
// a search needs no launch for. It has none where its log is not there.
func (s *reducer) recorded(ctx context.Context) (*rundir.Result, error) {
	log, err := s.dir.Log()
	if err != nil {
		return &rundir.Result{}, nil
	}
	return execute.Evaluate(ctx, s.program, s.spec.Config.Rounds, &sim.Result{Outcome: sim.Passed, Log: log}, s.check)
}

func ignoreBudget(err error) error {
	if errors.Is(err, reduce.ErrBudget) {
		return nil
	}
	return err
}

// count runs a candidate with quorumSeeds seeds that no candidate was run with, and
// counts those with which it fails. It stops where they cannot be least any more.
func (s *reducer) count(ctx context.Context, runner sim.Runner, c *reduce.Candidate, least int) (hits int, seed uint64, err error) {
	seeds := s.best + freshSeeds + s.next
	s.next += quorumSeeds
	width := s.width()
	for i := 0; i < quorumSeeds; i += width {
		n := min(width, quorumSeeds-i)
		if s.spent(n) {
			return 0, 0, reduce.ErrBudget
		}
		failed, err := s.each(ctx, runner, c, seeds+uint64(i), n)
		if err != nil {
			return 0, 0, err
		}
		for k, f := range failed {
			if f && hits == 0 {
				seed = seeds + uint64(i+k)
			}
			if f {
				hits++
			}
		}
		if hits+quorumSeeds-i-n < least {
			break
		}
	}
	return hits, seed, nil
}

// each runs a candidate with n seeds at a time and reports which fail.
func (s *reducer) each(ctx context.Context, runner sim.Runner, c *reduce.Candidate, seed uint64, n int) ([]bool, error) {
	failed := make([]bool, n)
	group, ctx := errgroup.WithContext(ctx)
	for k := range n {
		group.Go(func() error {
			res, err := s.once(ctx, runner, c, seed+uint64(k), s.check)
			failed[k] = err == nil && s.same(res)
			return err
		})
	}
	return failed, group.Wait()
}

// copied is how many copies of a candidate fail with a background.
func (s *reducer) copied(ctx context.Context, c *reduce.Candidate, around background.Options) (hits int, err error) {
	list := make([]*setting, copies)
	for k := range list {
		list[k] = &setting{shape: c.Program, around: around}
	}
	err = s.together(ctx, list, c.Rounds)
	for _, t := range list {
		hits += min(t.violated, 1)
	}
	return hits, err
}

// most reports whether a candidate fails with most of the seeds it is run with,
// where a background has been found.
func (s *reducer) most(ctx context.Context, c *reduce.Candidate) (bool, error) {
	if c.Program == s.chosen.shape { // it was counted
		return true, nil
	}
	if s.runs >= s.until {
		return false, reduce.ErrBudget
	}
	if hits, err := s.copied(ctx, c, s.chosen.around); err != nil || hits < copiesKept {
		return false, err
	}
	runner, err := s.runner(c)
	if err != nil {
		return false, err
	}
	hits, seed, err := s.count(ctx, runner, c, quorumAgain)
	if err != nil || hits < quorumAgain {
		return false, err
	}
	s.seed = seed
	return true, nil
}
