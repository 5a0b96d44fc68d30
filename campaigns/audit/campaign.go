package audit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/run"
)

// keptRuns is how many run directories of a finding stay: the first and the best.
const keptRuns = 2

// Campaign is the campaign that audits a protocol: a configuration for each engine.
func Campaign(o Options) *config.Campaign {
	c := config.Defaults()
	c.Name, c.Seed, c.Sim = "audit", o.Seed, config.SimBuiltin
	c.KeepPerFinding, c.AnyLatency = keptRuns, true
	c.Timeout, c.CheckTimeout = config.Duration(runTime), config.Duration(checkTime)
	c.Audit = &config.Audit{Steps: o.Steps, CPU: config.Duration(o.CPU), Title: o.Title}
	for _, e := range Engines() {
		if cfg := config.DefaultConfig(); o.has(e) {
			cfg.Name, cfg.Classify = string(e), nil
			cfg.Machine = o.Machine
			c.Configs = append(c.Configs, cfg)
		}
	}
	return &c
}

// Schedule draws the runs of an audit, which a campaign executes and records.
type Schedule struct {
	session *session
	c       *config.Campaign
	drawn   attempt
	out     *outcome // of drawn; nil: not executed in this session
}

// NewSchedule returns the Schedule of a campaign. The error says what keeps its protocol from
// being simulated, with file and line.
func NewSchedule(c *config.Campaign, onTurn func(*Report)) (*Schedule, error) {
	if len(c.Configs) == 0 || c.Audit == nil {
		return nil, errors.New("audit: want an audit, with a configuration for each engine")
	}
	if c.Sim != config.SimBuiltin || c.Total > 0 {
		return nil, fmt.Errorf("audit: want sim: %s, and no number of runs", config.SimBuiltin)
	}
	if c.Audit.Steps == 0 && c.Audit.CPU == 0 && c.Budget == 0 {
		return nil, errors.New("audit: want a budget: steps, cpu-time, or that of the campaign")
	}
	m := &c.Configs[0].Machine
	o := Options{
		Machine: m.OfProtocol(), Seed: c.Seed, Steps: c.Audit.Steps, CPU: time.Duration(c.Audit.CPU),
		Title: c.Audit.Title, OnTurn: onTurn,
	}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		names, err := ParseEngines([]string{cfg.Name})
		switch {
		case err != nil:
			return nil, fmt.Errorf("configuration %s: %w", cfg.Name, err)
		case !reflect.DeepEqual(cfg.Machine, o.Machine) || cfg.Explore != nil || cfg.Bug != nil:
			return nil, fmt.Errorf("configuration %s: an audit draws its machines: want the same protocol and mutant in each configuration, and no other option", cfg.Name)
		}
		o.Engines = append(o.Engines, names...)
	}
	if o.Title != "" {
		o.Stop = func(f *Finding) bool { return diagnose.Matches(o.Title, f.Title) }
	}
	s, err := newSession(o)
	if err != nil {
		return nil, err
	}
	return &Schedule{session: s, c: c}, nil
}

// Next draws the next run.
func (s *Schedule) Next() (*engine.Draw, error) {
	var err error
	s.drawn, err = s.session.next()
	s.out = nil
	if s.drawn == nil || err != nil {
		return nil, err
	}
	d := &engine.Draw{Run: s.run}
	for s.c.Configs[d.Config].Name != string(s.session.turn.work.Engine) {
		d.Config++
	}
	return d, nil
}

func (s *Schedule) run(ctx context.Context) (*engine.Drawn, error) {
	out, err := s.session.run(ctx, s.drawn)
	if err != nil {
		return nil, err
	}
	s.out = out
	d := &engine.Drawn{Config: out.config, Seed: out.seed, Program: out.program, Result: out.result, Record: out.Drawn}
	if x := out.explored; x != nil {
		x.Spec.Started, x.Spec.Tools = time.Now(), run.ExplorationVersions(&x.Spec.Machine)
		d.Explored = x
	}
	return d, nil
}

// Began reports whether a run was drawn.
func (s *Schedule) Began() bool { return s.drawn != nil }

// Add takes in the outcome of the run that was drawn last.
func (s *Schedule) Add(e *journal.Entry) error {
	out := s.out
	switch {
	case e.Drawn == nil: // it could not be executed
		out = &outcome{result: &run.Evaluation{Result: e.Result, Coverage: e.Coverage}}
	case out == nil:
		var err error
		if out, err = s.drawn.restore(e); err != nil {
			return err
		}
		s.session.spent = s.session.o.Clock()
	}
	s.session.add(s.drawn, out)
	return nil
}

// restored is the outcome that an earlier session recorded.
func restored(e *journal.Entry) *outcome {
	out := &outcome{Drawn: *e.Drawn, result: &run.Evaluation{Result: e.Result, Coverage: e.Coverage}}
	if e.Failed() {
		out.finding = &Finding{Title: e.FindingTitle(), Failure: e.Failure.Failure, Outcome: e.Outcome.String(), Detail: e.Detail, Conditions: e.Drawn.Conditions, Needs: e.Drawn.Needs}
		if t := e.Timing; t != nil {
			out.finding.Tries, out.finding.Faithful = t.Seeds, t.Same
		}
	}
	return out
}

// Report completes the report of an audit with the directories of the campaign's findings. The error is of a
// directory that cannot be read.
func (s *Schedule) Report(sum *summary.Summary) (*Report, error) {
	r := s.session.finish()
	if r.Limit == "" {
		r.Limit = LimitInterrupted
	}
	var errs []error
	for _, f := range r.Findings {
		for i := range sum.Findings {
			if found := &sum.Findings[i]; found.Title == f.Title && found.Outcome.String() == f.Outcome {
				f.Dir = cmp.Or(found.Best, &summary.Reproducer{Dir: found.Dir}).Dir
				errs = append(errs, f.read(run.Dir(f.Dir)))
				break
			}
		}
	}
	return r, errors.Join(errs...)
}

// read takes in the machine and the program of a run directory.
func (f *Finding) read(dir run.Dir) error {
	spec, err := dir.Spec()
	if err != nil {
		return err
	}
	p, err := dir.Program(spec)
	if err != nil {
		return err
	}
	f.Machine, f.Explore = spec.Config.Machine, spec.Config.Explore
	if f.Explore == nil {
		f.Program, f.Rounds, f.Seed = string(p.Text()), spec.Config.Rounds, spec.SimSeed()
		return nil
	}
	r, err := exploration.ReadResult(string(dir))
	if err == nil && len(r.Findings) > 0 {
		f.Path, f.Detail = r.Findings[0].Steps, r.Findings[0].Property.String()+": "+r.Findings[0].Detail
	}
	return err
}

// config is the configuration of a run on a machine.
func (s *session) config(m config.Machine) config.Config {
	cfg := config.DefaultConfig()
	cfg.Name, cfg.Machine, cfg.Classify, cfg.Expect = "audit", m, nil, m.Promise()
	return cfg
}
