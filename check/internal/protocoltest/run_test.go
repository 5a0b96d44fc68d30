// Package protocoltest judges what the embedded simulator shows on the
// coherence protocols that come with it: that each kind of core keeps its
// model on them, and what mutants of them break. It stands here because
// packages of the room sim may not import the checker.
package protocoltest

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/latency"
	"ordeal/sim/builtin/ruby/cache"
)

var soak = flag.Bool("soak", false, "run every mutant to its verdict, and the clean protocols at full length")

// promise is the model that each kind of core keeps, and the strongest one
// that it does not; sequential consistency has none above it.
var promise = []struct {
	kind          core.Kind
	keeps, breaks model.Model
}{
	{core.InOrder, model.SC, model.Model{}},
	{core.TSO, model.TSO, model.SC},
	{core.OOO, model.TSO, model.SC},
	{core.PSO, model.PSO, model.TSO},
	{core.RMO, model.RMO, model.PSO},
}

// kept is the model that a kind of core keeps.
func kept(k core.Kind) model.Model {
	for _, p := range promise {
		if p.kind == k {
			return p.keeps
		}
	}
	panic("a kind of core without a promise: " + k.String())
}

// load is a kind of random program and a machine for it.
type load struct {
	core    core.Kind
	latency latency.Model // of messages; zero means the default
	threads int
	ops     int // of each thread
	lines   int // locations
	layout  gen.Layout
	rounds  int
	window  int // of out-of-order cores; 0 means the default
	// caches is the size of each; zero means the defaults.
	caches      cache.Geometry
	directories int // 0 means one
}

func (l load) String() string {
	return fmt.Sprintf("%s, latency %d+%d, %d threads with %d operations on %d locations (%s), %d rounds",
		l.core, l.latency.Base, l.latency.Jitter, l.threads, l.ops, l.lines, l.layout, l.rounds)
}

// program is the random program of a seed.
func (l load) program(t testing.TB, seed uint64) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations, o.Layout = l.threads, l.ops, l.lines, l.layout
	o.Mix = gen.Mix{Load: 46, Store: 44, Exchange: 3, Add: 3, Fence: 4}
	if seed%2 == 1 {
		o.Locality = 0
	}
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// machine is the machine for the load, without a protocol.
func (l load) machine() builtin.Options {
	return builtin.Options{
		Core: l.core, Latency: l.latency, Window: l.window,
		Private: l.caches, Shared: l.caches, Directories: l.directories,
	}
}

// runner makes a simulator for the load on a protocol.
func (l load) runner(t testing.TB, protocol string) *builtin.Runner {
	t.Helper()
	o := l.machine()
	o.Protocol = protocol
	r, err := builtin.New(o)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// verdict is what comes of a run.
type verdict string

// The verdicts. A run that comes to its end is judged by the model of its
// cores; a value that nobody wrote is a violation of every model.
const (
	passed    verdict = "passed"
	violation verdict = "violation"
	crash     verdict = "crash"
	deadlock  verdict = "deadlock"
	livelock  verdict = "livelock"
)

var outcomes = map[sim.Outcome]verdict{
	sim.Passed: passed, sim.Crash: crash, sim.Deadlock: deadlock, sim.Timeout: livelock,
}

// judged is a run with its verdict.
type judged struct {
	verdict verdict
	why     string // for a verdict other than passed
	history *parse.History
	report  builtin.Report
}

// run runs the program of a seed and judges it.
func (l load) run(t testing.TB, r *builtin.Runner, seed uint64) judged {
	t.Helper()
	p := l.program(t, seed)
	report, err := r.Simulate(t.Context(), sim.Job{Program: p, Rounds: l.rounds, Seed: seed})
	if err != nil {
		t.Fatal(err)
	}
	j := judged{verdict: outcomes[report.Outcome], why: report.Title + "\n" + report.Detail, report: report}
	if j.verdict == "" {
		t.Fatalf("seed %d: %s: %s\n%s", seed, report.Outcome, report.Title, report.Detail)
	}
	if j.verdict != passed {
		return j
	}
	j.history, err = parse.Native(p, l.rounds, report.Log)
	if err != nil {
		j.verdict, j.why = violation, err.Error()
	} else if m := kept(l.core); answer(t, j.history, m) == check.Forbidden {
		j.verdict, j.why = violation, "forbidden by "+m.Name
	}
	return j
}

// answer judges a history by a model.
func answer(t testing.TB, h *parse.History, m model.Model) check.Answer {
	t.Helper()
	v, err := check.Check(t.Context(), h, m, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if v.Answer == check.Unknown {
		t.Fatalf("%s is undecided: %s", m.Name, v.Reason)
	}
	return v.Answer
}
