// Package litmus runs litmus tests many times on a simulator or on this
// machine, counts the states that they end in, as litmus7 does (Alglave,
// Maranget, Sarkar and Sewell, TACAS 2011), and flags those that a memory
// model forbids. Package outcomes enumerates what the model allows; herd7 can
// be compared with it.
//
// # Rounds
//
// A round is one execution of a test. A run executes a program of many copies
// of the test, each on locations of its own: thread t of the program is thread
// t of every copy, one after the other, with delays drawn at random. Runs take
// turns in the memory layout.
//
// On hardware, where starting a process takes longer than a thousand rounds, a
// run repeats its program, with a barrier before each repetition; what memory
// holds then is the final state of one repetition and the initial one of the
// next. If the test asks for final values of memory, the threads first load all
// locations, each its share; a round is not counted if another thread's store
// was faster than that load. The log has the final memory of the last
// repetition.
//
// A round's outcome is all values that its loads returned and, where known,
// all final values of memory. It is looked up among what the model allows, also
// those parts that the test does not ask for. The counted states are those that
// it asks for.
//
// Everything but timing is a function of the test's program, the seed and the
// run's number.
package litmus

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/check/model"
	"ordeal/gen"
	format "ordeal/parse/formats/litmus"
	"ordeal/parse/formats/litmus7"
	"ordeal/sim"
	"ordeal/sim/scratch"
)

// Test is a litmus test from a file.
type Test struct {
	*format.Test
	File string // for messages
	_    struct{}
}

// Options say how to run tests.
type Options struct {
	// Sim is the simulator's name, Config its machine; the programs of Config
	// are ignored. Without a kind of core the embedded simulator has for each test
	// cores of its instruction set.
	Sim    string
	Config config.Config
	// Model is the one that must not be broken: sc, tso or pso by tests of X86_64,
	// armv8 by those of AArch64, rvwmo by those of RISCV. Empty is what the simulator
	// promises to each test.
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
	// Herd is the absolute path of herd7; empty means no comparison.
	Herd string
	// Command is the command line, for records.
	Command []string
	_       struct{}
}

// Report is the result of a test.
type Report struct {
	File string `json:"file"`
	// Model is the one that must not be broken.
	Model string `json:"model"`
	// Result counts the states that were seen.
	Result litmus7.Result `json:"-"`
	// Allowed is the number of states that the model allows, of the variables in
	// Result; AllowedSeen is the number of those that were seen.
	Allowed     int `json:"allowed_states"`
	AllowedSeen int `json:"allowed_states_seen"`
	// Forbidden are outcomes that the model forbids, in order of appearance.
	Forbidden []Forbidden `json:"forbidden,omitempty"`
	// Failure is the last run, if it did not pass.
	Failure *Failure `json:"failure,omitempty"`
	// Rounds and Runs were executed, in Elapsed time.
	Rounds  int           `json:"rounds"`
	Runs    int           `json:"runs"`
	Elapsed time.Duration `json:"elapsed_ns"`
	// Herd compares the allowed states with those of herd7; nil without herd7.
	Herd *Comparison `json:"herd,omitempty"`
	_    struct{}
}

// Forbidden is an outcome that the model forbids.
type Forbidden struct {
	State   string `json:"state"`   // of the variables that the test asks for
	Outcome string `json:"outcome"` // every load and location
	Count   uint64 `json:"count"`
	// Witness explains the first run with such an outcome, whose run directory
	// is Dir; both are empty for further outcomes.
	Witness string `json:"witness,omitempty"`
	Dir     string `json:"dir,omitempty"`
}

// Failure is a run that did not pass.
type Failure struct {
	Outcome sim.Outcome `json:"outcome"`
	Title   string      `json:"title"`
	Detail  string      `json:"detail,omitempty"`
	Dir     string      `json:"dir,omitempty"` // empty for an infrastructure error
}

// Finding reports whether the report shows a fault of the system under test.
func (r *Report) Finding() bool {
	return len(r.Forbidden) > 0 || r.Failure != nil && r.Failure.Outcome != sim.Infra
}

// Run runs a test. The error is ctx's, ErrUnwritten beside a report, or about what cannot
// be run or enumerated at all, naming the file.
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
	if x.unwritten != nil {
		return &x.report, fmt.Errorf("%s: %w: %w", t.File, ErrUnwritten, x.unwritten)
	}
	return &x.report, nil
}

// ErrUnwritten is the error of a test whose report is whole, and whose run with a finding could not be kept.
var ErrUnwritten = errors.New("the run cannot be kept")

// experiment is a test being run.
type experiment struct {
	test    *Test
	o       *Options
	config  config.Config // o's, for the instruction set of the test
	model   model.Model
	runner  sim.Runner
	tools   map[string]string
	size    size
	allowed *allowed
	seen    map[string]*observation // by key of the outcome
	order   []*observation
	kept    bool // a run directory
	scratch string
	report  Report
	// unwritten is why no run directory could be written.
	unwritten error
}

func newExperiment(t *Test, o *Options) (*experiment, error) {
	x := &experiment{test: t, o: o, config: o.Config, size: sizeOf(t, o), seen: make(map[string]*observation)}
	if err := t.Runs(); err != nil {
		return nil, err
	}
	x.config.Sync = "round"
	x.config.Suit(o.Sim, t.Program.ISA)
	name := o.modelOf(t)
	models, err := config.ParseModels(name)
	if err != nil {
		return nil, err
	}
	x.model = models[0]
	x.report.File, x.report.Model = t.File, name
	if x.allowed, err = enumerate(t, name); err != nil {
		return nil, err
	}
	x.runner, err = run.NewRunner(o.Sim, &x.config)
	return x, err
}

// modelOf is the model that must not be broken by a test.
func (o *Options) modelOf(t *Test) string {
	return cmp.Or(o.Model, o.Config.PromiseTo(t.Program.ISA))
}

// run makes runs until there are enough rounds, or one fails.
func (x *experiment) run(ctx context.Context) error {
	dir, remove, err := scratch.Make("litmus")
	if err != nil {
		return err
	}
	defer remove()
	x.scratch = dir
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

func (x *experiment) once(ctx context.Context, n int) error {
	p, err := x.program(n)
	if err != nil {
		return err
	}
	res, err := sim.Complete(ctx, x.runner, sim.Job{
		Program: p, Rounds: x.size.repetitions, Seed: x.o.Seed + uint64(n), Dir: x.scratch, Timeout: x.o.Timeout,
		Memory: int64(x.o.Memory), LogSize: int64(x.o.LogSize),
	})
	if err != nil {
		return err
	}
	fresh, failure := x.observe(p, &res)
	if failure != nil {
		x.report.Failure = failure
		if failure.Outcome == sim.Infra {
			return nil
		}
		failure.Dir, _, x.unwritten = x.keep(ctx, n, p, &res)
	} else if len(fresh) > 0 && !x.kept {
		x.kept = true
		fresh[0].dir, fresh[0].witness, x.unwritten = x.keep(ctx, n, p, &res)
	}
	return ctx.Err()
}
