package reduction

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/gen/background"
	"ordeal/gen/reduce"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

// Settings race: many are tried together in a launch, those that fail again beside
// fresh ones, those that go on failing as copies of the few rounds that are wanted, and
// the best of these alone, under seeds of their own.
const (
	// perLaunch settings are tried in a launch, as starting gem5 takes as long as some
	// of them, and trialRounds rounds of each.
	perLaunch   = 12
	trialRounds = 5
	// promising of the settings that fail are tried again in each launch, as often as
	// repeats, beside fresh ones.
	promising = 2
	repeats   = 2
	// A setting that has been tried for triedRounds is copied if few rounds of it fail
	// with a chance of copiedChance, see likely.
	triedRounds  = 25
	copiedChance = 0.6
	// mostDrawn bounds the settings that are tried, mostCopied those that are copied,
	// mostAlone those that are run alone, of which leftAlone are the best when the search
	// has to end. That is after a searchShare-th of the time that the reduction has.
	mostDrawn   = 480
	mostCopied  = 12
	mostAlone   = 4
	leftAlone   = 2
	searchShare = 2
)

// aroundRunner is a simulator that runs several jobs in one launch, each with a
// background of its own.
type aroundRunner interface {
	RunAround(ctx context.Context, jobs []sim.Job, around []background.Options) ([]sim.Result, error)
}

// race looks for the setting of which few rounds fail under most seeds: one that
// fails under quorumKept of quorumSeeds, or the best one when the bounds are
// reached; nil if none fails under quorumLeast.
func (s *reducer) race(ctx context.Context, shapes []*gen.Program) (*setting, error) {
	likely, err := s.reproducing(ctx, shapes)
	if err != nil {
		return nil, err
	}
	if len(likely) > 0 {
		shapes = likely
	}
	r := &race{reducer: s, shapes: shapes, threads: max(len(s.program.Threads), surroundThreads), end: s.o.Time / searchShare}
	for _, shape := range shapes {
		r.threads = max(r.threads, len(shape.Threads)+1)
	}
	if err := ignoreBudget(r.run(ctx)); err != nil {
		return nil, err
	}
	best := r.best()
	if best == nil || best.hits < quorumLeast {
		return nil, nil
	}
	return best, nil
}

// race is a search under way.
type race struct {
	*reducer
	shapes  []*gen.Program
	threads int
	end     time.Duration // since the reduction began; 0: none
	drawn   int
	pool    []*setting // that failed, the most likely first
	copies  []*setting // that were copied, and not run alone
	counted []*setting // that were run alone
	all     int        // that were copied
}

// best is the setting that failed under most seeds alone; nil if none was run.
func (r *race) best() *setting {
	if len(r.counted) == 0 {
		return nil
	}
	return slices.MaxFunc(r.counted, func(a, b *setting) int { return cmp.Compare(a.hits, b.hits) })
}

func (r *race) run(ctx context.Context) error {
	for len(r.counted) < mostAlone && r.all < mostCopied && (r.end == 0 || time.Since(r.started) < r.end) {
		again := r.pool[:min(len(r.pool), promising)]
		fresh := min((perLaunch-repeats*len(again))*r.width(), mostDrawn-r.drawn)
		if fresh <= 0 {
			break
		}
		if err := r.heat(ctx, fresh, again); err != nil {
			return err
		}
		if done, err := r.promote(ctx); done || err != nil {
			return err
		}
	}
	// What is left of the time is for the most likely ones.
	for len(r.copies)+len(r.counted) < leftAlone && len(r.pool) > 0 {
		if err := r.copy(ctx); err != nil {
			return err
		}
	}
	for range min(leftAlone, len(r.copies)) {
		if done, err := r.alone(ctx); done || err != nil {
			return err
		}
	}
	return nil
}

// heat tries fresh settings, and some of the pool again.
func (r *race) heat(ctx context.Context, fresh int, again []*setting) error {
	list := settings(r.shapes, r.threads, r.drawn, fresh)
	r.drawn += fresh
	tried := slices.Clone(list)
	for range repeats * r.width() {
		tried = append(tried, again...)
	}
	if err := r.together(ctx, tried, trialRounds); err != nil {
		return err
	}
	r.pool = append(r.pool, slices.DeleteFunc(list, func(t *setting) bool { return t.violated == 0 })...)
	slices.SortStableFunc(r.pool, func(a, b *setting) int { return cmp.Compare(b.likely(), a.likely()) })
	return nil
}

// promote copies the settings of the pool that are likely to fail, and runs those
// alone that do. It reports whether the search can end.
func (r *race) promote(ctx context.Context) (bool, error) {
	for len(r.pool) > 0 && r.pool[0].rounds >= triedRounds && r.pool[0].likely() >= copiedChance {
		if err := r.copy(ctx); err != nil {
			return false, err
		}
	}
	for len(r.copies) > 0 && r.copies[0].copied >= copiesKept {
		if done, err := r.alone(ctx); done || err != nil {
			return done, err
		}
	}
	return false, nil
}

// copy runs copies of the first setting of the pool.
func (r *race) copy(ctx context.Context) (err error) {
	t := r.pool[0]
	c := t.candidate()
	if t.copied, err = r.copied(ctx, &c, t.around); err != nil {
		return err
	}
	r.pool, r.copies, r.all = r.pool[1:], append(r.copies, t), r.all+1
	slices.SortStableFunc(r.copies, func(a, b *setting) int { return cmp.Compare(b.copied, a.copied) })
	return nil
}

// alone runs the first of the copied settings alone with quorumSeeds seeds, and
// reports whether the search can end with it.
func (r *race) alone(ctx context.Context) (bool, error) {
	t := r.copies[0]
	r.copies = r.copies[1:]
	cfg := t.config(&r.spec.Config)
	c := t.candidate()
	cfg.Rounds = c.Rounds
	runner, err := r.o.Runner(r.spec.Sim, &cfg)
	if err != nil {
		return false, err
	}
	least := quorumLeast
	if best := r.best(); best != nil {
		least = max(least, best.hits+1)
	}
	if t.hits, t.seed, err = r.count(ctx, runner, &c, least); err != nil {
		return false, err
	}
	r.counted = append(r.counted, t)
	return t.hits >= quorumKept, nil
}

// likely is the chance that a candidate of the setting fails, from the share of the
// rounds that did: half a round more in two more, as few of them say little.
func (t *setting) likely() float64 {
	share := (float64(t.violated) + 0.5) / (float64(t.rounds) + 2)
	c := t.candidate()
	return 1 - math.Pow(1-share, float64(c.Rounds))
}

// together tries settings for so many rounds, perLaunch in a launch.
func (s *reducer) together(ctx context.Context, list []*setting, rounds int) error {
	each := min((len(list)+s.width()-1)/s.width(), perLaunch)
	if s.spent((len(list) + each - 1) / each) {
		return reduce.ErrBudget
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(s.width())
	violated := make([]int, len(list))
	for at := 0; at < len(list); at += each {
		some, counts := list[at:min(at+each, len(list))], violated[at:]
		seed := s.best + freshSeeds + s.next
		s.next++
		group.Go(func() error { return s.launch(ctx, some, rounds, seed, counts) })
	}
	if err := group.Wait(); err != nil {
		return err
	}
	for i, t := range list {
		t.violated, t.rounds = t.violated+violated[i], t.rounds+rounds
	}
	return nil
}

// launch tries settings in one launch and counts the rounds of each that failed.
func (s *reducer) launch(ctx context.Context, list []*setting, rounds int, seed uint64, violated []int) error {
	cfg := list[0].config(&s.spec.Config)
	cfg.Rounds = rounds
	runner, err := s.o.Runner(s.spec.Sim, &cfg)
	if err != nil {
		return err
	}
	jobs, around := make([]sim.Job, len(list)), make([]background.Options, len(list))
	for i, t := range list {
		dir, remove, err := scratch.Make("reduce")
		if err != nil {
			return err
		}
		defer remove()
		jobs[i] = sim.Job{Program: t.shape, Rounds: rounds, Seed: seed, Timeout: time.Duration(s.spec.Timeout), Dir: dir}
		around[i] = t.around
	}
	results, err := runner.(aroundRunner).RunAround(ctx, jobs, around)
	if err != nil {
		return err
	}
	for i := range results {
		res, err := execute.Evaluate(ctx, jobs[i].Program, rounds, &results[i], s.check)
		if err != nil {
			return err
		}
		if !s.same(res) {
			continue
		}
		if violated[i], err = s.violatedRounds(ctx, jobs[i].Program, res); err != nil {
			return err
		}
	}
	return nil
}

// violatedRounds counts the rounds in which a failed run violates the model: those of
// the last operation of a refutation. The loads of such a round are left out until
// the model allows the rest.
func (s *reducer) violatedRounds(ctx context.Context, p *gen.Program, res *rundir.Result) (int, error) {
	h, v, m := res.History, res.Verdicts[0], res.Models[0]
	origins := parse.NewOrigins(p, h)
	rounds := make([]int, len(h.Ops)) // of each operation of h
	for id := range rounds {
		rounds[id] = origins.Of(parse.OpID(id)).Round
	}
	counted := map[int]bool{}
	for {
		if v.Refutation == nil {
			return max(len(counted), 1), nil
		}
		_, _, events := witness.Restrict(m.View(h), v.Refutation)
		last := -1
		for _, id := range m.Events(h).Ops(events) {
			last = max(last, rounds[id])
		}
		if counted[last] { // by its stores
			return len(counted), nil
		}
		counted[last] = true
		var kept []parse.OpID
		var left []int
		for id := range h.Ops {
			if op := &h.Ops[id]; rounds[id] != last || !op.Reads() || op.Writes() {
				kept, left = append(kept, parse.OpID(id)), append(left, rounds[id])
			}
		}
		h, _ = h.Select(kept)
		rounds = left
		var err error
		if v, err = check.Check(ctx, h, m, s.check.Options); err != nil || v.Answer != check.Forbidden {
			return len(counted), err
		}
	}
}
