package reduction

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/sim"
)

// Few operations rarely fail on gem5: what breaks needs caches and a protocol that
// are busy. These are the steps of the search for a background with which they do.
const (
	// drawn settings are tried with one seed each, mostDraws times as many where few
	// of them fail, and no more where better of them do, looked at after each drawStep;
	// better of them with betterSeeds more, best of these with bestSeeds more.
	drawn       = 32
	mostDraws   = 2
	drawStep    = 4
	better      = 4
	betterSeeds = 1
	best        = 2
	bestSeeds   = 2
	// The best are run with quorumSeeds further seeds each, of which quorumLeast have
	// to fail; below quorumEnough, programs of many rounds are looked for, too. If quorumKept do, they are reduced: a candidate is run with as many, of
	// which as many have to fail, and if they do with as many again, of which quorumAgain
	// have to, since among many candidates some fail by chance. What fails under fewer
	// stays as it is: with less of it fewer would.
	quorumSeeds  = 9
	quorumLeast  = 2
	quorumEnough = 5
	quorumKept   = 7
	quorumAgain  = 6
	// keptRuns bounds the runs of these candidates.
	keptRuns = 200
	// searchRuns and searchTime are the least budgets with which such a search is
	// begun: it takes some minutes on two processors.
	searchRuns = 2*drawn + better*betterSeeds + best*(bestSeeds+quorumSeeds)
	searchTime = 5 * time.Minute
	// vainShare is the part of the time after which a search without any failure ends,
	// so that the rest is left for many rounds and for reducing the whole program: a
	// quarter, or half where vainDraws settings take longer on a busy machine.
	vainShare = 4
	vainDraws = 16
	// freshSeeds is how far apart the seeds of a search and those that measure its
	// result are.
	freshSeeds = 1 << 20
)

// surround looks for a small program that fails under most seeds: operations of the
// witness of a violation with a background (see package background), few rounds of
// them, or else many rounds of such or other few operations (see manyRounds). It is
// reduced then in place of whole, and true is the answer. Where there is none, nothing
// changes.
func (s *reducer) surround(ctx context.Context, whole *reduce.Candidate, first *run.Evaluation) (bool, error) {
	if s.spec.Sim != config.SimGem5 || s.spec.Config.Agent != "" || s.identity.Model == "" || s.spec.Config.Background > 0 || whole.Ops() <= surroundedOps {
		return false, nil
	}
	if s.o.Runs > 0 && s.o.Runs < searchRuns || s.o.Time > 0 && s.o.Time < searchTime {
		return false, nil
	}
	shapes, err := s.shapes(ctx, first)
	if err != nil {
		return false, err
	}
	chosen, hits := (*setting)(nil), quorumLeast-1
	for _, looks := range []func(context.Context, []*gen.Program) ([]*setting, error){s.looks, s.manyRounds} {
		list, err := looks(ctx, shapes)
		for i := 0; i < len(list) && err == nil; i++ {
			n, seed := 0, uint64(0)
			if n, seed, err = s.failing(ctx, list[i], hits); err == nil && n > hits {
				chosen, hits, s.seed = list[i], n, seed
			}
		}
		if err := ignoreBudget(err); err != nil {
			return false, err
		}
		if hits >= quorumEnough {
			break
		}
	}
	if chosen == nil {
		return false, nil
	}
	s.spec.Config, s.sure, s.until = chosen.config(&s.spec.Config), chosen.shape, s.runs
	if hits >= quorumKept {
		s.until += keptRuns
	}
	clear(s.runners)
	*whole, s.rounds = chosen.candidate(), chosen.repeats
	s.onBest(whole)
	return true, nil
}

// looks draws settings with a background and returns the best of them, the best first.
func (s *reducer) looks(ctx context.Context, shapes []*gen.Program) ([]*setting, error) {
	if len(shapes) == 0 {
		return nil, nil
	}
	likely, err := s.reproducing(ctx, shapes)
	if err != nil {
		return nil, err
	}
	var list []*setting
	for draw := 0; draw < mostDraws && len(list) < best; draw++ {
		from := shapes
		if draw == 0 && len(likely) > 0 {
			from = likely
		}
		more, err := s.some(ctx, settings(from, max(len(s.program.Threads), surroundThreads), draw), s.vain)
		if err != nil {
			return nil, err
		}
		if list = append(list, more...); len(list) == 0 && s.passed(vainShare) {
			return nil, nil
		}
	}
	return s.bestOf(ctx, list)
}

// passed reports whether a part of the time is over.
func (s *reducer) passed(share time.Duration) bool {
	return s.o.Time > 0 && time.Since(s.started) > s.o.Time/share
}

// vain reports whether so many settings without any failure are enough.
func (s *reducer) vain(tried int) bool {
	return s.passed(vainShare) && (tried >= vainDraws || s.passed(vainShare/2))
}

// some tries settings, a few at a time, until better of them have failed, or none has and
// that is enough. It returns those that did.
func (s *reducer) some(ctx context.Context, all []*setting, vain func(tried int) bool) (list []*setting, err error) {
	tried := 0
	for fresh := range slices.Chunk(all, drawStep) {
		tried += len(fresh)
		if err := s.try(ctx, fresh, 1); err != nil {
			return nil, err
		}
		list = append(list, fresh...)
		list = slices.DeleteFunc(list, func(t *setting) bool { return t.violations == 0 })
		if len(list) >= better || len(list) == 0 && vain(tried) {
			break
		}
	}
	return list, nil
}

// bestOf tries settings with further seeds, and returns the best of them, the best first.
func (s *reducer) bestOf(ctx context.Context, list []*setting) ([]*setting, error) {
	for _, look := range []struct{ settings, seeds int }{{better, betterSeeds}, {best, bestSeeds}} {
		slices.SortStableFunc(list, func(a, b *setting) int { return cmp.Compare(b.rate(), a.rate()) })
		list = list[:min(look.settings, len(list))]
		if err := s.try(ctx, list, look.seeds); err != nil {
			return nil, err
		}
	}
	slices.SortStableFunc(list, func(a, b *setting) int { return cmp.Compare(b.rate(), a.rate()) })
	return list, nil
}

func ignoreBudget(err error) error {
	if errors.Is(err, reduce.ErrBudget) {
		return nil
	}
	return err
}

// try runs trials of settings with further seeds.
func (s *reducer) try(ctx context.Context, list []*setting, seeds int) error {
	if s.spent(len(list) * seeds) {
		return reduce.ErrBudget
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.width())
	for _, t := range list {
		cfg := t.config(&s.spec.Config)
		cfg.Rounds = t.rounds()
		runner, err := s.o.Runner(s.spec.Sim, &cfg)
		if err != nil {
			return err
		}
		c := reduce.Candidate{Program: t.shape, Rounds: cfg.Rounds}
		from := t.runs
		t.runs += seeds
		counts := make([]int, seeds)
		for k := range seeds {
			seed := s.best + uint64(from+k)
			group.Go(func() error {
				res, err := s.once(ctx, runner, &c, seed, s.check)
				if err == nil && s.same(res) {
					counts[k], err = s.violations(ctx, res)
				}
				t.add(counts[k])
				return err
			})
		}
	}
	return group.Wait()
}

// failing counts the seeds under which the rounds of a setting fail, and names the
// first one. It stops where they cannot be more than least.
func (s *reducer) failing(ctx context.Context, t *setting, least int) (hits int, seed uint64, err error) {
	cfg := t.config(&s.spec.Config)
	c := t.candidate()
	cfg.Rounds = c.Rounds
	runner, err := s.o.Runner(s.spec.Sim, &cfg)
	if err != nil {
		return 0, 0, err
	}
	return s.count(ctx, runner, &c, least+1)
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

// most reports whether a candidate fails with most of the seeds it is run with, where a
// setting has been found.
func (s *reducer) most(ctx context.Context, c *reduce.Candidate) (bool, error) {
	if c.Program == s.sure { // it was counted
		return true, nil
	}
	if c.Rounds < s.rounds {
		return false, nil
	}
	if s.runs >= s.until {
		return false, reduce.ErrBudget
	}
	runner, err := s.runner(c)
	if err != nil {
		return false, err
	}
	for _, least := range []int{quorumKept, quorumAgain} {
		hits, seed, err := s.count(ctx, runner, c, least)
		if err != nil || hits < least {
			return false, err
		}
		s.seed = seed
	}
	return true, nil
}
