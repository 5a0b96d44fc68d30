// Package host runs programs on the processor of this machine (x86-64 Linux): a
// sim.Job goes in, its executable runs in the sandbox, and the log comes out.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
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
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		return infra(fmt.Errorf("this machine runs %s/%s: programs need linux/amd64", runtime.GOOS, runtime.GOARCH)), nil
	}
	need := uint64(len(image.File)) + uint64(image.End-image.Start)
	if job.Memory > 0 && need > uint64(job.Memory) {
		return sim.Result{
			Outcome: sim.Infra, Title: "memory limit",
			Detail: fmt.Sprintf("the program and its log take %d bytes of memory: the limit is %d", need, job.Memory),
		}, nil
	}
	path := filepath.Join(job.Dir, ProgramFile)
	executable := image.File
	filterErr := sandbox.GuestFilterError()
	if filterErr != nil && !sandbox.Unconfined() {
		return infra(fmt.Errorf("this machine confines no programs (%w); with %s=1 they run all the same", filterErr, sandbox.UnconfinedVariable)), nil
	}
	if filterErr == nil {
		if executable, err = sandbox.AddGuestFilter(executable); err != nil {
			return infra(err), nil
		}
	}
	if err := sandbox.WriteExecutable(path, executable); err != nil {
		return infra(err), nil
	}
	cpus, err := sandbox.CPUs()
	if err != nil {
		return infra(err), nil
	}
	command := sandbox.Command{
		Path:    path,
		Dir:     job.Dir,
		Stdout:  filepath.Join(job.Dir, LogFile),
		Stderr:  filepath.Join(job.Dir, StderrFile),
		Timeout: cmp.Or(job.Timeout, DefaultTimeout),
		Grace:   r.Grace,
	}
	command.OnTimeout = func(pid int) { salvage(pid, job.Program, opts, command.Stdout) }
	command.Limits = limits(job, opts, need, command.Timeout)
	if threads := len(job.Program.Threads); threads <= len(cpus) && threads > 1 {
		pinned, release := r.leases.take(cpus, threads)
		defer release()
		command.OnStart = func(pid int) { pinThreads(pid, pinned) }
	}
	end, err := sandbox.Run(ctx, command)
	if ctx.Err() != nil {
		return sim.Result{}, err
	}
	if err != nil {
		return infra(err), nil
	}
	result := outcomeOf(end, command.Timeout)
	limit := int64(command.Limits.FileBytes)
	log, err := readLog(command.Stdout, limit)
	// The guest may have been faster than the limit.
	if whole := elf.LogBytes(job.Program, opts.Rounds); limit < whole && int64(len(log)) == limit {
		result = sim.Result{
			Outcome: sim.Infra, Title: "log exceeds its limit",
			Detail: fmt.Sprintf("the log has %d bytes: the limit is %d", whole, job.LogSize),
		}
		err = errors.Join(err, os.Truncate(command.Stdout, limit))
	}
	result.Elapsed = end.Elapsed
	if err != nil {
		return infra(fmt.Errorf("read log of %s: %w", path, err)), nil
	}
	result.Log = log
	return result, nil
}

// slack is address space for the kernel's parts of a process: stack, vdso.
const slack = 16 << 20

// limits are those of a guest, which has its image, opens nothing, and writes its
// log. The number of its threads cannot be bounded (see sandbox.Limits), only
// their time.
func limits(job sim.Job, opts elf.Options, need uint64, timeout time.Duration) sandbox.Limits {
	log := elf.LogBytes(job.Program, opts.Rounds)
	if job.LogSize > 0 {
		log = min(log, job.LogSize)
	}
	const standardFiles = 3
	return sandbox.Limits{
		FileBytes: uint64(log), AddressBytes: need + slack, OpenFiles: standardFiles,
		CPUTime: time.Duration(len(job.Program.Threads))*timeout + time.Second,
	}
}

// readLog reads at most limit bytes, which is all that a run can write.
func readLog(path string, limit int64) (sim.Log, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close() // only read
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	log := make(sim.Log, min(info.Size(), limit))
	_, err = io.ReadFull(f, log)
	return log, err
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
