// Package host runs programs on the processor of this machine (Linux on x86-64,
// AArch64 or RV64GC), of its own instruction set: a sim.Job goes in, its executable runs in the sandbox, and the log comes out.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// The files that a run leaves in Job.Dir.
const (
	ProgramFile = "program.elf"
	LogFile     = "log.bin"
	StderrFile  = "stderr.txt"
)

// DefaultTimeout bounds a job that names no bound.
const DefaultTimeout = time.Minute

// Runner runs programs on this machine. The zero value is ready for use; one
// Runner may run many jobs at the same time. Where this process may use at least
// as many processors as a program has threads, each thread is pinned to one, the
// processors that other runs of the Runner use least first.
type Runner struct {
	// Emit shapes the executable. Its Rounds are the job's and Yield is
	// always on; other fields that are zero have the defaults below.
	Emit elf.Options
	// Grace is the time between SIGTERM and SIGKILL; 0 means
	// sandbox.DefaultGrace.
	Grace time.Duration

	leases leases
	_      struct{}
}

var _ sim.Runner = (*Runner)(nil)

// Name is "host".
func (*Runner) Name() string { return "host" }

// Version names the kernel, the processor model, the number of processors that
// programs may use, and what confines them.
func (*Runner) Version(context.Context) string {
	release, _ := os.ReadFile("/proc/sys/kernel/osrelease")
	info, _ := os.ReadFile("/proc/cpuinfo")
	confined := "confined by seccomp"
	if err := sandbox.GuestFilterError(); err != nil {
		confined = "not confined: " + err.Error()
	}
	return fmt.Sprintf("%s %s, %s, %d processors, %s", runtime.GOOS, cmp.Or(strings.TrimSpace(string(release)), "unknown"),
		cpuModel(string(info)), runtime.NumCPU(), confined)
}

// cpuModel finds the first processor's name in the text of /proc/cpuinfo.
func cpuModel(info string) string {
	for line := range strings.Lines(info) {
		if key, value, ok := strings.Cut(line, ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return "unknown processor"
}

// Run emits job.Program and runs it. See sim.Runner for the meaning of the
// error; outcomeOf says how exit codes become outcomes.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	image, opts, err := r.prepare(job)
	if err != nil {
		return sim.Result{}, err
	}
	if err := runs(job.Program, here()); err != nil {
		return infra(fmt.Errorf("%w: --sim builtin works everywhere", err)), nil
	}
	return r.execute(ctx, job, image, opts)
}

// prepare checks the job and emits its program.
func (r *Runner) prepare(job sim.Job) (*elf.Image, elf.Options, error) {
	opts := r.emitOptions(job)
	if job.Program == nil {
		return nil, opts, errors.New("run on host: job without a program")
	}
	if info, err := os.Stat(job.Dir); err != nil {
		return nil, opts, fmt.Errorf("run on host: run directory: %w", err)
	} else if !info.IsDir() {
		return nil, opts, fmt.Errorf("run on host: run directory %s: not a directory", job.Dir)
	}
	image, err := elf.EmitBatch([]*gen.Program{job.Program}, opts)
	if err != nil {
		return nil, opts, fmt.Errorf("run on host: %w", err)
	}
	return image, opts, nil
}

// Defaults of Runner.Emit, which differ from those of package elf.
//
// A barrier before each fourth round makes threads race most. The share of runs
// whose history is not sequentially consistent, of 120 random programs of half
// loads and half stores, each location stored to by one thread, on two cores,
// without barriers and with one before every round, every fourth and every
// sixteenth:
//
//	threads × operations × rounds   free    1    4   16
//	           2 ×  20 × 100         47 %  79   97   97
//	           2 × 200 × 200         82 % 100   97  100
//	           3 ×  50 ×  64         85 %  12   95   94
//	           4 ×  50 ×  32         89 %  16  100   97
//	           4 × 200 × 100         90 %  93   96   90
//	          16 ×  50 ×  32         42 %  56   88   79
const (
	DefaultSync  = elf.SyncRound
	DefaultEvery = 4
	// DefaultSpin is a second or two of a waiting thread's CPU time.
	DefaultSpin = 1 << 26
	// DefaultSettle is no pause: hardware needs none.
	DefaultSettle = -1
)

func (r *Runner) emitOptions(job sim.Job) elf.Options {
	opts := r.Emit
	opts.Rounds = job.Rounds
	opts.Yield = true
	opts.Sync = cmp.Or(opts.Sync, DefaultSync)
	opts.Every = cmp.Or(opts.Every, DefaultEvery)
	opts.Spin = cmp.Or(opts.Spin, DefaultSpin)
	opts.Settle = cmp.Or(opts.Settle, DefaultSettle)
	return opts
}

func infra(err error) sim.Result {
	return sim.Result{Outcome: sim.Infra, Title: "cannot run on host", Detail: err.Error()}
}
