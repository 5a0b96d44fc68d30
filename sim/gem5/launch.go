package gem5

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/bits"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	script "ordeal/scripts/gem5"
	"ordeal/sim"
	"ordeal/sim/gem5/agent"
	"ordeal/sim/osfile"
	"ordeal/sim/sandbox"
)

type launch struct {
	runner *Runner
	work
	try int // how often these jobs were tried before

	// windows are the times in which flags are on. Recording is where the events
	// of a recorded launch go, stuck where the places of its cores do; nil for
	// others.
	windows   []window
	flags     []string
	recording *recording
	stuck     *stuck

	image  *elf.Image   // nil with agents
	agents *agent.Image // nil with CPUs
	dir    string       // of the first job
	retry  bool         // another seed may give a result
}

// guestFile is the guest's standard output, in OutputDir.
const guestFile = "guest.out"

// run launches gem5 and returns the results of the programs up to the one
// that the launch ended in.
func (l *launch) run(ctx context.Context) ([]sim.Result, error) {
	l.dir = l.jobs[0].Dir
	if err := l.prepare(); err != nil {
		return l.cannot(err), nil
	}
	debug, err := l.readDebug()
	if err != nil {
		return l.cannot(err), nil
	}
	stopProgress := l.reportProgress()
	end, err := sandbox.RunTool(ctx, sandbox.Command{
		Path: l.runner.options.Binary, Args: l.arguments(), Dir: l.dir,
		Stdout: l.path(StdoutFile), Stderr: l.path(StderrFile),
		Timeout: l.timeout(), Grace: l.runner.options.Grace, Limits: l.limits(),
	})
	stopProgress()
	var orders []storeOrder
	var orderErr error
	if debug != nil {
		if orderErr = debug.finish(); orderErr == nil {
			orders, orderErr = debug.orders(programsOf(l.jobs), l.jobs[0].Rounds)
		}
	}
	if ctx.Err() != nil {
		return nil, context.Cause(ctx)
	}
	if err != nil {
		return l.cannot(err), nil
	}
	results, err := l.results(end, debug)
	if err == nil {
		err = errors.Join(l.clean(), l.distribute(results))
	}
	if err != nil {
		return l.cannot(err), nil
	}
	for k := range results {
		if orderErr == nil && k < len(orders) && results[k].Outcome == sim.Passed {
			results[k].Log = orders[k].append(results[k].Log, &l.jobs[k])
		}
	}
	if err := l.explain(ctx, &results[len(results)-1]); err != nil {
		return nil, err
	}
	if orderErr != nil && l.recording != nil {
		l.recording.err = orderErr
		results[0] = infra("the trace of gem5 cannot be read")
		results[0].Detail = orderErr.Error()
	}
	if orderErr != nil && l.runner.options.StoreOrder {
		results[0].Detail += "\nthe order of stores is not known: " + orderErr.Error()
	}
	return results, nil
}

// limits are those of the launch: a batch may write as much as its jobs together,
// in the memory of one. The limits that jobs do not set are far above gem5's
// needs.
func (l *launch) limits() sandbox.Limits {
	limits := sandbox.Limits{FileBytes: 8 << 30, OpenFiles: 1024, Processes: 512, ResidentBytes: l.jobs[0].Memory}
	for _, job := range l.jobs {
		if job.LogSize <= 0 {
			limits.DiskBytes = 0
			break
		}
		limits.DiskBytes += job.LogSize
	}
	return limits
}

func (l *launch) cannot(err error) []sim.Result {
	return slices.Repeat([]sim.Result{{Outcome: sim.Infra, Title: "cannot run gem5", Detail: err.Error()}}, len(l.jobs))
}

func (l *launch) path(elem ...string) string { return filepath.Join(l.dir, filepath.Join(elem...)) }

func (l *launch) executable() string {
	switch {
	case l.runner.options.agents():
		return AgentFile
	case len(l.jobs) == 1:
		return ProgramFile
	}
	return BatchFile
}

// channel is how the values leave the executable.
func (l *launch) channel() elf.Log { return l.runner.channel(l.jobs[0].Program.ISA) }

func (l *launch) prepare() error {
	file, err := l.emit()
	if err != nil {
		return err
	}
	for _, stale := range []string{ProgramFile, BatchFile, AgentFile} {
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
	if err := sandbox.WriteExecutable(l.path(l.executable()), file); err != nil {
		return err
	}
	return os.WriteFile(l.path(ScriptFile), script.Script, 0o644)
}

// emit makes the file that has the programs.
func (l *launch) emit() (file []byte, err error) {
	programs, o := programsOf(l.jobs), &l.runner.options
	if o.agents() {
		if l.agents, err = agent.New(programs, l.jobs[0].Rounds, l.seed(), o.Agent, l.runner.protocol()); err != nil {
			return nil, err
		}
		return l.agents.Bytes(), nil
	}
	if l.image, err = elf.EmitBatch(programs, l.runner.emitOptions(l.work)); err != nil {
		return nil, err
	}
	return l.image.File, nil
}

// base is the address of the first program's locations.
func (l *launch) base() int64 {
	if l.agents != nil {
		return l.agents.Bases[0]
	}
	return l.image.Bases[0]
}

func (l *launch) timeout() time.Duration {
	var sum time.Duration
	for _, job := range l.jobs {
		sum += cmp.Or(job.Timeout, DefaultTimeout)
	}
	return sum
}

// seed is that of the launch: never 0, which stands for gem5's own, and below
// 2³¹.
func (l *launch) seed() uint64 {
	const odd = 0x9e3779b97f4a7c15
	seed := (l.jobs[0].Seed + uint64(l.try)*odd) & 0x7fff_ffff
	return max(seed, 1)
}

// memoryBytes is the size of the simulated memory: a power of two that holds
// the executable.
func (l *launch) memoryBytes() uint64 {
	const least = 512 << 20
	need := uint64(least / 2)
	if l.agents != nil {
		need += uint64(l.agents.End)
	} else {
		need += uint64(l.image.End - l.image.Start)
	}
	return max(uint64(least), 1<<bits.Len64(need-1))
}

// Command is the command that runs on these options execute, up to the words
// that each launch adds: program, seed and memory.
func Command(o Options) []string {
	o = o.withDefaults()
	return append([]string{o.Binary}, o.words()...)
}

// words are the arguments that do not depend on the launch, but for the cores.
func (o Options) words() []string {
	// Of the configuration only config.ini is of use: where gem5 finds a program that
	// draws it, that takes as long as a short run.
	words := []string{"-d", OutputDir, "--json-config=", "--dot-config="}
	var flags []string
	if o.Log != LogMemory {
		flags = append(flags, "PseudoInst")
	}
	if o.StoreOrder {
		flags = append(flags, "ProtocolTrace", "RubySequencer")
	}
	if len(flags) > 0 {
		words = append(words, "--debug-flags="+strings.Join(flags, ","), "--debug-file="+traceFile)
	}
	return append(append(words, ScriptFile), o.machine()...)
}

func (l *launch) arguments() []string {
	o := l.runner.options
	cores, devices := len(l.jobs[0].Program.Threads), 0
	if l.agents != nil {
		cores, devices = l.agents.Size()
	}
	o.Cores = max(o.Cores, cores)
	o.Log = LogMemory
	channel := l.channel()
	if channel == elf.LogPseudo {
		o.Log = LogPseudo
	}
	words := o.words()
	if len(l.windows) > 0 && !slices.Contains(words, "--debug-file="+traceFile) {
		words = append([]string{"--debug-file=" + traceFile}, words...)
	}
	if l.agents != nil {
		words = append(words, "--image", l.path(AgentFile), "--devices", strconv.Itoa(devices))
		if o.Agent.Flush > 0 {
			words = append(words, "--flush")
		}
	} else {
		words = append(words, "--binary", l.path(l.executable()), "--output", guestFile)
	}
	words = append(words,
		"--mem-size", strconv.FormatUint(l.memoryBytes()>>20, 10)+"MiB",
		"--seed", strconv.FormatUint(l.seed(), 10),
	)
	if isa := l.jobs[0].Program.ISA; isa != gen.X86 {
		words = append(words, "--isa", isaNames[isa])
	}
	if channel == elf.LogItems {
		words = append(words, "--items", filepath.Join(OutputDir, traceFile))
	}
	// Without randomization another seed changes nothing.
	if o.Randomization || l.try > 0 {
		words = append(words, "--randomization")
	}
	idle, quiet := l.pauses()
	words = append(words, traceWords(l.flags, l.windows)...)
	return append(words, "--idle", strconv.FormatInt(idle, 10), "--quiet", strconv.FormatInt(quiet, 10))
}

// pauses are bounds on the cycles that the executable goes without an access to
// memory other than for instructions, in delays and pauses, and without a store,
// while it sums up its log. An iteration takes some ten cycles where each
// instruction is fetched from a cache.
func (l *launch) pauses() (idle, quiet int64) {
	if l.agents != nil {
		idle = l.agents.Idle()
		return idle, idle
	}
	const iteration = 16
	var delays gen.Value
	var words int64
	for _, job := range l.jobs {
		for _, ops := range job.Program.Threads {
			var sum gen.Value
			for _, op := range ops {
				if op.Kind == gen.Delay {
					sum += op.Value
				}
			}
			delays = max(delays, sum)
		}
		words = max(words, elf.LogBytes(job.Program, job.Rounds)/gen.WordBytes)
	}
	settle := max(cmp.Or(l.runner.options.Emit.Settle, elf.DefaultSettle), 0)
	idle = iteration * (int64(delays) + int64(settle) + int64(l.runner.options.Emit.Jitter))
	return idle, idle + 4*iteration*words
}

func (l *launch) results(end sandbox.Result, debug *debugReader) ([]sim.Result, error) {
	text, err := readOutput(l.dir)
	if err != nil {
		return nil, err
	}
	var result sim.Result
	switch limits := l.limits(); end.Exceeded {
	case sandbox.MemoryLimit:
		result = infra("memory limit")
		result.Detail = fmt.Sprintf("gem5 had more than %d bytes of memory", limits.ResidentBytes)
	case sandbox.DiskLimit:
		result = infra("log exceeds its limit")
		result.Detail = fmt.Sprintf("gem5 left more than %d bytes of files", limits.DiskBytes)
	case sandbox.ProcessLimit:
		result = infra("process limit")
		result.Detail = fmt.Sprintf("gem5 had more than %d processes and threads", limits.Processes)
	default:
		result, l.retry = outcomeOf(end, text, l.timeout())
		l.nameStatement(&result)
	}
	if l.try > 0 {
		result.Detail += fmt.Sprintf("\nlaunch again %d times, with seed %d and randomization", l.try, l.seed())
	}
	logs, whole, err := l.logs(debug)
	if err != nil {
		return nil, err
	}
	if debug != nil && debug.sums != nil {
		result.Detail += "; values by " + map[bool]string{false: "m5_sum", true: "work_begin"}[debug.sums.items > 0]
		l.lostCode(&result, text)
		if err := debug.sums.fault(); err != nil {
			result.Detail += "\nwhat the guest reported is not a log to its end: " + err.Error()
		}
	}
	if l.agents != nil {
		result.Detail += "; " + l.agents.Counts()
	}
	results := attribute(result, logs, whole, end.Elapsed)
	results[0].Coverage, err = l.coverage()
	return results, err
}

// maxOutput bounds what is read of a file that a simulator has written.
const maxOutput = 4 << 30

// logs are the logs of the programs, and which of them are whole.
func (l *launch) logs(debug *debugReader) (logs []sim.Log, whole []bool, err error) {
	if l.agents != nil {
		data, err := osfile.ReadFile(l.path(AgentFile), maxOutput)
		if err == nil {
			err = l.agents.Read(data)
		}
		if err != nil {
			return nil, nil, err
		}
		logs, whole = l.agents.Logs()
		return logs, whole, nil
	}
	if debug != nil && debug.sums != nil {
		logs, whole = debug.sums.logs()
		return logs, whole, nil
	}
	log, err := osfile.ReadFile(l.path(OutputDir, guestFile), maxOutput)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, err
	}
	logs, whole = split(log, programsOf(l.jobs))
	return logs, whole, nil
}

// distribute gives every job of a batch the executable, and the one that the
// launch ended in gem5's files.
func (l *launch) distribute(results []sim.Result) error {
	for _, job := range l.jobs[1:len(results)] {
		if l.agents != nil {
			break
		}
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

// link gives a file another name, or copies it to another file system.
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

func (l *launch) clean() error {
	for _, useless := range []string{"fs", traceFile, guestFile} {
		if err := os.RemoveAll(l.path(OutputDir, useless)); err != nil {
			return err
		}
	}
	return os.RemoveAll(l.path(AgentFile)) // its log is in the results
}
