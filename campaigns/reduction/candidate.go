package reduction

import (
	"context"
	"fmt"
	"os"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/gen/reduce"
	"ordeal/sim"
)

// size is a size of the machine that a reduction may change.
type size struct {
	reduce.Size
	get func(m *config.Machine) int
	set func(m *config.Machine, v int)
}

// sizesOf lists the sizes of the machine that a run was made on; hardware has
// none.
func sizesOf(r *rundir.Spec) []size {
	if r.Sim != config.SimBuiltin {
		return nil
	}
	m := &r.Config.Machine
	var list []size
	add := func(name string, set bool, field func(m *config.Machine) *int, values ...int) {
		if set {
			list = append(list, size{
				reduce.Size{Name: name, Values: values},
				func(m *config.Machine) int { return *field(m) }, func(m *config.Machine, v int) { *field(m) = v },
			})
		}
	}
	// What is not said is small already.
	add("cores", m.Cores > 0, func(m *config.Machine) *int { return &m.Cores }, 0)
	add("dirs", m.Dirs > 0, func(m *config.Machine) *int { return &m.Dirs }, 0)
	add("l2-banks", m.L2Banks > 0, func(m *config.Machine) *int { return &m.L2Banks }, 0)
	add("store-buffer", m.StoreBuffer > 0, func(m *config.Machine) *int { return &m.StoreBuffer }, 1, 2, 4, 8)
	add("window", m.Window > 0, func(m *config.Machine) *int { return &m.Window }, 2, 4, 8, 16)
	for _, c := range []struct {
		name  string
		field func(m *config.Machine) *string
	}{
		{"private-cache", func(m *config.Machine) *string { return &m.PrivateCache }},
		{"shared-cache", func(m *config.Machine) *string { return &m.SharedCache }},
	} {
		if given := *c.field(m); given != "" { // as it is, or small
			list = append(list, size{
				reduce.Size{Name: c.name, Values: []int{0}},
				func(m *config.Machine) int { return len(*c.field(m)) },
				func(m *config.Machine, v int) { *c.field(m) = given[:min(v, len(given))] },
			})
		}
	}
	return list
}

// config is the configuration of a candidate's runs.
func (s *shrinker) config(c *reduce.Candidate) config.Config {
	cfg := s.record.Config
	cfg.Runs, cfg.Rounds = 1, c.Rounds
	cfg.Programs.Threads, cfg.Programs.Locations = len(c.Program.Threads), len(c.Program.Locations)
	for i, v := range c.Sizes {
		s.sizes[i].set(&cfg.Machine, v)
	}
	return cfg
}

// runner makes the runner of a candidate, one for each set of sizes.
func (s *shrinker) runner(c *reduce.Candidate) (sim.Runner, error) {
	key := fmt.Sprint(c.Sizes)
	if r := s.runners[key]; r != nil {
		return r, nil
	}
	cfg := s.config(c)
	r, err := s.o.Runner(s.record.Sim, &cfg)
	if err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
	}
	s.runners[key] = r
	return r, nil
}

// once runs and judges a candidate, in a directory that does not stay.
func (s *shrinker) once(
	ctx context.Context, runner sim.Runner, c *reduce.Candidate, seed uint64, judging execute.CheckOptions,
) (*rundir.Result, error) {
	job := sim.Job{Program: c.Program, Rounds: c.Rounds, Seed: seed, Timeout: time.Duration(s.record.Timeout)}
	if s.record.Sim != config.SimBuiltin { // which leaves no files
		dir, err := os.MkdirTemp("", "ordeal-reduce-")
		if err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
		job.Dir = dir
	}
	res, err := runner.Run(ctx, job)
	if err != nil {
		return nil, err
	}
	return execute.Evaluate(ctx, c.Program, c.Rounds, &res, judging)
}

// result repeats the run of the best candidate, judged by all models, and
// sees how reliably it fails.
func (s *shrinker) result(ctx context.Context, reduced *reduce.Result) (*Result, error) {
	best := &reduced.Best
	r := &Result{
		Identity: s.identity, Program: best.Program, Record: *s.record,
		Before: s.program.Ops() * s.record.Config.Rounds, After: best.Ops(),
		Candidates: reduced.Tried, Runs: s.runs, Minimal: reduced.Minimal, Elapsed: time.Since(s.started),
	}
	r.Record.Campaign, r.Record.Seed, r.Record.Number, r.Record.Batch = "", s.best, 0, nil
	r.Record.Config = s.config(best)
	runner, err := s.runner(best)
	if err != nil {
		return nil, err
	}
	all := s.judging
	if all.Models, err = s.record.Config.Models(); err != nil {
		return nil, err
	}
	if err := s.repeat(context.WithoutCancel(ctx), runner, best, all, r); err != nil {
		return nil, err
	}
	start := time.Now()
	for ; r.Tries < reliabilityTries && time.Since(start) < reliabilityTime; r.Tries++ {
		came, err := s.once(ctx, runner, best, s.best+uint64(r.Tries), s.judging)
		if ctx.Err() != nil {
			break
		} else if err != nil {
			return nil, err
		}
		if s.same(came) {
			r.Hits++
		}
	}
	return r, nil
}

// repeat makes the failing run of the result once more; on a target that is
// not deterministic that takes several tries.
func (s *shrinker) repeat(ctx context.Context, runner sim.Runner, best *reduce.Candidate, all execute.CheckOptions, r *Result) error {
	for range s.repeats(best) {
		came, err := s.once(ctx, runner, best, s.best, all)
		if err != nil {
			return err
		}
		if r.Case == nil || s.same(came) {
			r.Case = came
		}
		if s.same(came) {
			return nil
		}
	}
	return nil
}
