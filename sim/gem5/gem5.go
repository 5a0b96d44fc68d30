// Package gem5 runs programs on a real gem5: a binary that the user has built
// and the source tree that it was built from, in SE mode with Ruby. It
// launches the binary, watches it, ends it in time, and says what each end
// means. It was written against gem5 v24.0; se.py, which gem5 runs itself,
// looks for what differs from v22 to v25.
package gem5

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ordeal/sim"
	"ordeal/sim/gem5/tree"
	"ordeal/sim/sandbox"
)

// The files that a launch leaves in the directory of its first job.
const (
	ProgramFile = "program.elf" // of a single program
	BatchFile   = "batch.elf"   // of several
	ScriptFile  = "se.py"
	StdoutFile  = "gem5-stdout.txt"
	StderrFile  = "gem5-stderr.txt"
	// OutputDir is gem5's own: guest.out, stats.txt, config.ini.
	OutputDir = "m5out"
	// CoverageFile lists the transitions that were taken.
	CoverageFile = "coverage.txt"
)

// DefaultTimeout bounds a job that names no bound.
const DefaultTimeout = 10 * time.Minute

// Runner runs programs on gem5. One Runner may run many jobs at the same
// time.
type Runner struct {
	options Options

	probe sync.Mutex // guards info
	info  *Info
	_     struct{}
}

var _ sim.Runner = (*Runner)(nil)

// New makes a runner. The error lists everything that is wrong with the
// options. The binary is not looked at before the first run.
func New(o Options) (*Runner, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("configure gem5: %w", err)
	}
	r := &Runner{options: o.withDefaults()}
	for _, path := range []*string{&r.options.Binary, &r.options.Tree} {
		// Launches work in directories of their own.
		abs, err := filepath.Abs(*path)
		if err != nil {
			return nil, fmt.Errorf("configure gem5: %w", err)
		}
		*path = abs
	}
	return r, nil
}

// Name is "gem5".
func (*Runner) Name() string { return "gem5" }

// Version says what the binary is and what confines it, or why that is not
// known.
func (r *Runner) Version(ctx context.Context) string {
	info, err := r.identify(ctx)
	if err != nil {
		return "unknown: " + err.Error()
	}
	return fmt.Sprintf("%s, %s cores, %v", info, r.options.CPU, sandbox.BestIsolation())
}

// identify asks the binary what it is, once.
func (r *Runner) identify(ctx context.Context) (*Info, error) {
	r.probe.Lock()
	defer r.probe.Unlock()
	if r.info == nil {
		if err := r.recover(ctx); err != nil {
			return nil, err
		}
		info, err := Probe(ctx, r.options.Binary)
		if err != nil {
			return nil, err
		}
		r.info = info
	}
	return r.info, nil
}

// recover puts back a mutant that an earlier process left in the tree when it
// was killed, and waits for one that is being run.
func (r *Runner) recover(ctx context.Context) error {
	t := tree.Tree{Dir: r.options.Tree, Binary: r.options.Binary}
	return t.Recover(ctx)
}

// unfit says why the binary cannot run jobs; nil when it can.
func (r *Runner) unfit(ctx context.Context) (*sim.Result, error) {
	info, err := r.identify(ctx)
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run on gem5: %w", context.Cause(ctx))
	}
	if err != nil {
		result := infra("cannot identify gem5")
		result.Detail = err.Error()
		return &result, nil
	}
	reason := info.mismatch(r.options.Protocol)
	if reason == "" {
		return nil, nil
	}
	result := infra("gem5 does not fit: " + reason)
	result.Detail = fmt.Sprintf("%s is %s", r.options.Binary, info)
	return &result, nil
}

// Run runs one job. See sim.Runner for the meaning of the error. A passed
// run's Detail is how long the simulation was, in one line.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	results, err := r.RunBatch(ctx, []sim.Job{job})
	if err != nil {
		return sim.Result{}, err
	}
	return results[0], nil
}

// check reports jobs that cannot be run at all.
func check(jobs []sim.Job) error {
	if len(jobs) == 0 {
		return errors.New("run on gem5: no job")
	}
	for _, job := range jobs {
		if job.Program == nil {
			return errors.New("run on gem5: job without a program")
		}
		if job.Rounds != jobs[0].Rounds {
			return fmt.Errorf("run on gem5: a batch of jobs of %d and %d rounds: want the same number", jobs[0].Rounds, job.Rounds)
		}
		if info, err := os.Stat(job.Dir); err != nil {
			return fmt.Errorf("run on gem5: run directory: %w", err)
		} else if !info.IsDir() {
			return fmt.Errorf("run on gem5: run directory %s: not a directory", job.Dir)
		}
	}
	return nil
}
