package audit

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/diagnose"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/gen/guided"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/ruby"
)

// What a turn of a simulating engine is.
const (
	turnRuns = 4
	// checkCost is what checking an operation costs, in events.
	checkCost = 10
	// misfits is how many machines in a row may be unusable.
	misfits = 1000
)

// Bounds on the time of a run and of its check, which are not meant to be
// reached: runs have a budget of events.
const (
	runTime   = time.Minute
	checkTime = 30 * time.Second
)

// simulation is an engine that runs programs.
type simulation struct {
	*session
	kind   Engine
	rng    *rand.Rand
	space  *guided.Space
	search *guided.Search // of Guided
	rows   rowNumbers
	seed   uint64
	n      uint64 // candidates so far
}

func newSimulation(s *session, e Engine) *simulation {
	stream := uint64(0)
	for _, c := range []byte(e) {
		stream = stream<<8 | uint64(c)
	}
	x := &simulation{session: s, kind: e, rng: rand.New(rand.NewPCG(s.o.Seed, stream)), space: space(s.protocol, s.sizes, e), rows: rowNumbers{}}
	if s.cores > 0 {
		x.space.Threads = slices.DeleteFunc(x.space.Threads, func(n int) bool { return n > s.cores })
	}
	x.seed = x.rng.Uint64() >> 20 // JSON keeps 53 bits
	return x
}

func (x *simulation) candidate() (*guided.Candidate, error) {
	switch {
	case (x.kind == Sample || x.kind == Faithful) && x.report.Steps >= crowdAfter && x.cores == 0:
		return crowded(x.space).Random(x.rng)
	case x.kind != Guided:
		return x.space.Random(x.rng)
	}
	if x.search == nil {
		var err error
		if x.search, err = guided.NewSearch(x.space, x.rng); err != nil {
			return nil, err
		}
	}
	return x.search.Next()
}

func (x *simulation) runs() int { return turnRuns }

// candidateRun is a candidate on its machine.
type candidateRun struct {
	*simulation
	c        *guided.Candidate
	m        config.Machine
	on       *builtin.Runner
	job      sim.Job
	features []string
}

func (x *simulation) draw() (attempt, error) {
	c, m, on, err := x.next()
	if err != nil {
		return nil, err
	}
	job := sim.Job{Program: c.Program, Rounds: c.Rounds, Seed: x.seed + x.n, Timeout: runTime}
	return &candidateRun{x, c, m, on, job, x.features(c, &m)}, nil
}

func (r *candidateRun) run(ctx context.Context) (*outcome, error) {
	res, events, err := evaluateRun(ctx, r.on, r.job, &r.m)
	if err != nil {
		return nil, err
	}
	out := &outcome{Drawn: journal.Drawn{Steps: events + checkCost*uint64(r.c.Ops())}, result: res, seed: r.job.Seed, program: r.c.Program}
	if r.search != nil {
		out.Writers = writersOf(res.History)
	}
	switch {
	case failed(res):
		f := &Finding{
			Title: res.FindingTitle(), Failure: res.Failure.Failure, Outcome: res.Outcome.String(), Detail: res.Detail, Machine: r.m, Program: string(r.c.Program.Text()),
			Rounds: r.c.Rounds, Seed: r.job.Seed, Conditions: Conditions(&r.m, &res.Failure.Failure), Needs: r.features,
		}
		var spent uint64
		if out.result, out.program, spent, err = r.examine(ctx, f, r.job, res, events); err != nil {
			return nil, err
		}
		out.Steps += spent
		f.Failure = out.result.Failure.Failure
		out.finding, out.Conditions, out.Needs, out.seed = f, f.Conditions, f.Needs, f.Seed
		out.result.Coverage, out.result.Covered = res.Coverage, res.Covered // of the run that was drawn
		if f.Tries > 0 {
			out.result.Timing = &run.Timing{Seeds: f.Tries, Same: f.Faithful}
		}
		r.m = f.Machine
	case res.Failed():
		res.Fail(sim.Passed, sim.Failure{}) // it was long
		res.Failure, res.Answers = diagnose.Failure{}, nil
	}
	out.config = r.config(r.m)
	out.config.Rounds = r.job.Rounds
	out.config.Threads, out.config.Layout, out.config.Locations = out.program.Cores(), out.program.Layout, len(out.program.Locations)
	return out, nil
}

func (r *candidateRun) add(out *outcome, w *Work) {
	operations := uint64(out.result.Operations) // as the summary of the campaign counts them
	w.Runs++
	w.Operations += operations
	r.report.Operations += operations
	r.report.Coverage.Add(out.result.Coverage)
	if r.search != nil {
		r.search.Observe(r.c, guided.Feedback{Taken: r.rows.taken(out.result.Coverage), Writers: out.Writers})
	}
	var ended *Finding
	if out.finding != nil {
		r.found(out.finding, w)
		ended = r.report.Find(out.finding.Title)
	}
	r.masked.learn(r.features, ended)
}

func (r *candidateRun) restore(e *journal.Entry) (*outcome, error) {
	if hash := run.Hash(r.c.Program.Text()); !e.Failed() && e.Program != hash {
		return nil, fmt.Errorf("run %d: its program is not the one that is drawn next: the journal is of another version, or was changed", e.Number)
	}
	return restored(e), nil
}

// examine looks closer at a failure: how little shows it if its title is new, and at which
// latencies. It returns the run that is left, and its program.
func (x *simulation) examine(ctx context.Context, f *Finding, job sim.Job, res *run.Evaluation, events uint64) (*run.Evaluation, *gen.Program, uint64, error) {
	if x.report.Find(f.Title) != nil {
		return res, job.Program, 0, nil
	}
	job, res, cost, err := x.simplify(ctx, f, job, res, events)
	if err != nil {
		return nil, nil, cost, err
	}
	spent, err := x.repeatFaithful(ctx, f, job, events)
	return res, job.Program, cost + spent, err
}

// features names those of a candidate on its machine.
func (x *simulation) features(c *guided.Candidate, m *config.Machine) []string {
	return names((&subject{*m, c.Program, x.repaired != nil}).features())
}

// next draws candidates until one fits its machine. Those that are likely to end with
// what is known are drawn again, except where the search itself chooses.
func (x *simulation) next() (*guided.Candidate, config.Machine, *builtin.Runner, error) {
	var last error
	for range misfits {
		x.n++
		c, err := x.candidate()
		if err != nil {
			last = err
			continue
		}
		m := x.on(machine(x.sizes, c, x.kind))
		if x.search == nil && x.rng.Float64() < x.masked.share(x.features(c, &m)) {
			continue
		}
		on, err := x.runner(&m)
		if err == nil {
			return c, m, on, nil
		}
		last = err
	}
	return nil, config.Machine{}, nil, fmt.Errorf("no machine fits the protocol: %w", last)
}

// runner is the simulator of a machine, whose protocol is compiled already.
func (s *session) runner(m *config.Machine) (*builtin.Runner, error) {
	if m.Repair {
		return compiled(m, s.repaired)
	}
	return compiled(m, s.protocol)
}

// compiled is the simulator of a machine, with a protocol that is compiled already unless it is nil.
func compiled(m *config.Machine, protocol *ruby.Protocol) (*builtin.Runner, error) {
	o, err := m.Builtin()
	if err != nil {
		return nil, err
	}
	if protocol != nil {
		o = o.With(protocol)
	}
	return builtin.New(o)
}

// run executes and checks a job.
func evaluateRun(ctx context.Context, on *builtin.Runner, job sim.Job, m *config.Machine) (*run.Evaluation, uint64, error) {
	models, err := config.ParseModels(m.Promise())
	if err != nil {
		return nil, 0, err
	}
	report, err := on.Simulate(ctx, job)
	if err != nil {
		return nil, 0, err
	}
	x := run.Executor{Runner: on, Check: run.CheckOptions{Models: models, Options: check.Options{Timeout: checkTime}, Workers: 1}}
	res, err := x.Evaluate(ctx, job, &report.Result)
	return res, report.Statistics.Events, err
}

// failed reports whether a run shows a finding. One that has used up its budget of
// events while operations were performed shows none: it was long.
func failed(res *run.Evaluation) bool { return res.Failed() && res.Outcome != sim.Timeout }

// faithfulTries is how many seeds a new finding is repeated with.
const faithfulTries = 5

// repeatFaithful repeats a failing run at latencies near gem5's. One that has not failed
// in twice the events of the one that did is taken for one that does not fail.
func (x *simulation) repeatFaithful(ctx context.Context, f *Finding, job sim.Job, events uint64) (cost uint64, err error) {
	m := f.Machine
	m.StepBudget = 2*events + eventsPerOp
	m.Reorder, m.MemoryReorder = "", false
	setLatency(&m, faithful)
	on, err := x.runner(&m)
	if err != nil {
		return 0, nil //nolint: the machine may need the order that it was given
	}
	for range faithfulTries {
		res, spent, err := evaluateRun(ctx, on, job, &m)
		cost += spent
		if err != nil {
			return cost, err
		}
		f.Tries++
		if failure := f.Diagnosis(); res.Failed() && res.Failure.Same(&failure, diagnose.Exactly) {
			f.Faithful++
		}
		job.Seed++
	}
	return cost, nil
}

// Conditions lists what a machine has that gem5's configurations do not have, and a failure that no
// memory system excludes.
func Conditions(m *config.Machine, failure *sim.Failure) []string {
	var list []string
	if failure.Text == sim.StoresFail {
		list = append(list, "linked loads, whose conditional stores no machine promises to succeed")
	}
	if m.Reorder == "all" {
		list = append(list, Unordered)
	}
	if fewTransactions(m) {
		list = append(list, fmt.Sprintf("%d transactions", m.TBEs))
	}
	for _, p := range m.SetParameter {
		list = append(list, "parameter "+p)
	}
	return list
}

// fewTransactions reports whether there is room for fewer than gem5 has anywhere.
func fewTransactions(m *config.Machine) bool { return m.TBEs > 0 && m.TBEs < 16 }
