package builtin

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// randomProgram is a program of some threads from a seed.
func randomProgram(t *testing.T, seed uint64, threads int) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.Threads, o.Ops = threads, 60
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// manyThreads is as many threads as cores can be for one kind of core, and some
// for the others and in a short test.
func manyThreads(k core.Kind) int {
	if testing.Short() || k != core.OOO {
		return 8
	}
	return MaxCores
}

func newRunner(t *testing.T, o Options) *Runner {
	t.Helper()
	r, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// ends runs a job, requires the outcome and the title, and texts in the detail.
func ends(t *testing.T, r *Runner, job sim.Job, outcome sim.Outcome, title string, details ...string) Report {
	t.Helper()
	report, err := r.Simulate(t.Context(), job)
	if err != nil {
		t.Fatalf("%s, seed %d: %v", r.Version(t.Context()), job.Seed, err)
	}
	if report.Outcome != outcome || report.Title != title {
		t.Fatalf("%s, seed %d: got %s %q, want %s %q\n%s", r.Version(t.Context()), job.Seed, report.Outcome, report.Title, outcome, title, report.Detail)
	}
	for _, want := range details {
		if !strings.Contains(report.Detail, want) {
			t.Errorf("detail lacks %q:\n%s", want, report.Detail)
		}
	}
	return report
}

// machines lists all protocols, and the small one, with all kinds of core.
func machines() []Options {
	var list []Options
	for _, protocol := range Protocols() {
		for _, k := range core.Kinds() {
			list = append(list, Options{Protocol: protocol, Core: k})
		}
	}
	for _, k := range core.Kinds() {
		list = append(list, Options{SLICC: smallProtocol, Core: k})
	}
	return list
}

func TestSameJobSameRun(t *testing.T) {
	for _, o := range machines() {
		r, p := newRunner(t, o), randomProgram(t, 1, 4)
		simulate := func(seed uint64) Report {
			return ends(t, r, sim.Job{Program: p, Rounds: 3, Seed: seed}, sim.Passed, "")
		}
		first, second, other := simulate(1), simulate(1), simulate(2)
		if !bytes.Equal(first.Log, second.Log) || first.Statistics != second.Statistics {
			t.Errorf("%s/%s: the same job runs in two ways:\n%s\n%s", o.Protocol, o.Core, first.Detail, second.Detail)
		}
		if bytes.Equal(first.Log, other.Log) || first.Statistics.Hash == other.Statistics.Hash {
			t.Errorf("%s/%s: seeds 1 and 2 run alike", o.Protocol, o.Core)
		}
	}
}

// TestOptionsMatter changes one option at a time.
func TestOptionsMatter(t *testing.T) {
	p := randomProgram(t, 1, 4)
	hash := func(o Options) uint64 {
		return ends(t, newRunner(t, o), sim.Job{Program: p, Rounds: 3}, sim.Passed, "").Statistics.Hash
	}
	base := Options{Protocol: IdealCached, Core: core.OOO}
	seen := map[uint64]string{hash(base): "the defaults"}
	for name, change := range map[string]func(*Options){
		"protocol": func(o *Options) { o.Protocol = Ideal },
		"core":     func(o *Options) { o.Core = core.RMO },
		"buffer":   func(o *Options) { o.Buffer = 2 },
		"window":   func(o *Options) { o.Window = 3 },
		"latency":  func(o *Options) { o.Latency = event.Latency{Base: 30} },
		"lines":    func(o *Options) { o.Lines = 1 },
		"fifo":     func(o *Options) { o.Order = event.FIFO },
		"lifo":     func(o *Options) { o.Order = event.LIFO },
		"locked":   func(o *Options) { o.RMW = core.Locked },
		"bug":      func(o *Options) { o.Bugs = []core.Bug{core.LoadNotSquashed} },
	} {
		o := base
		change(&o)
		h := hash(o)
		if other, ok := seen[h]; ok {
			t.Errorf("%s and %s run alike", name, other)
		}
		seen[h] = name
	}
}

func TestThreadCounts(t *testing.T) {
	for _, o := range machines() {
		for _, threads := range []int{1, 2, manyThreads(o.Core)} {
			p := randomProgram(t, 1, threads)
			p.Threads[0] = nil
			ends(t, newRunner(t, o), sim.Job{Program: p, Rounds: 2}, sim.Passed, "")
		}
	}
}

// broken is a memory system that goes wrong at one of its accesses.
type broken struct {
	memory.System
	ports []brokenPort
}

func (b *broken) Port(core int) memory.Port { return &b.ports[core] }

type brokenPort struct {
	memory.Port
	queue *event.Queue
	left  int // accesses until it goes wrong
	do    func(core int) bool
	core  int
	wrong event.Tick // when it went wrong
}

func (p *brokenPort) Access(r memory.Request) bool {
	if p.left--; p.left == 0 {
		p.wrong = p.queue.Now()
		return p.do(p.core)
	}
	return p.Port.Access(r)
}

func (p *brokenPort) Oldest() (memory.Addr, event.Tick, bool) {
	if p.wrong > 0 {
		return 0, p.wrong, true
	}
	return p.Port.Oldest()
}

// breakAt makes the runner's memory call do instead of starting the n-th
// access of the last core.
func breakAt(r *Runner, left int, do func(q *event.Queue, s *memory.Sequencer) bool) {
	r.build = func(q *event.Queue, o *Options, n size, seed uint64) memory.System {
		b := &broken{System: buildIdeal(q, o, n, seed)}
		for i := range n.cores {
			b.ports = append(b.ports, brokenPort{Port: b.System.Port(i), queue: q, core: i})
		}
		last := &b.ports[n.cores-1]
		last.left = left
		last.do = func(core int) bool { return do(q, b.System.Port(core).(*memory.Sequencer)) }
		return b
	}
}

func TestDeadlock(t *testing.T) {
	r := newRunner(t, Options{Core: core.TSO})
	breakAt(r, 5, func(*event.Queue, *memory.Sequencer) bool { return true }) // and forgotten
	result := ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 3}, sim.Deadlock, "deadlock",
		"nothing is left that could happen", "core 0: has no operation left", "core 1: ")
	if len(result.Log) == 0 {
		t.Error("the log is empty")
	}
}

// TestWatchdog loses an access in a memory that goes on with other things.
func TestWatchdog(t *testing.T) {
	r := newRunner(t, Options{Core: core.InOrder, Watchdog: 5_000})
	breakAt(r, 5, stayBusy)
	ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 3}, sim.Deadlock, "deadlock",
		"nothing is in flight", "core 1: waits for ")
}

// busy has an event at every tick.
type busy struct {
	queue *event.Queue
	self  event.Actor
}

func (b *busy) Handle(uint64) { b.queue.At(b.queue.Now()+1, b.self, 0) }

// stayBusy loses an access, and has events for ever.
func stayBusy(q *event.Queue, _ *memory.Sequencer) bool {
	busy := &busy{queue: q}
	busy.self = q.Add(busy)
	busy.Handle(0)
	return true
}

func TestBudget(t *testing.T) {
	const budget = 700
	r := newRunner(t, Options{Core: core.TSO, Budget: budget})
	report := ends(t, r, sim.Job{Program: randomProgram(t, 1, 4), Rounds: 3}, sim.Timeout, "step budget used up")
	if report.Statistics.Events != budget {
		t.Errorf("%d events, want %d", report.Statistics.Events, budget)
	}
	// A memory that is busy with itself ends before the default budget.
	r = newRunner(t, Options{Core: core.TSO, Watchdog: 1 << 40})
	breakAt(r, 5, stayBusy)
	ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 1}, sim.Deadlock, "deadlock")
}

func TestTimeLimit(t *testing.T) {
	r := newRunner(t, Options{Core: core.TSO})
	ends(t, r, sim.Job{Program: randomProgram(t, 1, 4), Rounds: 1000, Timeout: time.Microsecond}, sim.Infra, "time limit exceeded")
}

func TestCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r := newRunner(t, Options{Core: core.TSO})
	if _, err := r.Run(ctx, sim.Job{Program: randomProgram(t, 1, 4), Rounds: 1000}); !errors.Is(err, context.Canceled) {
		t.Fatalf("error %v", err)
	}
}

func TestCrash(t *testing.T) {
	r := newRunner(t, Options{Core: core.OOO})
	breakAt(r, 5, func(q *event.Queue, s *memory.Sequencer) bool {
		s.WriteCallback(memory.Base+1<<20, &memory.Block{})
		return true
	})
	ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 3}, sim.Crash, "sequencer: write completed that was never issued",
		"core 1, line 0x200000", "core 0: ")
}

func TestFaultsOfTheSimulator(t *testing.T) {
	for detail, do := range map[string]func(q *event.Queue, s *memory.Sequencer) bool{
		"a broken invariant": func(*event.Queue, *memory.Sequencer) bool { panic("a broken invariant") },
		"unexpected EOF":     func(q *event.Queue, _ *memory.Sequencer) bool { q.Fail(io.ErrUnexpectedEOF); return true },
	} {
		r := newRunner(t, Options{Core: core.OOO})
		breakAt(r, 5, do)
		ends(t, r, sim.Job{Program: randomProgram(t, 1, 2), Rounds: 3}, sim.Infra, "fault of the embedded simulator", detail)
	}
}

func TestUnusableJobs(t *testing.T) {
	r := newRunner(t, Options{Core: core.TSO})
	p := randomProgram(t, 1, 2)
	for name, job := range map[string]sim.Job{
		"no program":      {Rounds: 1},
		"no rounds":       {Program: p},
		"too many rounds": {Program: p, Rounds: p.MaxRounds() + 1},
		"invalid program": {Program: &gen.Program{}, Rounds: 1},
	} {
		if _, err := r.Run(t.Context(), job); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

func TestNewReportsAllFaults(t *testing.T) {
	_, err := New(Options{
		Protocol: "mesi", Buffer: -1, Window: -1, Latency: event.Latency{Base: -1},
		Lines: -1, Watchdog: -1, Bugs: []core.Bug{core.SplitRMW},
	})
	if err == nil {
		t.Fatal("no error")
	}
	for _, want := range []string{"mesi", "kind", "buffer", "window", "latency", "lines", "watchdog", "split-rmw"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("the error does not mention %s: %v", want, err)
		}
	}
}
