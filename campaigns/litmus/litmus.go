// Package litmus runs litmus tests many times on a simulator or on this
// machine, counts the states that they end in, as litmus7 does (Alglave,
// Maranget, Sarkar and Sewell, TACAS 2011), and flags those that a memory
// model forbids. What the model allows is enumerated by package outcomes, so
// that no other tool is needed; herd7 can be asked as well.
//
// # Rounds
//
// A round is one execution of a test on memory of its own. A run executes a
// program of many copies of the test, each on locations of its own: thread t
// of the program is thread t of every copy, one after the other, with delays
// drawn at random between them and within them. Runs take turns in how the
// locations lie in memory. On hardware, where starting a process takes longer
// than a thousand rounds, a run repeats its program, the threads meeting
// before each repetition; what it finds in memory then is final and counts as
// initial. Where a test asks for values of memory at the end, in its condition
// or its list of locations, the threads first look at all locations, each at
// its share: a value of the repetition before is what that one left, and where
// another thread was faster with a store the round is not counted. Of the last
// repetition the log tells.
//
// What a round shows, all values that its loads returned and, where known, all
// values of memory at the end, is looked up among what the model allows: also
// what the test does not ask for. The counted states are those that it asks
// for.
//
// Everything but timing is a function of the test's program, the seed and the
// run's number.
package litmus

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/check/model"
	"ordeal/check/outcomes"
	"ordeal/gen"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
)

// Test is a litmus test from a file.
type Test struct {
	*format.Test
	File string // for messages
	_    struct{}
}

// Options say how to run tests.
type Options struct {
	// Sim is the simulator's name, Config what it is to simulate; the programs
	// that Config describes are not looked at.
	Sim    string
	Config config.Config
	// Model is the model that must not be broken: sc, tso or pso.
	Model string
	// Rounds is how often each test is executed, at least.
	Rounds int
	Seed   uint64
	// Layout is the memory layout; gen.AnyLayout means each in turn.
	Layout gen.Layout
	// MaxDelay bounds the delays, in iterations of a loop; 0: no delays.
	MaxDelay int
	// Timeout bounds one run.
	Timeout time.Duration
	// Memory and LogSize bound one run, in bytes; 0: no bound.
	Memory, LogSize config.Size
	// Dir is where runs with findings are kept, each in a folder of its own.
	Dir string
	// Herd is the absolute path of herd7; empty: it is not asked.
	Herd string
	// Command is the command line, for records.
	Command []string
	_       struct{}
}

// Report is what came of a test.
type Report struct {
	File string
	// Result counts the states that were seen.
	Result litmus7.Result
	// Allowed is the number of states that the model allows, of those
	// variables that Result tells; AllowedSeen is how many of them were seen.
	Allowed, AllowedSeen int
	// Rounds and Runs were made, in Elapsed time.
	Rounds, Runs int
	Elapsed      time.Duration
	// Forbidden are outcomes that the model forbids, in order of first sight.
	Forbidden []Forbidden
	// Failure is the run, if any, that did not come to its end as it should;
	// it was the last one.
	Failure *Failure
	// Herd is what herd7 says of the allowed states; nil: it was not asked.
	Herd *Comparison
	_    struct{}
}

// Forbidden is an outcome that the model forbids.
type Forbidden struct {
	// State has the variables that the test asks for, Outcome everything.
	State, Outcome string
	Count          uint64
	// Witness is for people: the history and why the model forbids it. Dir has
	// the run. Both are of the first sight of the first such outcome; empty
	// for others.
	Witness string
	Dir     string
}

// Failure is a run that did not pass.
type Failure struct {
	Outcome       sim.Outcome
	Title, Detail string
	Dir           string // empty for infrastructure trouble
}

// Finding reports whether the report says something about the system under
// test.
func (r *Report) Finding() bool {
	return len(r.Forbidden) > 0 || r.Failure != nil && r.Failure.Outcome != sim.Infra
}

// Run runs a test. The error is ctx's, or about what cannot be run or
// enumerated at all, naming the file.
func Run(ctx context.Context, t *Test, o *Options) (*Report, error) {
	x, err := newExperiment(t, o)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	if o.Herd != "" {
		comparison, err := compare(ctx, t, o, x.allowed)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", t.File, err)
		}
		x.report.Herd = comparison
	}
	if err := x.run(ctx); err != nil {
		return nil, fmt.Errorf("%s: %w", t.File, err)
	}
	x.finish()
	return &x.report, nil
}

// experiment is a test being run.
type experiment struct {
	test    *Test
	o       *Options
	model   model.Model
	runner  sim.Runner
	tools   map[string]string
	size    size
	allowed *allowed
	seen    map[string]*sight // by key of the outcome
	order   []*sight
	kept    bool // a run directory
	scratch string
	report  Report
}

func newExperiment(t *Test, o *Options) (*experiment, error) {
	machine, err := outcomes.Parse(o.Model)
	if err != nil {
		return nil, err
	}
	models, err := config.ParseModels(o.Model)
	if err != nil {
		return nil, err
	}
	x := &experiment{test: t, o: o, model: models[0], size: sizeOf(t, o), seen: make(map[string]*sight)}
	x.report.File = t.File
	if x.allowed, err = enumerate(t, machine); err != nil {
		return nil, err
	}
	cfg := o.Config
	cfg.Sync = "round"
	x.runner, err = execute.NewRunner(o.Sim, &cfg)
	return x, err
}

// run makes runs until there are enough rounds, or one fails.
func (x *experiment) run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "ordeal-litmus-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	if x.scratch, err = filepath.Abs(dir); err != nil {
		return err
	}
	begin := time.Now()
	for x.report.Rounds < x.o.Rounds && x.report.Failure == nil {
		if err := x.once(ctx, x.report.Runs); err != nil {
			return err
		}
		x.report.Runs++
	}
	x.report.Elapsed = time.Since(begin)
	return nil
}

// once makes run number n.
func (x *experiment) once(ctx context.Context, n int) error {
	p, err := x.program(n)
	if err != nil {
		return err
	}
	res, err := x.runner.Run(ctx, sim.Job{
		Program: p, Rounds: x.size.repetitions, Seed: x.o.Seed + uint64(n), Dir: x.scratch, Timeout: x.o.Timeout,
		Memory: int64(x.o.Memory), LogSize: int64(x.o.LogSize),
	})
	if err != nil {
		return err
	}
	sights, failure := x.look(p, &res)
	if failure != nil {
		x.report.Failure = failure
		if failure.Outcome == sim.Infra {
			return nil
		}
		failure.Dir, _, err = x.keep(ctx, n, p, &res)
		return err
	}
	if len(sights) > 0 && !x.kept {
		x.kept = true
		sights[0].dir, sights[0].witness, err = x.keep(ctx, n, p, &res)
	}
	return err
}
