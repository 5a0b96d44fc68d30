package gem5

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/sim"
	"ordeal/sim/gem5/fakegem5"
	"ordeal/sim/sandbox"
)

// TestMain is also the stand-in for gem5: the test binary runs itself.
func TestMain(m *testing.M) {
	if os.Getenv(fakegem5.Variable) != "" {
		os.Exit(fakegem5.Main(os.Args[1:], os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// newRunner makes a runner on the stand-in, which behaves as settings say.
func newRunner(t testing.TB, settings string, change func(*Options)) *Runner {
	t.Helper()
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("the stand-in runs programs on linux/amd64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
	t.Setenv(fakegem5.Variable, "on,"+settings)
	known.Clear() // the same binary may behave in another way now
	if _, state, ok := strings.Cut(settings, "state="); ok {
		t.Setenv(sandbox.WritableVariable, filepath.Dir(state))
	}
	binary, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, "configs", "ruby"), 0o755); err != nil {
		t.Fatal(err)
	}
	o := Options{Binary: binary, Tree: tree, Emit: elf.Options{Spin: 1 << 26, Settle: -1}, Grace: 100 * time.Millisecond}
	if change != nil {
		change(&o)
	}
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func newJobs(t testing.TB, n, threads int) []sim.Job {
	t.Helper()
	var jobs []sim.Job
	for i := range n {
		o := gen.Defaults()
		o.Threads, o.Ops, o.Locations = threads, 30, 4
		p, err := gen.Random(rand.New(rand.NewPCG(1, uint64(i))), o)
		if err != nil {
			t.Fatal(err)
		}
		jobs = append(jobs, sim.Job{Program: p, Rounds: 5, Seed: uint64(i), Dir: t.TempDir(), Timeout: 20 * time.Minute})
	}
	return jobs
}

// whole demands a log with a frame for each thread and the final memory.
func whole(t *testing.T, job *sim.Job, result *sim.Result) {
	t.Helper()
	if got, want := int64(len(result.Log)), elf.LogBytes(job.Program, job.Rounds); got != want {
		t.Errorf("log of %d bytes, want %d", got, want)
	}
	_, wholes := split(result.Log, []*gen.Program{job.Program})
	if !wholes[0] {
		t.Error("the log is not whole")
	}
}

func TestRun(t *testing.T) {
	for _, info := range []string{"info=broken", "info=ok"} {
		r := newRunner(t, info, nil)
		job := newJobs(t, 1, 2)[0]
		result, err := r.Run(t.Context(), job)
		if err != nil || result.Outcome != sim.Passed {
			t.Fatalf("%+v, %v", result, err)
		}
		whole(t, &job, &result)
		if result.Detail != "239030000 ticks, 54321 instructions" {
			t.Errorf("detail %q", result.Detail)
		}
		for _, file := range []string{ProgramFile, ScriptFile, StdoutFile, StderrFile, CoverageFile, filepath.Join(OutputDir, "stats.txt")} {
			if _, err := os.Stat(filepath.Join(job.Dir, file)); err != nil {
				t.Error(err)
			}
		}
		want := map[string]string{"info=broken": "gem5 24.0.0.1, x86, MESI_Two_Level, timing cores", "info=ok": "gem5 23.0.0.1, x86, MESI_Two_Level, timing cores"}
		if got, want := r.Version(t.Context()), want[info]+", "+sandbox.BestIsolation().String(); got != want {
			t.Errorf("version %q, want %q", got, want)
		}
	}
}

// TestMismatch refuses binaries by the name of what they are.
func TestMismatch(t *testing.T) {
	for _, test := range []struct{ settings, protocol, title string }{
		{"protocol=MI_example", "MESI_Two_Level", "gem5 does not fit: the binary has protocol MI_example: want MESI_Two_Level, as scons build/X86_MESI_Two_Level/gem5.opt builds it (--gem5)"},
		{"protocol=MI_example,info=ok", "MESI_Two_Level", "gem5 does not fit: the binary has protocol MI_example: want MESI_Two_Level, as scons build/X86_MESI_Two_Level/gem5.opt builds it (--gem5)"},
		{"protocol=MI_example+CHI", "", "gem5 does not fit: the binary has several protocols (MI_example, CHI): name one (--protocol)"},
		{"isa=riscv", "", "gem5 does not fit: the binary simulates riscv: want x86, as scons build/X86_MESI_Two_Level/gem5.opt builds it"},
		{"isa=arm", "", "gem5 does not fit: the binary simulates arm: want x86, as scons build/X86_MESI_Two_Level/gem5.opt builds it"},
		{"protocol=MI_example", "MI_example with the order of stores", "gem5 does not fit: the binary prints no debug lines, from which the order of stores is taken: want gem5.opt or gem5.debug, or no store-order"},
		{"protocol=MI_example+CHI", "CHI", ""},
		{"protocol=MI_example", "", ""},
	} {
		protocol, order := strings.CutSuffix(test.protocol, " with the order of stores")
		r := newRunner(t, test.settings, func(o *Options) { o.Protocol, o.StoreOrder = protocol, order })
		result, err := r.Run(t.Context(), newJobs(t, 1, 2)[0])
		want := sim.Infra
		if test.title == "" {
			want = sim.Passed
		}
		if err != nil || result.Outcome != want {
			t.Errorf("%s, want %s: %v, %v, want %v", test.settings, test.protocol, err, result.Outcome, want)
		}
		if result.Title != test.title {
			t.Errorf("%s, want %s: title %q, want %q", test.settings, test.protocol, result.Title, test.title)
		}
	}
}

func TestFaultsOfRuns(t *testing.T) {
	for _, test := range []struct {
		fault   string
		outcome sim.Outcome
		title   string
	}{
		{"transition", sim.Crash, "invalid transition (IS_I, Inv) of L1Cache"},
		{"assertion", sim.Crash, "failed assertion in L1Cache.unset_tbe: m_tbe_ptr != NULL"},
		{"deadlock", sim.Deadlock, "deadlock: Possible Deadlock detected"},
		{"functional-read", sim.Infra, "functional read failed"},
		{"memory", sim.Infra, "out of memory"},
		{"fatal", sim.Infra, "gem5 fatal: cache size N is no power of two"},
		{"outside", sim.Infra, "gem5 killed from outside"},
		{"truncated", sim.Passed, ""}, // the parser says what is wrong
		{"corrupt", sim.Passed, ""},
	} {
		r := newRunner(t, "fault="+test.fault, nil)
		job := newJobs(t, 1, 2)[0]
		result, err := r.Run(t.Context(), job)
		if err != nil || result.Outcome != test.outcome {
			t.Errorf("%s: %v, %v, want %v", test.fault, err, result.Outcome, test.outcome)
		}
		if result.Title != test.title {
			t.Errorf("%s: title %q, want %q", test.fault, result.Title, test.title)
		}
		if len(result.Log) == 0 {
			t.Errorf("%s: nothing is left of the log", test.fault)
		}
	}
}

// TestTimeLimit ends a launch that hangs, even one that ignores SIGTERM, with
// everything that it has started.
func TestTimeLimit(t *testing.T) {
	for _, fault := range []string{"hang", "stubborn"} {
		r := newRunner(t, "fault="+fault, nil)
		job := newJobs(t, 1, 2)[0]
		var result sim.Result
		var err error
		// On a busy machine the stand-in may take long to begin.
		for job.Timeout = 200 * time.Millisecond; job.Timeout < time.Minute; job.Timeout *= 3 {
			result, err = r.Run(t.Context(), job)
			if strings.Contains(result.Detail, "ORDEAL start") {
				break
			}
		}
		if err != nil || result.Outcome != sim.Infra || !result.LimitExceeded {
			t.Errorf("%s: %v, %+v, want an infrastructure error", fault, err, result)
		}
		if want := "gem5 exceeded its time"; result.Title != want {
			t.Errorf("%s: title %q, want %q", fault, result.Title, want)
		}
	}
}

func TestInterrupted(t *testing.T) {
	r := newRunner(t, "fault=stubborn", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	if _, err := r.Run(ctx, newJobs(t, 1, 2)[0]); err == nil || !strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
		t.Errorf("%v, want the context's error", err)
	}
}

func TestProgress(t *testing.T) {
	var seen []Progress
	r := newRunner(t, "slow=1200ms", func(o *Options) { o.OnProgress = func(p Progress) { seen = append(seen, p) } })
	if _, err := r.Run(t.Context(), newJobs(t, 1, 2)[0]); err != nil {
		t.Fatal(err)
	}
	// The end may be seen, too.
	if len(seen) == 0 || len(seen[0].Jobs) != 1 {
		t.Fatalf("%+v, want a report of one job", seen)
	}
	if p := seen[0]; p.Ticks != 10_000_000 || p.Instructions != 12345 {
		t.Errorf("%d ticks, %d instructions, want 10000000, 12345", p.Ticks, p.Instructions)
	}
}

func TestUnusable(t *testing.T) {
	r := newRunner(t, "", nil)
	job := newJobs(t, 1, 2)[0]
	for name, change := range map[string]func(*sim.Job){
		"without a program": func(j *sim.Job) { j.Program = nil },
		"run directory":     func(j *sim.Job) { j.Dir = filepath.Join(j.Dir, "none") },
		"rounds":            func(j *sim.Job) { j.Rounds = -1 },
	} {
		bad := job
		change(&bad)
		if _, err := r.Run(t.Context(), bad); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %v", name, err)
		}
	}
	r = newRunner(t, "", func(o *Options) { o.Binary = "/nonexistent/gem5" })
	result, err := r.Run(t.Context(), job)
	if err != nil || result.Outcome != sim.Infra {
		t.Errorf("no gem5: %v, %+v, want infra", err, result)
	}
	if want := "/nonexistent/gem5"; !strings.Contains(result.Detail, want) {
		t.Errorf("no gem5: detail %q, want %q in it", result.Detail, want)
	}
}

func TestOptions(t *testing.T) {
	_, err := New(Options{
		CPU: "fast", L1DSize: "512", L2Banks: 3, Network: "torus", Dirs: -2, MaxTicks: -1, LinkLatency: -1, Lfence: -1,
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{
		"--gem5 is missing: want", "--gem5-tree is missing: want",
		`--cpu: unknown value "fast": want timing, o3, minor`, `--l1d-size "512": want a size as 512B or 4kB`,
		"l2-banks 3: want a power of two", `--network: unknown value "torus": want simple, garnet`,
		"dirs -2", "max-ticks -1", "link-latency -1: want at least 1", "lfence -1: want at least 0",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("no %q in: %v", want, err)
		}
	}
}

// TestCommandLine pins the command line of a launch.
func TestCommandLine(t *testing.T) {
	r := newRunner(t, "", func(o *Options) {
		o.Tree, o.CPU, o.Protocol, o.Cores, o.StoreOrder, o.MaxTicks = "/tree", "o3", "MI_example", 4, true, 99
		o.TreeOptions, o.DeadlockThreshold, o.Evictions = []string{"--ports=2"}, 1000, true
	})
	jobs := newJobs(t, 1, 2)
	l := launch{runner: r, work: work{jobs: jobs}, dir: "/run"}
	image, err := elf.EmitBatch(programsOf(jobs), r.emitOptions(l.work))
	if err != nil {
		t.Fatal(err)
	}
	l.image = image
	const want = "-d m5out --json-config= --dot-config= --debug-flags=ProtocolTrace,RubySequencer --debug-file=trace.pipe se.py --tree /tree --cpu o3 --network simple " +
		"--l1d-size 512B --l1i-size 4kB --l2-size 8kB --cores 4 --l1d-assoc 2 --l1i-assoc 2 --l2-assoc 4 --l2-banks 1 --dirs 1 --link-latency 1 " +
		"--deadlock-threshold 1000 --evictions --max-ticks 99 --protocol MI_example --tree-option=--ports=2 " +
		"--binary /run/program.elf --output guest.out --mem-size 512MiB --seed 1"
	got, pauses, _ := strings.Cut(strings.Join(l.arguments(), " "), " --idle ")
	if idle, quiet, found := strings.Cut(pauses, " --quiet "); !found || idle == quiet {
		t.Errorf("--idle %s: want a bound on the time without accesses and a longer one without stores", pauses)
	}
	if got != want {
		t.Errorf("%s\nwant\n%s", got, want)
	}
	l.try = 1
	if got := fmt.Sprint(l.arguments()); !strings.Contains(got, "--randomization") || strings.Contains(got, "--seed 1]") {
		t.Errorf("second try: %s", got)
	}
}

// TestKnown demands that a binary is asked once for all runners, and again when it
// was changed.
func TestKnown(t *testing.T) {
	r := newRunner(t, "info=ok", nil)
	binary := filepath.Join(t.TempDir(), "gem5.opt")
	data, err := os.ReadFile(r.options.Binary)
	if err != nil {
		t.Fatal(err)
	}
	if err := sandbox.WriteExecutable(binary, data); err != nil {
		t.Fatal(err)
	}
	ask := func() *Info {
		t.Helper()
		another, err := New(Options{Binary: binary, Tree: r.options.Tree})
		if err != nil {
			t.Fatal(err)
		}
		info, err := another.identify(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first := ask()
	t.Setenv(fakegem5.Variable, "on,info=broken") // another version, but the same file
	if second := ask(); second != first {
		t.Errorf("asked again: %v, then %v", first, second)
	}
	if err := os.Chtimes(binary, time.Time{}, time.Unix(1, 0)); err != nil {
		t.Fatal(err)
	}
	if third := ask(); third.Version == first.Version {
		t.Errorf("not asked again after a change: still %v", third)
	}
}

// TestInstructionSets runs programs of RISC-V and AArch64 one by one, and refuses what
// gem5 or the options do not have.
func TestInstructionSets(t *testing.T) {
	for isa, test := range map[gen.ISA]struct{ name, qemu string }{
		gen.RISCV64: {"riscv", "qemu-riscv64"}, gen.AArch64: {"arm", "qemu-aarch64"},
	} {
		jobs := newJobs(t, 2, 2)
		for i := range jobs {
			o := gen.Defaults()
			o.ISA, o.Threads, o.Ops, o.Locations, o.Annotations, o.Dependencies = isa, 2, 30, 4, 0.3, 0.3
			p, err := gen.Random(rand.New(rand.NewPCG(2, uint64(i))), o)
			if err != nil {
				t.Fatal(err)
			}
			jobs[i].Program = p
		}
		if _, err := newRunner(t, "", func(o *Options) { o.StoreOrder = true }).RunBatch(t.Context(), jobs); err == nil || !strings.Contains(err.Error(), "only x86-64 here") {
			t.Errorf("%s with store-order: %v", isa, err)
		}
		results, err := newRunner(t, "", nil).RunBatch(t.Context(), jobs)
		if want := "the binary simulates x86: want " + test.name; err != nil || !strings.Contains(results[1].Title, want) {
			t.Errorf("%v, %v: want %q", results, err, want)
		}
		if _, err := exec.LookPath(test.qemu); err != nil {
			t.Logf("%s is not installed: no program of %s was run", test.qemu, isa)
			continue
		}
		results, err = newRunner(t, "tracing=on,isa="+test.name, nil).RunBatch(t.Context(), jobs)
		if err != nil || len(results) != len(jobs) {
			t.Fatalf("%v, %v", results, err)
		}
		for i := range jobs {
			if results[i].Outcome != sim.Passed {
				t.Fatalf("%s: %+v", isa, results[i])
			}
			whole(t, &jobs[i], &results[i])
		}
	}
	jobs := newJobs(t, 1, 2)
	jobs[0].Program.ISA = gen.RISCV64A
	if _, err := newRunner(t, "", nil).RunBatch(t.Context(), jobs); err == nil || !strings.Contains(err.Error(), "riscv64-zalasr, which gem5 has not") {
		t.Error(err)
	}
}
