package engine

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Engine runs campaigns.
type Engine struct {
	// Dir is the campaign's directory. Run creates it; it must be empty.
	Dir string
	// Command is the command line, for the records.
	Command []string
	// Rerun is the command that repeats a run of the campaign file, without its
	// number; empty if there is no file.
	Rerun string
	// Shard is the part of the campaign that Run runs; Resume continues the
	// part that was begun. Budget and stop conditions hold for it alone.
	Shard config.Shard
	// Cores is how many cores of this machine the campaign uses; 0 means all.
	Cores int
	// OnResult is called with every run that is recorded, in the order of the
	// journal; nil means no callback. Calls of OnResult and Logf do not overlap.
	OnResult func(*summary.Summary, *journal.Entry)
	// Logf logs infrastructure errors and reductions; nil means no log.
	Logf func(format string, args ...any)
	// Runner returns the runner of a configuration; nil means
	// run.NewRunner for Run, and the Gate for Resume.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	// Gate decides which commands of a record Resume may execute; nil means
	// none.
	Gate *run.Gate
	// Extension is what Resume makes the campaign longer by.
	Extension config.Extension
	// Reduce reduces the first run of each finding if the campaign asks for
	// that; nil means no reductions.
	Reduce Reducer
	// Explore explores the machines of configurations that ask for it; nil means
	// that none may.
	Explore Explorer
	// Schedule returns the Schedule of a campaign that is an audit; nil means that none may be.
	Schedule func(*config.Campaign) (Schedule, error)
	// Explorable reports what keeps a configuration from being explored, before the
	// campaign begins; nil: that shows when its run begins.
	Explorable func(*config.Config) error
	_          struct{}
}

// Run runs a campaign until all runs have ended, the budget is spent, a stop
// condition is met, ctx is done or there were too many infrastructure errors.
// The summary has the runs that were recorded, whatever the error, and those that
// could not be recorded; that ctx is done is no error but Summary.Interrupted.
func (e *Engine) Run(ctx context.Context, c *config.Campaign) (*summary.Summary, error) {
	targets, err := e.targets(ctx, c)
	if err != nil {
		return e.summary(c, e.Shard, time.Now()), err
	}
	schedule, err := e.newSchedule(c)
	if err != nil {
		return e.summary(c, e.Shard, time.Now()), err
	}
	started := time.Now()
	w, err := journal.Create(e.Dir, c, journal.Header{
		Version: run.FormatVersion, Seed: c.Seed, Command: e.Command, Tools: toolVersions(targets), Started: started, Shard: e.Shard, Session: started,
	})
	if err != nil {
		return e.summary(c, e.Shard, started), err
	}
	for i := range targets {
		if err := run.KeepProtocol(e.Dir, targets[i].sim, targets[i].cfg); err != nil {
			return e.summary(c, e.Shard, started), errors.Join(err, w.Close())
		}
	}
	s := e.session(w, targets)
	s.schedule = schedule
	return s.sum, errors.Join(s.run(ctx), w.Close())
}

// Resume continues a campaign that was interrupted or killed, in Dir. Recorded
// runs, and finished runs that wait to be recorded, are not repeated; runs that
// were in flight are, and so are runs in quarantine and those with corrupt
// records. The summary is that of the whole campaign.
func (e *Engine) Resume(ctx context.Context) (*summary.Summary, error) {
	w, err := journal.Reopen(e.Dir)
	if err != nil {
		return nil, fmt.Errorf("resume campaign: %w", err)
	}
	var extended []byte // the text of its file
	if e.Extension != (config.Extension{}) {
		if extended, err = w.Extend(e.Extension); err != nil {
			return nil, errors.Join(fmt.Errorf("resume campaign: %w", err), w.Close())
		}
	}
	recorded := *e // whose commands are not ours
	targets, err := recorded.recorded(ctx, w.Campaign)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("resume campaign %s: %w", e.Dir, err), w.Close())
	}
	e = &recorded
	other := w.Header.UseTools(toolVersions(targets))
	if other != nil && (!w.Header.Ended() || extended != nil) {
		return nil, errors.Join(fmt.Errorf("resume campaign %s: %w", e.Dir, other), w.Close())
	}
	s, err := e.restore(w, targets, other)
	if err == nil && extended != nil {
		err = run.WriteFile(w.Path(journal.CampaignFile), extended, true)
	}
	if err != nil {
		err = fmt.Errorf("resume campaign %s: %w", e.Dir, err)
	} else {
		err = s.run(ctx)
	}
	return s.sum, errors.Join(err, w.Close())
}

// cores is how many cores the campaign may use.
func (e *Engine) cores() int { return cmp.Or(e.Cores, runtime.NumCPU()) }

// summary is the summary of a campaign without runs.
func (e *Engine) summary(c *config.Campaign, shard config.Shard, started time.Time) *summary.Summary {
	s := summary.New(c, e.Dir, shard, started)
	s.Rerun = e.Rerun
	if len(e.Command) > 0 {
		s.Argv0 = messages.Quoted(e.Command[0])
	}
	return s
}

// target is a configuration ready to execute.
type target struct {
	cfg      *config.Config
	sim      string
	executor run.Executor
	tools    map[string]string
}

// targets are those of all configurations.
func (e *Engine) targets(ctx context.Context, c *config.Campaign) ([]target, error) {
	limiter := run.NewCPULimiter(e.cores())
	var list []target
	for i := range c.Configs {
		t := target{cfg: &c.Configs[i], sim: c.SimOf(&c.Configs[i])}
		runner, err := e.newRunner(t.sim, t.cfg)
		if err != nil {
			return nil, err
		}
		if t.cfg.Explore != nil {
			if e.Explore == nil {
				return nil, fmt.Errorf("configuration %s: explore: nothing explores here", t.cfg.Name)
			}
			if e.Explorable != nil {
				if err := e.Explorable(t.cfg); err != nil {
					return nil, fmt.Errorf("configuration %s: explore: %w", t.cfg.Name, err)
				}
			}
		}
		models, err := t.cfg.Models()
		if err != nil {
			return nil, err
		}
		t.executor = run.Executor{Runner: runner, Check: checkOptions(c, models), Limiter: limiter, Timings: true}
		t.tools = run.ToolVersions(ctx, runner, t.cfg)
		list = append(list, t)
	}
	return list, nil
}

// recorded are the targets of a campaign that is resumed.
func (e *Engine) recorded(ctx context.Context, c *config.Campaign) ([]target, error) {
	if e.Runner == nil {
		gate := cmp.Or(e.Gate, &run.Gate{Dir: e.Dir})
		if err := gate.Campaign(c); err != nil {
			return nil, err
		}
		for i := range c.Configs {
			c.Configs[i] = gate.Apply(&c.Configs[i])
		}
		e.Runner = gate.NewRunner
	}
	return e.targets(ctx, c)
}

func (e *Engine) newRunner(name string, c *config.Config) (sim.Runner, error) {
	if e.Runner != nil {
		return e.Runner(name, c)
	}
	return run.NewRunner(name, c)
}
