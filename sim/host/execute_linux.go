package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"ordeal/gen/emit/elf"
	"ordeal/sim"
	resources "ordeal/sim/machine"
	"ordeal/sim/sandbox"
)

// unasked is what the program and its log may take without asking what memory
// there is, in bytes.
const unasked = 1 << 28

// available is the memory that this process may take.
var available = resources.Memory

// execute runs the executable that was emitted for a job.
func (r *Runner) execute(ctx context.Context, job sim.Job, image *elf.Image, opts elf.Options) (sim.Result, error) {
	need := uint64(len(image.File)) + uint64(image.End-image.Start)
	memory := job.Memory
	if memory == 0 && need > unasked {
		memory = available()
	}
	if memory > 0 && need > uint64(memory) {
		return sim.Result{
			Outcome: sim.Infra, Title: "memory limit",
			Detail: fmt.Sprintf("the program and its log take %d bytes of memory: the limit is %d", need, memory),
		}, nil
	}
	path := filepath.Join(job.Dir, ProgramFile)
	executable := image.File
	var err error
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
