// Package gem5 runs programs on a real gem5 in SE mode with Ruby: a binary that
// the user has built, and the source tree that it was built from. It launches
// the binary in a sandbox, follows and limits it, and classifies each end. It
// was written against gem5 v24.0; se.py, which gem5 runs itself, adapts to v22
// to v25.
package gem5

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/option"
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
	// AgentFile has the programs for the tester and their log; see package agent.
	AgentFile = "agent.bin"
	// CoverageFile lists the transitions that were taken.
	CoverageFile = "coverage.txt"
)

// DefaultTimeout bounds a job that names no bound.
const DefaultTimeout = 10 * time.Minute

// Runner runs programs on gem5. One Runner may run many jobs at the same
// time.
type Runner struct {
	options Options

	mu   sync.Mutex // guards info
	info *Info
}

var _ sim.Runner = (*Runner)(nil)

// New makes a runner. The error lists everything that is wrong with the
// options; the binary is not accessed before the first run.
func New(o Options) (*Runner, error) {
	err := o.Validate()
	o = o.withDefaults()
	for _, path := range []*string{&o.Binary, &o.Tree} {
		// Launches work in directories of their own.
		if abs, absErr := filepath.Abs(*path); absErr != nil {
			err = errors.Join(err, absErr)
		} else {
			*path = abs
		}
	}
	if err != nil {
		return nil, fmt.Errorf("configure gem5: %w", err)
	}
	return &Runner{options: o}, nil
}

// Name is "gem5".
func (*Runner) Name() string { return "gem5" }

// Version describes the binary and what confines it, or why it is unknown.
func (r *Runner) Version(ctx context.Context) string {
	info, err := r.identify(ctx)
	if err != nil {
		return "unknown: " + err.Error()
	}
	return fmt.Sprintf("%s, %s, %v", info, r.options.cores(), sandbox.BestIsolation())
}

// OnProgress replaces Options.OnProgress, for callers that did not make the
// runner. It must be called before the first run.
func (r *Runner) OnProgress(report func(Progress)) { r.options.OnProgress = report }

// tree is the source tree with the user's command to build it.
func (r *Runner) tree() *tree.Tree {
	m := &r.options.Mutation
	return &tree.Tree{Dir: r.options.Tree, Binary: r.options.Binary, Rebuild: m.Rebuild, Timeout: m.Timeout}
}

// identify asks the binary what it is, once for all runners. Before, it restores
// the tree if an earlier process was killed while it ran a mutant, and waits while
// another one does; not while ctx holds the tree.
func (r *Runner) identify(ctx context.Context) (*Info, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.info == nil {
		binary, err := Locate(r.options.Binary, r.options.Protocol)
		if err != nil {
			return nil, err
		}
		r.options.Binary = binary
		held, err := r.held(ctx)
		if err == nil && !held {
			err = r.tree().Recover(ctx)
		}
		if err != nil {
			return nil, err
		}
		info, err := probeOnce(ctx, r.options.Binary)
		if err != nil {
			return nil, err
		}
		r.info = info
	}
	return r.info, nil
}

// channel is how values leave executables of an instruction set, as far as it is
// known before the binary is.
func (r *Runner) channel(isa gen.ISA) elf.Log {
	r.mu.Lock()
	defer r.mu.Unlock()
	switch {
	case isa != gen.X86 && r.options.Log == LogAuto, r.options.agents():
		return elf.LogMemory
	case r.options.Log == LogMemory || r.options.Log == LogAuto && (r.info == nil || !r.info.Tracing):
		return elf.LogMemory
	case r.info != nil && !r.info.Tracing:
		return elf.LogItems
	}
	return elf.LogPseudo
}

// isaNames are gem5's names of instruction sets. Programs of another one than x86-64
// run alone, without debug traces, and their values leave by memory.
var isaNames = map[gen.ISA]string{gen.X86: "x86", gen.AArch64: "arm", gen.RISCV64: "riscv"}

// checkISA reports a program whose instruction set does not run with the options.
func (r *Runner) checkISA(p *gen.Program) error {
	switch {
	case p.ISA == gen.X86:
		return nil
	case isaNames[p.ISA] == "":
		return fmt.Errorf("the program is of instruction set %s, which gem5 has not", p.ISA)
	case r.options.StoreOrder:
		return option.Faultf("store-order", "the program is of instruction set %s: only x86-64 here", p.ISA)
	}
	return nil
}

// unfit is the result of jobs that the binary cannot run; nil when it can.
func (r *Runner) unfit(ctx context.Context, isa gen.ISA) (*sim.Result, error) {
	info, err := r.identify(ctx)
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return &sim.Result{Outcome: sim.Infra, Title: "cannot identify gem5", Detail: err.Error()}, nil
	}
	if reason := info.mismatch(isaNames[isa], &r.options); reason != "" {
		detail := fmt.Sprintf("%s is %s", r.options.Binary, info)
		return &sim.Result{Outcome: sim.Infra, Title: "gem5 does not fit: " + reason, Detail: detail}, nil
	}
	return nil, nil
}

// Run runs one job. See sim.Runner for the meaning of the error. The Detail of
// a passed run is its simulated time in one line.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	results, err := r.RunBatch(ctx, []sim.Job{job})
	if err != nil {
		return sim.Result{}, err
	}
	return results[0], nil
}
