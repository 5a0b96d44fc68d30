// Package reduction makes the program of a failing run small, by running ever
// smaller programs that still fail in the same way; see package reduce.
package reduction

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/check/minimal"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/sim"
)

// Options steer Reduce.
type Options struct {
	// Model is the model whose violation is looked for; empty means whatever
	// the recorded run failed with.
	Model string
	// Effort bounds how often a candidate is run, each time under another
	// seed: until it has done that many operations. 0 means DefaultEffort.
	Effort int
	// MaxTries bounds the same in runs; 0 means DefaultTries, or Gem5Tries on
	// gem5, which takes seconds to start.
	MaxTries int
	// Runs and Time bound the whole reduction; 0 means no bound.
	Runs int
	Time time.Duration
	// CheckTimeout bounds the judging of one run; 0 means a minute.
	CheckTimeout time.Duration
	// Watch is told of progress; nil: nobody is.
	Watch func(Progress)
	// Runner makes the runner; nil means campaigns.NewRunner.
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// Defaults of Options.
const (
	DefaultEffort = 20_000
	DefaultTries  = 200
	Gem5Tries     = 12
)

// Progress is how far a reduction is.
type Progress struct {
	Ops, Threads, Rounds int // of the best program so far
	Runs                 int
}

// Result is what came of a reduction.
type Result struct {
	// Identity is what every candidate had to do: the outcome, the title and
	// the model that forbids the history, if one does.
	Identity Identity
	Program  *gen.Program
	Record   rundir.Spec    // that makes the failing run of Program
	Case     *rundir.Result // that run, judged by the models of the record
	// Before and After are operations, rounds counted.
	Before, After int
	// Candidates were tried in Runs runs.
	Candidates, Runs int
	Elapsed          time.Duration
	// Minimal says that no part of the program can be left out as far as the
	// tries tell; otherwise the budget or an interrupt ended the reduction.
	Minimal bool
	// Hits of Tries runs of the result under other seeds failed in the same
	// way.
	Hits, Tries int
	minimal     *minimal.Result // of the history, made when it is needed
	_           struct{}
}

// Identity is what makes two failures the same.
type Identity struct {
	Outcome sim.Outcome
	Title   string
	Model   string // that forbids the history; empty if none has to
}

// String says in a line what failed.
func (i Identity) String() string {
	if i.Model != "" && i.Outcome == sim.Passed {
		return "history forbidden by " + i.Model
	}
	return i.Outcome.String() + ": " + i.Title
}

// reliabilityTries is how often the result is run to see how reliably it
// fails, unless that takes longer than reliabilityTime or ctx ends.
const (
	reliabilityTries = 100
	reliabilityTime  = 20 * time.Second
)

// Reduce reduces the failing run recorded in dir, which it only reads. Where ctx
// ends before the reduction does, the result is the best program so far.
func Reduce(ctx context.Context, dir rundir.Dir, o Options) (*Result, error) {
	s := &shrinker{o: o.withDefaults(), started: time.Now()}
	if err := s.load(dir); err != nil {
		return nil, err
	}
	whole := reduce.Candidate{Program: s.program, Rounds: s.record.Config.Rounds}
	first, err := s.first(ctx, &whole)
	if err != nil {
		return nil, err
	}
	ro := reduce.Options{Fails: s.fails, OnBest: s.watch, Hints: hints(s.program, s.record.Config.Rounds, first)}
	for _, size := range s.sizes {
		ro.Sizes = append(ro.Sizes, size.Size)
		whole.Sizes = append(whole.Sizes, size.get(&s.record.Config.Machine))
	}
	reduced, err := reduce.Run(ctx, whole, ro)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return s.result(ctx, &reduced)
}

func (o Options) withDefaults() Options {
	if o.Effort == 0 {
		o.Effort = DefaultEffort
	}
	if o.CheckTimeout == 0 {
		o.CheckTimeout = time.Minute
	}
	if o.Runner == nil {
		o.Runner = execute.NewRunner
	}
	return o
}

// shrinker is a reduction under way.
type shrinker struct {
	o        Options
	started  time.Time
	program  *gen.Program
	record   *rundir.Spec
	identity Identity
	judging  execute.CheckOptions
	runners  map[string]sim.Runner
	sizes    []size
	runs     int
	// seed made the last candidate that failed fail, best is that of the
	// best one.
	seed, best uint64
}

// load reads the run and says what its failure is.
func (s *shrinker) load(dir rundir.Dir) error {
	var err error
	if s.record, err = dir.Spec(); err != nil {
		return err
	}
	if s.program, err = dir.Program(s.record); err != nil {
		return err
	}
	recorded, err := dir.Result()
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("reduce %s: the recorded run did not end: there is no failure to keep", dir)
	} else if err != nil {
		return err
	}
	if s.o.MaxTries == 0 {
		s.o.MaxTries = DefaultTries
		if s.record.Sim == config.SimGem5 {
			s.o.MaxTries = Gem5Tries
		}
	}
	s.best = s.record.Seed + uint64(s.record.Number)
	s.runners = map[string]sim.Runner{}
	s.sizes = sizesOf(s.record)
	if s.judging.Models, err = s.record.Config.Models(); err != nil {
		return fmt.Errorf("reduce %s: %w", dir, err)
	}
	s.judging.Options = check.Options{Timeout: s.o.CheckTimeout}
	return s.identify(dir, recorded)
}

// identify chooses what every candidate has to do.
func (s *shrinker) identify(dir rundir.Dir, recorded *rundir.Result) error {
	s.identity = Identity{Outcome: recorded.Outcome, Title: recorded.Title}
	name := s.o.Model
	if name == "" {
		if recorded.Outcome == sim.Passed {
			return fmt.Errorf("reduce %s: the run passed: there is no failure to keep (--model names a model whose violation to keep)", dir)
		}
		if !recorded.Failed() {
			return fmt.Errorf("reduce %s: the run could not be made (%s): there is no failure to keep", dir, recorded.Outcome)
		}
		if recorded.Outcome != sim.Violation || !recorded.Answered(s.record.Config.Expect, check.Forbidden) {
			return nil
		}
		name = s.record.Config.Expect
	}
	if !recorded.Answered(name, check.Forbidden) {
		return fmt.Errorf("reduce %s: model %s does not forbid the recorded history", dir, name)
	}
	s.identity.Model = name
	models, err := config.ParseModels(name)
	if err != nil {
		return err
	}
	s.judging.Models = models // one is enough while candidates are tried
	if name != s.record.Config.Expect {
		s.identity.Outcome, s.identity.Title = sim.Passed, ""
	}
	return nil
}

// first repeats the recorded run.
func (s *shrinker) first(ctx context.Context, whole *reduce.Candidate) (*rundir.Result, error) {
	for range s.repeats(whole) {
		came, hit, err := s.run(ctx, whole, s.best)
		if err != nil {
			return nil, err
		}
		if hit {
			s.seed = s.best
			return came, nil
		}
		if came.Outcome == sim.Infra {
			return nil, fmt.Errorf("reduce: the recorded run cannot be made again: %s: %s", came.Title, came.Detail)
		}
	}
	return nil, fmt.Errorf("reduce: the recorded run (%s) does not fail any more: nothing to reduce", s.identity)
}

// tries is how often to run a candidate.
func (s *shrinker) tries(c *reduce.Candidate) int {
	return min(max(s.o.Effort/max(c.Ops(), 1), 2), s.o.MaxTries)
}

// repeats is how often to run a candidate under one seed: once where that
// always gives the same.
func (s *shrinker) repeats(c *reduce.Candidate) int {
	if s.record.Sim == config.SimHost {
		return s.tries(c)
	}
	return 1
}

// fails runs a candidate under several seeds, that of the best one so far
// first.
func (s *shrinker) fails(ctx context.Context, c *reduce.Candidate) (bool, error) {
	for i := range s.tries(c) {
		seed := s.best + uint64(i)
		_, hit, err := s.run(ctx, c, seed)
		if err != nil {
			return false, err
		}
		if hit {
			s.seed = seed
			return true, nil
		}
	}
	return false, nil
}

// run runs a candidate once and reports whether it fails in the right way.
func (s *shrinker) run(ctx context.Context, c *reduce.Candidate, seed uint64) (*rundir.Result, bool, error) {
	if s.o.Runs > 0 && s.runs >= s.o.Runs || s.o.Time > 0 && time.Since(s.started) > s.o.Time {
		return nil, false, reduce.ErrBudget
	}
	s.runs++
	runner, err := s.runner(c)
	if err != nil {
		return nil, false, err
	}
	came, err := s.once(ctx, runner, c, seed, s.judging)
	if err != nil {
		return nil, false, err
	}
	return came, s.same(came), nil
}

// same reports whether a run failed as the recorded one did.
func (s *shrinker) same(came *rundir.Result) bool {
	if s.identity.Model != "" && !came.Answered(s.identity.Model, check.Forbidden) {
		return false
	}
	if s.identity.Outcome == sim.Passed {
		return came.Outcome == sim.Passed || came.Outcome == sim.Violation
	}
	return came.Outcome == s.identity.Outcome && came.Title == s.identity.Title
}

// watch notes the seed of the best candidate.
func (s *shrinker) watch(best *reduce.Candidate) {
	s.best = s.seed
	if s.o.Watch != nil {
		s.o.Watch(Progress{Ops: best.Ops(), Threads: len(best.Program.Threads), Rounds: best.Rounds, Runs: s.runs})
	}
}

// Reducer returns the engine.Reducer for the run loop of campaigns. Command is the command
// line, for the record of the reduced run.
func Reducer(command []string) engine.Reducer {
	return func(ctx context.Context, job engine.ReduceJob) (*rundir.Reduction, error) {
		r, err := Reduce(ctx, job.Dir, Options{Time: job.Time, CheckTimeout: job.CheckTimeout, Runner: job.Runner})
		if err != nil {
			return nil, err
		}
		if err := r.Write(ctx, job.Out, command); err != nil {
			return nil, err
		}
		return &rundir.Reduction{
			Before: r.Before, After: r.After, Threads: len(r.Program.Threads), Rounds: r.Record.Config.Rounds,
			Hits: r.Hits, Tries: r.Tries, Minimal: r.Minimal, Elapsed: r.Elapsed,
		}, nil
	}
}
