package audit

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
)

// Record makes a run directory for each finding of a run that has none, by making
// the run again: DIR/finding-1 and so on, for repro, reduce and check. Command is
// the command line.
func (r *Report) Record(ctx context.Context, dir string, command []string) error {
	for i, f := range r.Findings {
		if f.Dir != "" || f.Explore != nil {
			continue
		}
		at := filepath.Join(dir, fmt.Sprintf("finding-%d", i+1))
		if err := f.record(ctx, run.Dir(at), command); err != nil {
			return fmt.Errorf("record %q: %w", f.Title, err)
		}
		f.Dir = at
	}
	return nil
}

func (f *Finding) record(ctx context.Context, dir run.Dir, command []string) error {
	p, err := gen.Parse("finding", []byte(f.Program))
	if err != nil {
		return err
	}
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Runs, cfg.Machine, cfg.Rounds, cfg.Classify = "audit", 1, f.Machine, f.Rounds, nil
	cfg.Threads, cfg.Layout, cfg.Locations = p.Cores(), p.Layout, len(p.Locations)
	cfg.Expect = f.Machine.Promise()
	on, err := run.NewRunner(config.SimBuiltin, &cfg)
	if err != nil {
		return err
	}
	models, err := cfg.Models()
	if err != nil {
		return err
	}
	spec := &run.Spec{
		Seed: f.Seed, Sim: config.SimBuiltin, Config: cfg, Timeout: config.Duration(runTime), Command: command,
		Tools: run.ToolVersions(ctx, on, &cfg), Started: time.Now(),
	}
	spec.SetProgram(p)
	x := run.Executor{Runner: on, Check: run.CheckOptions{Models: models, Options: check.Options{Timeout: checkTime}, Workers: 1}, Timings: f.Tries == 0}
	res, err := x.Run(ctx, dir, p, spec)
	if err != nil {
		return err
	}
	if f.Outcome == "" {
		f.Outcome, f.Detail = res.Outcome.String(), res.Detail
	}
	if f.Tries > 0 { // the audit has repeated it
		res.Timing = &run.Timing{Seeds: f.Tries, Same: f.Faithful}
	} else if res.Timing != nil {
		f.Tries, f.Faithful = res.Timing.Seeds, res.Timing.Same
	}
	return dir.Finish(res)
}
