package papers

import (
	"context"
	"fmt"
	"runtime"
	"time"

	"golang.org/x/sync/errgroup"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

// runTimeout bounds one run of a simulator, in wall-clock time.
const runTimeout = 10 * time.Minute

// source makes the histories of a campaign's configurations: run number n is
// that of "ordeal campaign run" and "ordeal repro".
type source struct {
	campaign *config.Campaign
	runs     [][]int // configuration → the numbers of its runs
}

func newSource(c *config.Campaign) *source {
	s := &source{campaign: c, runs: make([][]int, len(c.Configs))}
	for number, config := range c.Schedule() {
		s.runs[config] = append(s.runs[config], number)
	}
	return s
}

// run is a history and where it comes from.
type sample struct {
	config *config.Config
	number int
	// history has neither a store order nor final values: the papers' problem
	// is to do without.
	history *parse.History
}

// make makes runs first to end-1 of a configuration, several at a time. Rounds
// is how often programs are executed. Runs that left no history, as those of a
// injected bug may, are missing; any other that did is an error.
func (s *source) make(ctx context.Context, config, first, end, rounds int) ([]sample, error) {
	cfg := &s.campaign.Configs[config]
	runner, err := run.NewRunner(s.campaign.SimOf(cfg), cfg)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", cfg.Name, err)
	}
	end = min(end, len(s.runs[config]))
	all := make([]sample, max(end-first, 0))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.NumCPU())
	for i := range all {
		group.Go(func() error {
			all[i] = sample{config: cfg, number: s.runs[config][first+i]}
			return s.simulate(ctx, runner, &all[i], rounds)
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	made := all[:0]
	for _, r := range all {
		if r.history != nil {
			made = append(made, r)
		}
	}
	return made, nil
}

func (s *source) simulate(ctx context.Context, runner sim.Runner, r *sample, rounds int) error {
	p, err := r.config.Programs.Program(s.campaign.Seed, r.number)
	if err != nil {
		return fmt.Errorf("%s: run %d: %w", r.config.Name, r.number, err)
	}
	dir, remove, err := scratch.Make("papers")
	if err != nil {
		return err
	}
	defer remove()
	job := sim.Job{Program: p, Rounds: rounds, Seed: s.campaign.Seed + uint64(r.number), Dir: dir, Timeout: runTimeout}
	res, err := sim.Complete(ctx, runner, job)
	if err != nil {
		return fmt.Errorf("%s: run %d: %w", r.config.Name, r.number, err)
	}
	if res.Outcome == sim.Passed {
		if r.history, err = parse.Native(p, rounds, res.Log); err == nil {
			r.history.StoreOrder, r.history.Final = nil, nil
			return nil
		}
		r.history = nil
		res.Outcome, res.Detail = sim.Corrupt, err.Error()
	}
	if r.config.Bug != nil {
		return nil
	}
	return fmt.Errorf("%s: run %d: %s %s", r.config.Name, r.number, res.Outcome.Titled(res.Title), res.Detail)
}

// configName says which configuration and run a message is about.
func configName(r *sample) string { return fmt.Sprintf("%s, run %d", r.config.Name, r.number) }
