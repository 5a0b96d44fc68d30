// Package rate measures how fast the configurations of a campaign test and how
// often they find what is wrong, under settings that are compared side by side.
package rate

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

// Setting is a campaign with options of its own.
type Setting struct {
	Name     string
	Campaign *config.Campaign
}

// Options are those of Measure.
type Options struct {
	// Settings are compared with the first. They have the same configurations.
	Settings []Setting
	// CPU is how much CPU time each configuration gets under each setting: a run
	// begins if less was spent.
	CPU time.Duration
	// Runner makes the runner of a configuration.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	// Clock is the CPU time spent so far, of simulators that have ended, too.
	Clock func() time.Duration
	// OnRun is called after each run; nil means no callback.
	OnRun func(*Cell)
	_     struct{}
}

// Cell is what a configuration did under a setting.
type Cell struct {
	Config     string        `json:"configuration"`
	Setting    string        `json:"setting"`
	Runs       int           `json:"runs"`
	Operations int           `json:"operations"`
	CPU        time.Duration `json:"cpu"` // nanoseconds, of simulation and check
	// Failed counts the runs that found something, Infra those that could not be
	// made.
	Failed int `json:"failed"`
	Infra  int `json:"infra"`
	// First is the CPU time until the end of the first run that failed; 0 if none did.
	First time.Duration `json:"first"`
}

// Rate is the number of operations for each second of CPU time.
func (c *Cell) Rate() float64 { return perSecond(float64(c.Operations), c.CPU) }

// Findings is the number of runs that failed for each minute of CPU time.
func (c *Cell) Findings() float64 { return 60 * perSecond(float64(c.Failed), c.CPU) }

func perSecond(n float64, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return n / d.Seconds()
}

// measured is a cell under way.
type measured struct {
	Cell
	spec     rundir.Spec
	executor execute.Executor
}

// Measure runs the configurations under each setting, one run at a time and taking
// turns, so that what else the machine does meets all alike. The runs of a
// configuration under all settings have the same programs and seeds. The cells are
// in the order of the configurations, those of a configuration in the order of the
// settings. Where ctx ends first, its error comes with what was measured.
func Measure(ctx context.Context, o Options) ([]Cell, error) {
	cells, err := o.cells()
	if err != nil {
		return nil, err
	}
	for left := true; left && err == nil; {
		left = false
		for _, m := range cells {
			if m.CPU >= o.CPU {
				continue
			}
			left = true
			if err = m.run(ctx, o.Clock); err != nil {
				break
			}
			if o.OnRun != nil {
				o.OnRun(&m.Cell)
			}
		}
	}
	list := make([]Cell, len(cells))
	for i, m := range cells {
		list[i] = m.Cell
	}
	return list, err
}

func (o *Options) cells() ([]*measured, error) {
	if len(o.Settings) == 0 {
		return nil, errors.New("no settings to compare")
	}
	var list []*measured
	for i := range o.Settings[0].Campaign.Configs {
		for _, s := range o.Settings {
			if len(s.Campaign.Configs) != len(o.Settings[0].Campaign.Configs) {
				return nil, fmt.Errorf("%s has %d configurations, %s %d", o.Settings[0].Name, len(o.Settings[0].Campaign.Configs), s.Name, len(s.Campaign.Configs))
			}
			cfg := &s.Campaign.Configs[i]
			if cfg.Explore != nil {
				return nil, fmt.Errorf("configuration %s explores: only programs are measured", cfg.Name)
			}
			models, err := cfg.Models()
			if err != nil {
				return nil, err
			}
			m := &measured{Cell: Cell{Config: cfg.Name, Setting: s.Name}}
			m.spec = rundir.Spec{Seed: s.Campaign.Seed, Sim: s.Campaign.SimOf(cfg), Config: *cfg, Timeout: s.Campaign.Timeout, Memory: s.Campaign.Memory, LogSize: s.Campaign.LogSize}
			m.executor.Check = execute.CheckOptions{Models: models, Options: check.Options{Timeout: time.Duration(s.Campaign.CheckTimeout)}}
			if m.executor.Runner, err = o.Runner(m.spec.Sim, cfg); err != nil {
				return nil, fmt.Errorf("configuration %s: %w", cfg.Name, err)
			}
			list = append(list, m)
		}
	}
	return list, nil
}

// run makes the next run.
func (m *measured) run(ctx context.Context, clock func() time.Duration) error {
	m.spec.Number = m.Runs
	p, err := m.spec.Config.Program(m.spec.Seed, m.Runs)
	if err != nil {
		return fmt.Errorf("configuration %s: run %d: %w", m.Config, m.Runs, err)
	}
	dir, remove, err := scratch.Make("rate")
	if err != nil {
		return err
	}
	defer remove()
	began := clock()
	res, err := m.executor.RunIn(ctx, rundir.Dir(dir), p, &m.spec)
	if err != nil {
		return fmt.Errorf("configuration %s: run %d: %w", m.Config, m.Runs, err)
	}
	m.Runs++
	m.CPU += max(clock()-began, 1) // so that it ends
	switch {
	case res.Outcome == sim.Infra:
		m.Infra++
		if m.Infra == m.Runs && m.Infra >= infraMost {
			return fmt.Errorf("configuration %s under %s: none of %d runs could be made: %s", m.Config, m.Setting, m.Runs, res.Title)
		}
		return nil
	case res.Failed():
		if m.Failed++; m.First == 0 {
			m.First = m.CPU
		}
	}
	m.Operations += p.Ops() * m.spec.Config.Rounds
	return nil
}

// infraMost is after how many runs that could not be made, and no other, a
// configuration is given up.
const infraMost = 3
