// Package reduction reduces the program of a recorded failing run: it executes
// ever smaller programs that fail in the same way (see package gen/reduce), and
// writes the smallest as a run directory of its own. It also repeats recorded
// runs.
package reduction

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/parse"
	"ordeal/sim"
)

// Options are those of Reduce.
type Options struct {
	// Model is the model whose violation is kept; empty means the failure of
	// the recorded run.
	Model string
	// Effort bounds the operations of each candidate, which is run with one seed
	// after the other. 0 means DefaultEffort.
	Effort int
	// MaxTries bounds its runs; 0 means DefaultTries, or Gem5Tries on
	// gem5, which takes seconds to start.
	MaxTries int
	// Runs and Time bound the whole reduction; 0 means no bound.
	Runs int
	Time time.Duration
	// CheckTimeout bounds the checking of one run; 0 means a minute.
	CheckTimeout time.Duration
	// Workers is how many checks run at a time on this machine, those of the
	// reduction included, which share its memory; 0 means one for each processor.
	Workers int
	// OnProgress is called with each smaller program; nil means no callback.
	OnProgress func(Progress)
	// Gate makes the runner of the recorded configuration; nil means one that
	// refuses all commands. Runner is used in its place where it is not nil.
	Gate   *run.Gate
	Runner func(sim string, c *config.Config) (sim.Runner, error)
	_      struct{}
}

// Defaults of Options.
const (
	DefaultEffort = 20_000
	DefaultTries  = 200
	Gem5Tries     = 12
)

// Progress is the progress of a reduction.
type Progress struct {
	Ops, Threads, Rounds int // of the best program so far
	Runs                 int
}

// Result is the result of a reduction.
type Result struct {
	// Identity is the failure that every candidate must show.
	Identity Identity
	Program  *gen.Program
	Spec     run.Spec        // of the failing run of Program
	Run      *run.Evaluation // of that run, by all models of the recorded one
	run.Reduction
	// Candidates were tried in Runs runs.
	Candidates, Runs int
	_                struct{}
}

// Identity is what makes two failures the same.
type Identity struct {
	Outcome sim.Outcome
	Title   string
	Model   string // that forbids the history; empty if none has to
}

// String describes the failure in one line.
func (i Identity) String() string {
	if i.Model != "" && i.Outcome == sim.Passed {
		return "history forbidden by " + i.Model
	}
	return i.Outcome.Titled(messages.EscapeLine(i.Title))
}

// reliabilityTries is how often the result is run to measure how reliably it
// fails, unless that takes longer than reliabilityTime or ctx ends; but
// reliabilityLeast times in any case.
const (
	reliabilityTries = 100
	reliabilityTime  = 20 * time.Second
	reliabilityLeast = 9
)

// Reduce reduces the failing run recorded in dir, which it only reads. Where ctx
// ends first, the result is the best program so far.
func Reduce(ctx context.Context, dir run.Dir, o Options) (*Result, error) {
	s := &reducer{o: o.withDefaults(dir), started: time.Now()}
	if err := s.load(ctx, dir); err != nil {
		return nil, err
	}
	whole := reduce.Candidate{Program: s.program, Rounds: s.spec.Config.Rounds}
	runner, err := s.runner(&whole)
	if err != nil {
		return nil, err
	}
	var result *Result
	err = run.Hold(ctx, runner, func(ctx context.Context) (err error) {
		result, err = s.reduce(ctx, &whole)
		return err
	})
	return result, err
}

// reduce reduces what whole is.
func (s *reducer) reduce(ctx context.Context, whole *reduce.Candidate) (*Result, error) {
	first, err := s.first(ctx, whole)
	if err != nil {
		return nil, err
	}
	ro := reduce.Options{Fails: s.most, OnBest: s.onBest}
	surrounded, err := s.surround(ctx, whole, first)
	if err != nil {
		return nil, err
	}
	if !surrounded {
		if first, err = s.cut(ctx, whole, first); err != nil {
			return nil, err
		}
		if first, err = s.stagger(ctx, whole, first); err != nil {
			return nil, err
		}
		ro.Fails, ro.Hints = s.fails, hints(s.program, whole.Rounds, first)
	}
	for _, size := range s.sizes {
		ro.Sizes = append(ro.Sizes, size.Size)
		whole.Sizes = append(whole.Sizes, size.get(&s.spec.Config.Machine))
	}
	reduced, err := reduce.Run(ctx, *whole, ro)
	if err != nil && ctx.Err() == nil {
		return nil, err
	}
	return s.result(ctx, &reduced)
}

func (o Options) withDefaults(dir run.Dir) Options {
	if o.Effort == 0 {
		o.Effort = DefaultEffort
	}
	if o.CheckTimeout == 0 {
		o.CheckTimeout = time.Minute
	}
	o.Gate = cmp.Or(o.Gate, &run.Gate{Dir: string(dir)})
	if o.Runner == nil {
		o.Runner = o.Gate.NewRunner
	}
	return o
}

// reducer is a reduction under way.
type reducer struct {
	o        Options
	started  time.Time
	program  *gen.Program
	spec     *run.Spec
	identity Identity
	check    run.CheckOptions
	runners  map[string]sim.Runner
	sizes    []size
	runs     int
	// seed is that of the last run that failed, best that of the best
	// candidate.
	seed, best uint64
	// sure is the program that fails in the setting that was found; the runs of its
	// candidates end with run until. They keep so many rounds: fewer fail less often, and
	// take as long to read. next counts the seeds that candidates were run with to see with
	// how many they fail.
	sure   *gen.Program
	until  int
	rounds int
	next   uint64
}

// load reads the run and identifies its failure.
func (s *reducer) load(ctx context.Context, dir run.Dir) error {
	var recorded *run.Result
	var err error
	if s.spec, s.program, recorded, err = dir.Recorded(); err != nil {
		return fmt.Errorf("reduce: %w", err)
	}
	if _, err := run.RecordedProtocol(dir, s.spec); err != nil {
		return fmt.Errorf("reduce %s: %w", dir, err)
	}
	s.spec.Config = s.o.Gate.Apply(&s.spec.Config)
	if s.o.MaxTries == 0 {
		s.o.MaxTries = DefaultTries
		if s.spec.Sim == config.SimGem5 {
			s.o.MaxTries = Gem5Tries
		}
	}
	s.best = s.spec.Seed + uint64(s.spec.Number)
	s.runners = map[string]sim.Runner{}
	s.sizes = sizesOf(s.spec)
	if s.check.Models, err = s.spec.Config.Models(); err != nil {
		return fmt.Errorf("reduce %s: %w", dir, err)
	}
	s.check.Options, s.check.Workers = check.Options{Timeout: s.o.CheckTimeout}, s.o.Workers
	return s.identify(ctx, dir, recorded)
}

// ErrNothing means that there is no failure to reduce, ErrUndecided that the model
// to reduce under leaves the history undecided.
var (
	ErrNothing   = errors.New("there is nothing to reduce")
	ErrUndecided = errors.New("it is not decided")
)

// identify chooses the failure that every candidate must show.
func (s *reducer) identify(ctx context.Context, dir run.Dir, recorded *run.Result) error {
	s.identity = Identity{Outcome: recorded.Outcome, Title: recorded.Title}
	name := s.o.Model
	if name == "" {
		if recorded.Outcome == sim.Passed {
			return fmt.Errorf("reduce %s: the run passed: %w (--model names a model whose violation to keep)", dir, ErrNothing)
		}
		if !recorded.Failed() {
			return fmt.Errorf("reduce %s: the run could not be executed (%s): there is no failure to keep", dir, recorded.Outcome)
		}
		if recorded.Outcome != sim.Violation || !recorded.Answered(s.spec.Config.Expect, check.Forbidden) {
			return nil
		}
		name = s.spec.Config.Expect
	}
	models, err := config.ParseModels(name)
	if err != nil {
		return err
	}
	if err := s.forbids(ctx, dir, recorded, models[0]); err != nil {
		return err
	}
	s.identity.Model = name
	s.check.Models = models // one is enough while candidates are tried
	if name != s.spec.Config.Expect {
		s.identity.Outcome, s.identity.Title = sim.Passed, ""
	}
	return nil
}

// forbids returns an error unless the model forbids the recorded history: where
// the run was not evaluated by it, that is done now.
func (s *reducer) forbids(ctx context.Context, dir run.Dir, recorded *run.Result, m model.Model) error {
	v, err := s.answer(ctx, dir, recorded, m)
	switch {
	case err != nil:
		return fmt.Errorf("reduce %s: %w", dir, err)
	case v.Answer == check.Forbidden.String():
		return nil
	case v.Answer == check.Unknown.String():
		return fmt.Errorf("reduce %s: whether %s forbids the recorded history: %w: %s", dir, m.Name, ErrUndecided, v.Reason)
	}
	var by []string
	for _, a := range recorded.Answers {
		if a.Answer == check.Forbidden.String() {
			by = append(by, a.Model)
		}
	}
	hint := ""
	if len(by) > 0 {
		hint = "; it is forbidden by " + messages.EscapeLine(strings.Join(by, ", "))
	}
	return fmt.Errorf("reduce %s: %s allows the recorded history: %w%s", dir, m.Name, ErrNothing, hint)
}

// answer is that of a model about the recorded history.
func (s *reducer) answer(ctx context.Context, dir run.Dir, recorded *run.Result, m model.Model) (run.Answer, error) {
	for _, a := range recorded.Answers {
		if a.Model == m.Name {
			return a, nil
		}
	}
	log, err := dir.Log()
	if err != nil {
		return run.Answer{}, err
	}
	h, err := parse.Native(s.program, s.spec.Config.Rounds, log)
	if err != nil {
		reason, _, _ := strings.Cut(err.Error(), "\n")
		return run.Answer{Answer: check.Unknown.String(), Reason: reason}, nil
	}
	v, err := check.Check(ctx, h, m, s.check.Options)
	return run.AnswerOf(&v), err
}

// first repeats the recorded run.
func (s *reducer) first(ctx context.Context, whole *reduce.Candidate) (*run.Evaluation, error) {
	for range s.repeats(whole) {
		res, hit, err := s.run(ctx, whole, s.best)
		if err != nil {
			return nil, err
		}
		if hit {
			s.seed = s.best
			return res, nil
		}
		if res.Outcome == sim.Infra {
			return nil, fmt.Errorf("reduce: the recorded run cannot be repeated: %s: %s", messages.EscapeLine(res.Title), res.Detail)
		}
	}
	return nil, fmt.Errorf("reduce: the recorded run (%s) does not fail any more: nothing to reduce", s.identity)
}

// cut leaves out the rounds after the last one of the refutation, which change
// nothing of what is before them where runs are deterministic and threads do not
// wait for each other: one run instead of many. It returns the run of what is
// left.
func (s *reducer) cut(ctx context.Context, whole *reduce.Candidate, first *run.Evaluation) (*run.Evaluation, error) {
	last := lastRound(s.program, first)
	if last < 0 || last+1 >= whole.Rounds {
		return first, nil
	}
	shorter := *whole
	shorter.Rounds = last + 1
	res, hit, err := s.run(ctx, &shorter, s.best)
	switch {
	case errors.Is(err, reduce.ErrBudget):
		return first, nil
	case err != nil:
		return nil, err
	case hit:
		*whole = shorter
		s.onBest(whole)
		return res, nil
	}
	return first, nil
}

// tries is how often to run a candidate: once where seeds change nothing.
func (s *reducer) tries(c *reduce.Candidate) int {
	if s.seedless() {
		return 1
	}
	return min(max(s.o.Effort/max(c.Ops(), 1), 2), s.o.MaxTries)
}

// repeats is how often to run a candidate with one seed: once where runs are
// deterministic.
func (s *reducer) repeats(c *reduce.Candidate) int {
	if s.spec.Sim == config.SimHost {
		return s.tries(c)
	}
	return 1
}

// fails runs a candidate with several seeds, that of the best one so far first,
// on simulators that take seconds to start a few at a time. Of those that fail it
// is the first that counts, whichever ends first.
func (s *reducer) fails(ctx context.Context, c *reduce.Candidate) (bool, error) {
	tries, width := s.tries(c), s.width()
	if tries >= batchLeast && s.identity.Model != "" {
		if hit, sure, err := s.batch(ctx, c, tries); sure || err != nil {
			return hit, err
		}
	}
	for i := 0; i < tries; i += width {
		n := min(width, tries-i)
		if s.spent(n) {
			return false, reduce.ErrBudget
		}
		runner, err := s.runner(c)
		if err != nil {
			return false, err
		}
		hits, err := s.each(ctx, runner, c, s.best+uint64(i), n)
		if err != nil {
			return false, err
		}
		if k := slices.Index(hits, true); k >= 0 {
			s.seed = s.best + uint64(i+k)
			return true, nil
		}
	}
	return false, nil
}

// width is how many runs are made at a time. The embedded simulator is as fast one
// by one, since its candidates fail with the first seeds, and programs on hardware
// disturb each other.
func (s *reducer) width() int {
	if s.spec.Sim == config.SimGem5 {
		return runtime.GOMAXPROCS(0)
	}
	return 1
}

// spent counts runs; true if the budget does not have that many.
func (s *reducer) spent(runs int) bool {
	if s.o.Runs > 0 && s.runs+runs > s.o.Runs || s.o.Time > 0 && time.Since(s.started) > s.o.Time {
		return true
	}
	s.runs += runs
	return false
}

// run runs a candidate once and reports whether it fails as the recorded run.
func (s *reducer) run(ctx context.Context, c *reduce.Candidate, seed uint64) (*run.Evaluation, bool, error) {
	if s.spent(1) {
		return nil, false, reduce.ErrBudget
	}
	runner, err := s.runner(c)
	if err != nil {
		return nil, false, err
	}
	res, err := s.once(ctx, runner, c, seed, s.check)
	if err != nil {
		return nil, false, err
	}
	return res, s.same(res), nil
}

// same reports whether a run failed as the recorded one did.
func (s *reducer) same(res *run.Evaluation) bool {
	if s.identity.Model != "" && !res.Answered(s.identity.Model, check.Forbidden) {
		return false
	}
	if s.identity.Outcome == sim.Passed {
		return res.Outcome == sim.Passed || res.Outcome == sim.Violation
	}
	return res.Outcome == s.identity.Outcome && res.Title == s.identity.Title
}

// onBest records the seed of the best candidate.
func (s *reducer) onBest(best *reduce.Candidate) {
	s.best = s.seed
	if s.o.OnProgress != nil {
		s.o.OnProgress(Progress{Ops: best.Ops(), Threads: len(best.Program.Threads), Rounds: best.Rounds, Runs: s.runs})
	}
}

// Reducer returns the engine.Reducer of campaigns. Command is the command line,
// for the specification of the reduced run.
func Reducer(command []string) engine.Reducer {
	return func(ctx context.Context, job engine.ReduceJob) (*run.Reduction, error) {
		r, err := Reduce(ctx, job.Dir, Options{Time: job.Time, CheckTimeout: job.CheckTimeout, Workers: job.Workers, Runner: job.Runner})
		if err != nil {
			return nil, err
		}
		if err := r.Write(ctx, job.Out, command); err != nil {
			return nil, err
		}
		return &r.Reduction, nil
	}
}
