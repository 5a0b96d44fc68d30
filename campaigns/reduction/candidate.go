package reduction

import (
	"context"
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/gen/reduce"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

// size is a size of the machine that a reduction may change.
type size struct {
	reduce.Size
	get func(m *config.Machine) int
	set func(m *config.Machine, v int)
}

// sizesOf lists the sizes of the machine of a run; hardware has none.
func sizesOf(r *run.Spec) []size {
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
	// Sizes that are not set are small already.
	add("cores", m.Cores > 0, func(m *config.Machine) *int { return &m.Cores }, 0)
	add("dirs", m.Dirs > 0, func(m *config.Machine) *int { return &m.Dirs }, 0)
	add("l2-cores", m.L2Cores > 1, func(m *config.Machine) *int { return &m.L2Cores }, 0)
	add("device-threads", m.DeviceThreads > 1, func(m *config.Machine) *int { return &m.DeviceThreads }, 0)
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
func (s *reducer) config(c *reduce.Candidate) config.Config {
	cfg := s.spec.Config
	cfg.Runs, cfg.Rounds = 1, c.Rounds
	cfg.Programs.Threads, cfg.Programs.Locations = c.Program.Cores(), len(c.Program.Locations)
	for i, v := range c.Sizes {
		s.sizes[i].set(&cfg.Machine, v)
	}
	return cfg
}

// runner returns the runner of a candidate, one for each set of sizes.
func (s *reducer) runner(c *reduce.Candidate) (sim.Runner, error) {
	key := fmt.Sprint(c.Sizes)
	if r := s.runners[key]; r != nil {
		return r, nil
	}
	cfg := s.config(c)
	r, err := s.o.Runner(s.spec.Sim, &cfg)
	if err != nil {
		return nil, fmt.Errorf("reduce: %w", err)
	}
	s.runners[key] = r
	return r, nil
}

// once executes and checks a run of a candidate, in a temporary directory.
func (s *reducer) once(
	ctx context.Context, runner sim.Runner, c *reduce.Candidate, seed uint64, o run.CheckOptions,
) (*run.Evaluation, error) {
	job := sim.Job{Program: c.Program, Rounds: c.Rounds, Seed: seed, Timeout: time.Duration(s.spec.Timeout)}
	if run.LeavesFiles(s.spec.Sim) {
		dir, remove, err := scratch.Make("reduce")
		if err != nil {
			return nil, err
		}
		defer remove()
		job.Dir = dir
	}
	res, err := sim.Complete(ctx, runner, job)
	if err != nil {
		return nil, err
	}
	return run.Evaluate(ctx, c.Program, c.Rounds, &res, o)
}

// result repeats the run of the best candidate, checks it by all models, and
// measures how reliably it fails.
func (s *reducer) result(ctx context.Context, reduced *reduce.Result) (*Result, error) {
	best := &reduced.Best
	r := &Result{
		Identity: s.identity, Program: best.Program, Spec: *s.spec,
		Candidates: reduced.Tried, Runs: s.runs, Reduction: run.Reduction{
			Before: s.program.Ops() * s.spec.Config.Rounds, After: best.Ops(), Threads: len(best.Program.Threads), Rounds: best.Rounds,
			Minimal: reduced.Minimal, Elapsed: time.Since(s.started),
		},
	}
	r.Spec.Campaign, r.Spec.Seed, r.Spec.Number, r.Spec.Batch = "", s.best, 0, nil
	r.Spec.Config = s.config(best)
	runner, err := s.runner(best)
	if err != nil {
		return nil, err
	}
	all := s.check
	if all.Models, err = s.spec.Config.Models(); err != nil {
		return nil, err
	}
	if err := s.repeat(context.WithoutCancel(ctx), runner, best, all, r); err != nil {
		return nil, err
	}
	most := reliabilityTries
	if s.seedless() {
		most = 1
	}
	start := time.Now()
	for width := s.width(); r.Tries < most && (r.Tries < reliabilityLeast || time.Since(start) < reliabilityTime); {
		failed, err := s.each(ctx, runner, best, s.best+s.next+uint64(r.Tries)+1, min(width, most-r.Tries))
		if ctx.Err() != nil {
			break
		} else if err != nil {
			return nil, err
		}
		for _, f := range failed {
			r.Tries++
			if f {
				r.Hits++
			}
		}
	}
	return r, nil
}

// repeat repeats the failing run of the result; on hardware, which is not
// deterministic, in several tries.
func (s *reducer) repeat(ctx context.Context, runner sim.Runner, best *reduce.Candidate, all run.CheckOptions, r *Result) error {
	for range s.repeats(best) {
		res, err := s.once(ctx, runner, best, s.best, all)
		if err != nil {
			return err
		}
		if r.Run == nil || s.same(res) {
			r.Run = res
		}
		if s.same(res) {
			return nil
		}
	}
	return nil
}
