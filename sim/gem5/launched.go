package gem5

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"ordeal/gen/emit/elf"
	script "ordeal/scripts/gem5"
	"ordeal/sim"
	"ordeal/sim/sandbox"
)

// launched is one launch of gem5.
type launched struct {
	runner *Runner
	jobs   []sim.Job
	try    int // how often these jobs were tried before

	image *elf.Image
	dir   string // of the first job
	end   sandbox.Result
	text  string // what gem5 printed
	retry bool   // another seed may give a result
	_     struct{}
}

// guestFile is the guest's standard output, in OutputDir.
const guestFile = "guest.out"

// run launches gem5 and returns the results of the programs up to the one
// that the launch ended in.
func (l *launched) run(ctx context.Context) ([]sim.Result, error) {
	l.dir = l.jobs[0].Dir
	if err := l.prepare(); err != nil {
		return l.cannot(err), nil
	}
	timeout := l.timeout()
	command := sandbox.Command{
		Path: l.runner.options.Binary, Args: l.arguments(), Env: environment(), Dir: l.dir,
		Stdout: l.path(StdoutFile), Stderr: l.path(StderrFile),
		Timeout: timeout, Grace: l.runner.options.Grace, Isolation: sandbox.BestIsolation(), Limits: l.limits(),
	}
	stopWatching := l.watch()
	var order *orderReader
	if l.runner.options.StoreOrder {
		var err error
		if order, err = l.readOrder(); err != nil {
			stopWatching()
			return l.cannot(err), nil
		}
	}
	end, err := sandbox.Run(ctx, command)
	stopWatching()
	orders, orderErr := order.finish()
	if ctx.Err() != nil {
		return nil, fmt.Errorf("run on gem5: %w", context.Cause(ctx))
	}
	if err != nil {
		return l.cannot(err), nil
	}
	l.end = end
	if l.text, err = readTexts(l.dir); err != nil {
		return l.cannot(err), nil
	}
	results, err := l.results(timeout)
	if err != nil {
		return l.cannot(err), nil
	}
	if err := errors.Join(l.clean(), l.distribute(results)); err != nil {
		return l.cannot(err), nil
	}
	for k := range results {
		if orderErr == nil && k < len(orders) && results[k].Outcome == sim.Passed {
			results[k].Log = orders[k].append(results[k].Log, &l.jobs[k])
		}
	}
	if orderErr != nil {
		results[0].Detail += "\nthe order of stores is not known: " + orderErr.Error()
	}
	return results, nil
}

// Limits of gem5 that jobs do not set: none that a sane one comes near.
const (
	maxFileBytes = 8 << 30 // of each file
	maxOpenFiles = 1024
	maxProcesses = 512
)

// limits are those of the launch: a batch may leave as much as its jobs
// together, in the memory of one.
func (l *launched) limits() sandbox.Limits {
	limits := sandbox.Limits{
		FileBytes: maxFileBytes, OpenFiles: maxOpenFiles, Processes: maxProcesses,
		ResidentBytes: l.jobs[0].Memory,
	}
	for _, job := range l.jobs {
		if job.LogSize <= 0 {
			limits.DiskBytes = 0
			break
		}
		limits.DiskBytes += job.LogSize
	}
	return limits
}

// cannot is the result of jobs that could not be run.
func (l *launched) cannot(err error) []sim.Result {
	return same(infra("cannot run gem5"), err.Error(), len(l.jobs))
}

func (l *launched) path(file string) string { return filepath.Join(l.dir, file) }

// executable is the name of the executable.
func (l *launched) executable() string {
	if len(l.jobs) == 1 {
		return ProgramFile
	}
	return BatchFile
}

// prepare writes what gem5 reads.
func (l *launched) prepare() error {
	image, err := elf.EmitBatch(programsOf(l.jobs), l.runner.emitOptions(l.jobs[0].Rounds))
	if err != nil {
		return err
	}
	l.image = image
	for _, stale := range []string{ProgramFile, BatchFile} {
		if err := os.Remove(l.path(stale)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	if err := os.RemoveAll(l.path(OutputDir)); err != nil {
		return err
	}
	if err := os.Mkdir(l.path(OutputDir), 0o755); err != nil {
		return err
	}
	if err := sandbox.WriteExecutable(l.path(l.executable()), image.File); err != nil {
		return err
	}
	return os.WriteFile(l.path(ScriptFile), script.Script, 0o644)
}

// timeout is the time that the launch may take.
func (l *launched) timeout() time.Duration {
	var sum time.Duration
	for _, job := range l.jobs {
		if job.Timeout == 0 {
			sum += DefaultTimeout
		}
		sum += job.Timeout
	}
	return sum
}

// seed is that of the launch: never 0, which stands for gem5's own, and below
// 2³¹.
func (l *launched) seed() uint64 {
	const odd = 0x9e3779b97f4a7c15
	seed := (l.jobs[0].Seed + uint64(l.try)*odd) & 0x7fff_ffff
	return max(seed, 1)
}

// memoryBytes is the size of the simulated memory: a power of two with room
// for the executable.
func (l *launched) memoryBytes() uint64 {
	const least = 512 << 20
	need := uint64(l.image.End-l.image.Start) + least/2
	return max(uint64(least), 1<<bits.Len64(need-1))
}

// progressTicks is the simulated time between lines of progress: at two
// billion cycles a second, some hundred thousand cycles.
const progressTicks = 50_000_000

// arguments is gem5's command line.
func (l *launched) arguments() []string {
	o := &l.runner.options
	cores := o.Cores
	if threads := len(l.jobs[0].Program.Threads); cores < threads {
		cores = threads
	}
	words := []string{"-d", OutputDir}
	if o.StoreOrder {
		words = append(words, "--debug-flags=ProtocolTrace,RubySequencer", "--debug-file="+traceFile)
	}
	words = append(words, ScriptFile)
	words = append(words, o.machine()...)
	words = append(words,
		"--binary", l.path(l.executable()), "--output", guestFile, "--cores", strconv.Itoa(cores),
		"--mem-size", strconv.FormatUint(l.memoryBytes()>>20, 10)+"MiB",
		"--seed", strconv.FormatUint(l.seed(), 10),
	)
	// Without randomization another seed changes nothing.
	if o.Randomization || l.try > 0 {
		words = append(words, "--randomization")
	}
	if o.Watch != nil {
		words = append(words, "--progress-ticks", strconv.Itoa(progressTicks))
	}
	return words
}

// results reads the guest's log and turns the end of the launch into results.
func (l *launched) results(timeout time.Duration) ([]sim.Result, error) {
	log, err := os.ReadFile(filepath.Join(l.dir, OutputDir, guestFile))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var result sim.Result
	result, l.retry = outcomeOf(l.end, l.text, timeout)
	l.overLimit(&result)
	if l.try > 0 {
		result.Detail += fmt.Sprintf("\nlaunched again %d times, with seed %d and randomization", l.try, l.seed())
	}
	logs, whole := split(log, programsOf(l.jobs))
	results := attribute(result, logs, whole, l.end)
	results[0].Coverage, err = l.coverage()
	return results, err
}

// overLimit names the limit for which gem5 was ended, if any: nothing else
// that was seen of it counts.
func (l *launched) overLimit(result *sim.Result) {
	limits := l.limits()
	switch l.end.Exceeded {
	case sandbox.MemoryLimit:
		*result = infra("memory limit")
		result.Detail = fmt.Sprintf("gem5 had more than %d bytes of memory", limits.ResidentBytes)
	case sandbox.DiskLimit:
		*result = infra("log exceeds its limit")
		result.Detail = fmt.Sprintf("gem5 left more than %d bytes of files", limits.DiskBytes)
	default:
		return
	}
	l.retry = false
}

// distribute gives every job of a batch the executable, and the one that the
// launch ended in what gem5 left.
func (l *launched) distribute(results []sim.Result) error {
	for _, job := range l.jobs[1:len(results)] {
		if err := link(l.path(BatchFile), filepath.Join(job.Dir, BatchFile)); err != nil {
			return err
		}
	}
	last := len(results) - 1
	if last == 0 || results[last].Outcome == sim.Passed {
		return nil
	}
	for _, file := range []string{ScriptFile, StdoutFile, StderrFile, OutputDir, CoverageFile} {
		err := os.Rename(l.path(file), filepath.Join(l.jobs[last].Dir, file))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// link gives a file another name, or copies it where that cannot be.
func link(from, to string) error {
	if err := os.Remove(to); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if os.Link(from, to) == nil {
		return nil
	}
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return sandbox.WriteExecutable(to, data)
}

// clean removes what nobody reads.
func (l *launched) clean() error {
	for _, useless := range []string{"fs", "config.json", traceFile, guestFile} {
		if err := os.RemoveAll(filepath.Join(l.dir, OutputDir, useless)); err != nil {
			return fmt.Errorf("run on gem5: %w", err)
		}
	}
	return nil
}
