package host_test

import (
	"cmp"
	"context"
	elf64 "debug/elf"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/gen/emit/elf"
	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/host"
	"ordeal/sim/sandbox"
)

func needHost(t testing.TB) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skipf("the programs of this test are of x86-64, this is %s/%s", runtime.GOOS, runtime.GOARCH)
	}
}

// storeBuffering is SB, without fences or with them.
func storeBuffering(fenced bool) *gen.Program {
	p := &gen.Program{Layout: gen.Spread, Locations: []string{"x", "y"}}
	for t := range 2 {
		ops := []gen.Op{{Kind: gen.Store, Loc: gen.LocID(t), Value: gen.Value(t + 1)}}
		if fenced {
			ops = append(ops, gen.Op{Kind: gen.FullFence})
		}
		p.Threads = append(p.Threads, append(ops, gen.Op{Kind: gen.Load, Loc: gen.LocID(1 - t)}))
	}
	return p
}

// slow is a program whose first thread takes a minute or so of CPU time for each round.
func slow() *gen.Program {
	p := storeBuffering(false)
	for range 100_000 {
		p.Threads[0] = append(p.Threads[0], gen.Op{Kind: gen.Delay, Value: gen.MaxDelay})
	}
	return p
}

// words reads the payload of frame number index, which must be of one kind.
func words(t testing.TB, log sim.Log, index int, kind wire.Kind) []uint64 {
	t.Helper()
	for i := 0; ; i++ {
		f, err := wire.Next(log)
		if err != nil {
			t.Fatalf("no frame %d of kind %d: %v", index, kind, err)
		}
		if i != index || f.Kind != kind {
			log = log[f.Size():]
			continue
		}
		if got := wire.Checksum(f.Payload); got != f.Checksum {
			t.Fatalf("frame %d: checksum %#x, want %#x", i, f.Checksum, got)
		}
		payload := make([]uint64, f.Payload.Len())
		for k := range payload {
			payload[k] = uint64(f.Payload.At(k))
		}
		return payload
	}
}

// patience ends a guest that hangs: on a machine that twenty others keep busy, the
// threads of one may wait for a processor in each of thousands of rounds.
const patience = 20 * time.Minute

// run runs a job, which ends by itself unless it has a limit of its own.
func run(t testing.TB, r *host.Runner, job sim.Job) sim.Result {
	t.Helper()
	job.Timeout = cmp.Or(job.Timeout, patience)
	result, err := r.Run(context.Background(), job)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

func TestPassed(t *testing.T) {
	needHost(t)
	p, dir := storeBuffering(true), t.TempDir()
	result := run(t, new(host.Runner), sim.Job{Program: p, Rounds: 10, Dir: dir})
	if result.Outcome != sim.Passed || result.Title != "" {
		t.Fatalf("%v %q %s, want passed without a title", result.Outcome, result.Title, result.Detail)
	}
	if result.Elapsed <= 0 {
		t.Fatalf("elapsed %v", result.Elapsed)
	}
	for th := range 2 {
		if got := len(words(t, result.Log, th, wire.Thread)); got != 10 {
			t.Errorf("thread %d: %d words, want 10", th, got)
		}
	}
	if final := words(t, result.Log, 2, wire.Final); final[0] != 9*3+1 || final[1] != 9*3+2 {
		t.Errorf("final memory %d, want 28 and 29", final)
	}
	for _, name := range []string{host.ProgramFile, host.LogFile, host.StderrFile} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
	if log, err := os.ReadFile(filepath.Join(dir, host.LogFile)); err != nil || string(log) != string(result.Log) {
		t.Errorf("the log file differs from the result: %v", err)
	}
}

// buffered counts the cycles of store buffering in the log of
// storeBuffering: the load of thread 0 in round i returned the value of round
// a of y, which the store of thread 1 in round a+1 overwrote, and the load
// after that store returned a value older than that of round i of x.
func buffered(t testing.TB, p *gen.Program, log sim.Log) int {
	t.Helper()
	var rounds [2][]int // by thread, the round of the value it read; -1 for 0
	for th := range rounds {
		for _, v := range words(t, log, th, wire.Thread) {
			round := -1
			if v != 0 {
				round = int(v / uint64(p.Stride()))
			}
			rounds[th] = append(rounds[th], round)
		}
	}
	cycles := 0
	for i, a := range rounds[0] {
		if a+1 < len(rounds[1]) && rounds[1][a+1] < i {
			cycles++
		}
	}
	return cycles
}

// TestStoreBuffering sees what this hardware is known for, and sees that
// fences forbid it.
func TestStoreBuffering(t *testing.T) {
	needHost(t)
	if runtime.NumCPU() < 2 {
		t.Skip("one processor runs one thread at a time: nothing can be seen")
	}
	// It is seen within the first tries where two processors are free. Others may want
	// them: then both threads seldom run at the same time.
	const most = 2000
	for _, fenced := range []bool{true, false} {
		p, seen, tries := storeBuffering(fenced), 0, 0
		for ; tries < 10 || !fenced && seen == 0 && tries < most; tries++ {
			result := run(t, new(host.Runner), sim.Job{Program: p, Rounds: 1000, Dir: t.TempDir()})
			if result.Outcome != sim.Passed {
				t.Fatalf("%v %s", result.Outcome, result.Title)
			}
			seen += buffered(t, p, result.Log)
		}
		t.Logf("fenced %v: %d of %d rounds", fenced, seen, 1000*tries)
		if fenced && seen > 0 || !fenced && seen == 0 {
			t.Errorf("fenced %v: store buffering was seen %d times", fenced, seen)
		}
	}
}

func TestTimeoutKeepsPartialLog(t *testing.T) {
	needHost(t)
	p, dir := slow(), t.TempDir()
	r := &host.Runner{Emit: elf.Options{Sync: elf.SyncFree}}
	var result sim.Result
	// On a busy machine the second thread may take long to begin, as the first does to
	// use so much CPU time that its round ends.
	for timeout := 300 * time.Millisecond; timeout < time.Minute; timeout *= 3 {
		result = run(t, r, sim.Job{Program: p, Rounds: 3, Dir: dir, Timeout: timeout})
		if result.Outcome != sim.Infra || !result.LimitExceeded {
			t.Fatalf("%v %q after %v", result.Outcome, result.Title, result.Elapsed)
		}
		if len(words(t, result.Log, 1, wire.Thread)) > 0 {
			break
		}
	}
	if got := len(words(t, result.Log, 0, wire.Thread)); got != 0 {
		t.Errorf("thread 0: %d words, want none: its first round takes seconds", got)
	}
	if got := len(words(t, result.Log, 1, wire.Thread)); got != 3 {
		t.Errorf("thread 1: %d words, want 3", got)
	}
	noneLeft(t, dir)
}

func TestCancel(t *testing.T) {
	needHost(t)
	dir := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	// Its rounds take days: it is cancelled, or the test does not end.
	_, err := new(host.Runner).Run(ctx, sim.Job{Program: slow(), Rounds: 100_000, Dir: dir})
	if !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
	noneLeft(t, dir)
}

// noneLeft fails when any process still executes the program in dir.
func noneLeft(t *testing.T, dir string) {
	t.Helper()
	links, err := filepath.Glob("/proc/[0-9]*/exe")
	if err != nil || len(links) == 0 {
		t.Fatalf("%d processes: %v", len(links), err)
	}
	for _, link := range links {
		if target, err := os.Readlink(link); err == nil && strings.HasPrefix(target, dir) {
			t.Errorf("%s is still %s", link, target)
		}
	}
}

func TestDeadlock(t *testing.T) {
	needHost(t)
	// With a patience of one look some thread always misses another: thread 0
	// starts the others one after the other.
	p := storeBuffering(false)
	for range 62 {
		p.Threads = append(p.Threads, nil)
	}
	r := &host.Runner{Emit: elf.Options{Spin: 1}}
	result := run(t, r, sim.Job{Program: p, Rounds: 2, Dir: t.TempDir()})
	if result.Outcome != sim.Infra || result.Title != "guest gave up at the start barrier" {
		t.Errorf("%v %q", result.Outcome, result.Title)
	}
	words(t, result.Log, 63, wire.Thread)
}

func TestFullDisk(t *testing.T) {
	needHost(t)
	dir := t.TempDir()
	if err := os.Symlink("/dev/full", filepath.Join(dir, host.LogFile)); err != nil {
		t.Fatal(err)
	}
	result := run(t, new(host.Runner), sim.Job{Program: storeBuffering(false), Rounds: 2, Dir: dir})
	if want := "disk may be full"; result.Outcome != sim.Infra || !strings.Contains(result.Detail, want) {
		t.Errorf("%v %q, want infra with %q", result.Outcome, result.Detail, want)
	}
	if len(result.Log) != 0 {
		t.Errorf("%d bytes of log, want none", len(result.Log))
	}
}

// TestLimits has jobs that need more memory, or leave more, than they may.
func TestLimits(t *testing.T) {
	needHost(t)
	p := storeBuffering(false)
	const rounds = 1000
	log := elf.LogBytes(p, rounds)
	for _, test := range []struct {
		memory, size int64
		title        string
		kept         int64
	}{
		{0, 0, "", log},
		{64 << 20, log, "", log},
		{1 << 10, 0, "memory limit", 0},
		{0, log - 1, "log exceeds its limit", log - 1},
		{0, 1000, "log exceeds its limit", 1000},
	} {
		dir := t.TempDir()
		result := run(t, new(host.Runner), sim.Job{Program: p, Rounds: rounds, Dir: dir, Memory: test.memory, LogSize: test.size})
		want := sim.Infra
		if test.title == "" {
			want = sim.Passed
		}
		if result.Outcome != want || result.Title != test.title {
			t.Errorf("memory %d, log size %d: %v %q (%s), want %v %q",
				test.memory, test.size, result.Outcome, result.Title, result.Detail, want, test.title)
		}
		if got := int64(len(result.Log)); got != test.kept {
			t.Errorf("memory %d, log size %d: %d bytes kept, want %d", test.memory, test.size, got, test.kept)
		}
	}
}

// TestGuarded sees that what is executed is confined, where it can be.
func TestGuarded(t *testing.T) {
	needHost(t)
	if err := sandbox.GuestFilterError(); err != nil {
		t.Skipf("this machine confines no guests: %v", err)
	}
	dir := t.TempDir()
	run(t, new(host.Runner), sim.Job{Program: storeBuffering(false), Rounds: 1, Dir: dir})
	file, err := elf64.Open(filepath.Join(dir, host.ProgramFile))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close() // only read
	last := file.Progs[len(file.Progs)-1]
	if file.Entry != last.Vaddr || last.Flags != elf64.PF_R|elf64.PF_X {
		t.Errorf("the program starts at %#x, and not in the guard at %#x", file.Entry, last.Vaddr)
	}
}

// TestUnguarded has a machine that confines no guests.
func TestUnguarded(t *testing.T) {
	needHost(t)
	filterError := sandbox.GuestFilterError
	defer func() { sandbox.GuestFilterError = filterError }()
	sandbox.GuestFilterError = func() error { return errors.New("no seccomp") }
	job := sim.Job{Program: storeBuffering(false), Rounds: 1, Dir: t.TempDir()}
	result := run(t, new(host.Runner), job)
	if result.Outcome != sim.Infra || !strings.Contains(result.Detail, sandbox.UnconfinedVariable) {
		t.Errorf("%v %q, want what allows it", result.Outcome, result.Detail)
	}
	t.Setenv(sandbox.UnconfinedVariable, "1")
	if result := run(t, new(host.Runner), job); result.Outcome != sim.Passed {
		t.Errorf("%v %q", result.Outcome, result.Detail)
	}
}

func TestCannotStart(t *testing.T) {
	needHost(t)
	dir := t.TempDir()
	if err := os.Mkdir(filepath.Join(dir, host.ProgramFile), 0o755); err != nil {
		t.Fatal(err)
	}
	result := run(t, new(host.Runner), sim.Job{Program: storeBuffering(false), Rounds: 2, Dir: dir})
	if result.Outcome != sim.Infra || !strings.Contains(result.Detail, host.ProgramFile) {
		t.Errorf("%v %q", result.Outcome, result.Detail)
	}
}

func TestUnusableJobs(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	p := storeBuffering(false)
	for _, test := range []struct {
		job  sim.Job
		want string
	}{
		{sim.Job{Rounds: 1, Dir: t.TempDir()}, "without a program"},
		{sim.Job{Program: p, Dir: t.TempDir()}, "rounds 0"},
		{sim.Job{Program: p, Rounds: 1, Dir: file + "s"}, "no such file"},
		{sim.Job{Program: p, Rounds: 1, Dir: file}, "not a directory"},
		{sim.Job{Program: &gen.Program{}, Rounds: 1, Dir: t.TempDir()}, "0 threads"},
	} {
		if _, err := new(host.Runner).Run(context.Background(), test.job); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("error %v, want one with %q", err, test.want)
		}
	}
}

func TestVersion(t *testing.T) {
	r, processors := new(host.Runner), fmt.Sprintf(", %d processors, ", runtime.NumCPU())
	got := r.Version(context.Background())
	if !strings.HasPrefix(got, runtime.GOOS+" ") || !strings.Contains(got, processors) {
		t.Errorf("version %q, want %q first and %q in it", got, runtime.GOOS, processors)
	}
	if want := "confined by seccomp"; !strings.HasSuffix(got, want) && sandbox.GuestFilterError() == nil {
		t.Errorf("version %q, want %q last", got, want)
	}
	if r.Name() != "host" {
		t.Errorf("name %q", r.Name())
	}
}

// BenchmarkLaunch is the cost of a small program: emitting, writing and
// starting it, and reading its log. Processor time is this process's and that
// of the program together, wall-clock time being at the mercy of the machine.
func BenchmarkLaunch(b *testing.B) {
	needHost(b)
	dir, p := b.TempDir(), storeBuffering(false)
	before := processorTime(b)
	for b.Loop() {
		run(b, new(host.Runner), sim.Job{Program: p, Rounds: 10, Dir: dir})
	}
	b.ReportMetric(float64((processorTime(b)-before).Microseconds())/float64(b.N), "cpu-µs/op")
}

// processorTime is what this process and those that it has collected took.
func processorTime(tb testing.TB) (sum time.Duration) {
	for _, who := range []int{syscall.RUSAGE_SELF, syscall.RUSAGE_CHILDREN} {
		var usage syscall.Rusage
		if err := syscall.Getrusage(who, &usage); err != nil {
			tb.Fatal(err)
		}
		sum += time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
	}
	return sum
}

// BenchmarkThroughput is 4 threads × 1,000 operations × 1,000 rounds.
func BenchmarkThroughput(b *testing.B) {
	needHost(b)
	const threads, ops, rounds, locations = 4, 1000, 1000, 16
	p := &gen.Program{Layout: gen.Spread}
	for l := range locations {
		p.Locations = append(p.Locations, fmt.Sprintf("x%d", l))
	}
	for t := range threads {
		var thread []gen.Op
		for i := range ops {
			op := gen.Op{Kind: gen.Load, Loc: gen.LocID((t*7 + i*5 + i/3) % locations)}
			if i%3 == 0 {
				op.Kind, op.Value = gen.Store, gen.Value(1+t*ops+i)
			}
			thread = append(thread, op)
		}
		p.Threads = append(p.Threads, thread)
	}
	for _, sync := range []elf.Sync{elf.SyncFree, elf.SyncRound} {
		b.Run([]string{elf.SyncFree: "free", elf.SyncRound: "round"}[sync], func(b *testing.B) {
			dir, r := b.TempDir(), &host.Runner{Emit: elf.Options{Sync: sync}}
			for b.Loop() {
				if result := run(b, r, sim.Job{Program: p, Rounds: rounds, Dir: dir}); result.Outcome != sim.Passed {
					b.Fatal(result.Title)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/(threads*ops*rounds), "ns/operation")
		})
	}
}
