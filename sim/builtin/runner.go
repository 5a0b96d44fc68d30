// Package builtin is the embedded simulator: a sim.Job goes in, and cores of a
// memory model on a memory system run it event by event in this process. The
// same job gives the same log and the same sequence of events on every machine.
package builtin

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/machine"
	"ordeal/sim/ruby"
)

// DefaultTimeout bounds a job that names no bound.
const DefaultTimeout = time.Minute

// Runner runs programs on the embedded simulator. One Runner may run many jobs
// at the same time.
type Runner struct {
	options Options
	// build makes the memory system; tests replace it.
	build builder
	// protocol is the coherence protocol; nil without one.
	protocol *ruby.Protocol
}

var _ sim.Runner = (*Runner)(nil)

// New makes a runner. The error lists everything that is wrong with the
// options, or with the protocol that they name.
func New(o Options) (*Runner, error) {
	r := &Runner{options: o.withDefaults(), build: buildIdeal}
	err := o.Validate()
	if err == nil {
		err = r.loadProtocol()
	}
	if err == nil && r.protocol == nil {
		r.options.divideRMW()
	}
	if err == nil && r.protocol == nil && r.options.RMW == core.LinkedLoad {
		err = option.Faultf("rmw", "llsc on memory %s: want a coherence protocol", r.options.Protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("configure embedded simulator: %w", err)
	}
	return r, nil
}

func (r *Runner) loadProtocol() error {
	o := &r.options
	p, name, err := o.compile()
	if p == nil || err != nil {
		return err
	}
	if err := p.Check(o.ruby(size{cores: max(o.Cores, 1)}, 0)); err != nil {
		return err
	}
	if o.Flush > 0 && !p.Flushes() {
		return fmt.Errorf("protocol %s has no flushes of lines: moesi-hammer has, and of gem5's protocols for processors only MOESI_hammer", name)
	}
	if o.Prefetch > 0 && !p.Prefetches() {
		return option.Faultf("prefetch", "protocol %s takes no prefetches: mesi-two-level does, and in gem5 MESI_Two_Level, MESI_Three_Level and CHI", name)
	}
	if o.PrefetchStreams > 0 && !p.Streams() {
		return option.Faultf("prefetch-streams", "protocol %s tells no RubyPrefetcher of misses: mesi-two-level does, and in gem5 MESI_Two_Level and MESI_Three_Level", name)
	}
	if o.Functional > 0 {
		if err := p.CheckFunctional(); err != nil {
			return option.Faultf("functional", "protocol %s: %v", name, err)
		}
	}
	if err := o.chooseRMW(p, name); err != nil {
		return err
	}
	o.Protocol, r.protocol = name, p
	r.build = func(q *event.Queue, o *Options, n size, seed uint64) memory.System {
		return ruby.New(q, p, o.ruby(n, seed))
	}
	return nil
}

// chooseRMW checks how cores perform read-modify-writes on a protocol, and makes the
// default one of them.
func (o *Options) chooseRMW(p *ruby.Protocol, name string) error {
	if o.RMW == core.RMWDefault && p.Locks() && o.Core.Allows(core.Locked) && !slices.Contains(o.Bugs, core.SplitRMW) {
		o.RMW = core.Locked
	}
	switch {
	case (o.RMW == core.Locked || o.LockHold > 0) && !p.Locks():
		return option.Faultf("rmw", "protocol %s has no locks for read-modify-writes", name)
	case o.RMW == core.LinkedLoad && !p.Links():
		return option.Faultf("rmw", "protocol %s has no data cache for linked loads", name)
	}
	return nil
}

// divideRMW has cores of Arm perform the two parts of an atomic instruction apart,
// on a memory where no other access waits behind one of a locked line.
func (o *Options) divideRMW() {
	if o.Core == core.Arm && o.RMW == core.RMWDefault && !slices.Contains(o.Bugs, core.SplitRMW) {
		o.RMW = core.Locked
	}
}

// Name is "builtin".
func (*Runner) Name() string { return "builtin" }

// Version names the machine that is simulated.
func (r *Runner) Version(context.Context) string {
	return fmt.Sprintf("protocol %s, %s cores", r.options.Protocol, r.options.Core)
}

// Run simulates a job; see Simulate. The Detail of a passed run is its
// statistics in one line.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	report, err := r.Simulate(ctx, job)
	return report.Result, err
}

// Observe simulates a job as Run does, and calls steps with every transition of
// the coherence protocol and accesses with every access of a core, in order. A
// step comes before the accesses that are part of it. The error is ctx's, or
// that of a job that cannot be run.
func (r *Runner) Observe(ctx context.Context, job sim.Job, steps func(ruby.Step), accesses func(core.Access)) (sim.Result, error) {
	observed := *r
	observed.options = r.options.unobserved()
	observed.options.Trace, observed.options.Accesses = steps, accesses
	return observed.Run(ctx, job)
}

// Repeats reports whether cores repeat a load that performed early when they lose
// its line, by which loads take effect in program order.
func (r *Runner) Repeats() bool { return r.options.Core == core.OOO }

// check reports a job that cannot be run at all.
func (r *Runner) check(job sim.Job) error {
	if job.Program == nil {
		return errors.New("job without a program")
	}
	if err := job.Program.ValidateRounds(job.Rounds); err != nil {
		return err
	}
	return r.checkAgents(job.Program)
}

// valueBytes is what a value takes that is read or written: with the threads or the write
// order, and in the log.
const valueBytes = 2 * int64(unsafe.Sizeof(gen.Value(0)))

// unasked is what the values of a job may take without asking what memory there is.
const unasked = 1 << 28

// fits returns an error if the values of a job do not fit into its memory, or
// into that of the machine where it has no limit.
func fits(job sim.Job) error {
	p := job.Program
	// An operation reads and writes a value at most.
	if job.Memory == 0 && 2*valueBytes*int64(p.Ops())*int64(job.Rounds) <= unasked {
		return nil
	}
	n := 0
	for t := range p.Threads {
		n += p.Reads(gen.ThreadID(t))
	}
	for _, writes := range p.Writes() {
		n += writes
	}
	need, limit := valueBytes*int64(n)*int64(job.Rounds), job.Memory
	if limit == 0 {
		limit = available()
	}
	if limit > 0 && need > limit {
		return fmt.Errorf("the values of the run take %d bytes of memory: the limit is %d", need, limit)
	}
	return nil
}

// available is the memory that this process may take.
var available = machine.Memory

// Report is the result of a simulation with its statistics.
type Report struct {
	sim.Result
	Statistics Statistics
	_          struct{}
}

// Simulate simulates a job. Each thread has a core, device or fetcher of
// its own; spare cores run none. Nothing is read from or written to the job's directory.
//
// The outcome is Passed when all threads came to their end; the log then has
// the final values and the order of the stores to each location. It is Crash
// when an assertion of the memory system failed; Deadlock when an access is
// older than the watchdog permits or nothing is left that could happen;
// Timeout when the budget of events is used up; Infra when the time of the job
// is, or for a fault of the simulator itself. The log then holds what the threads
// had read. It is Infra, too, without a log, where the values alone do not fit
// into the memory of the job or of the machine.
func (r *Runner) Simulate(ctx context.Context, job sim.Job) (report Report, err error) {
	if err := r.check(job); err != nil {
		return Report{}, fmt.Errorf("run on embedded simulator: %w", err)
	}
	start := time.Now()
	defer func() {
		if fault := recover(); fault != nil {
			report, err = Report{Result: sim.Result{
				Outcome: sim.Infra, Title: "fault of the embedded simulator",
				Detail: fmt.Sprintf("%v\n%s", fault, debug.Stack()),
			}}, nil
		}
		report.Elapsed = time.Since(start)
	}()
	if err := fits(job); err != nil {
		report.Result = sim.Result{Outcome: sim.Infra, Title: "memory limit", Detail: err.Error()}
		return report, nil
	}
	s := newSimulation(r, job)
	report.Result = s.run(ctx, start.Add(cmp.Or(job.Timeout, DefaultTimeout)))
	if ctx.Err() != nil {
		return Report{}, fmt.Errorf("run on embedded simulator: %w", ctx.Err())
	}
	report.Log = s.log(report.Outcome == sim.Passed)
	report.Statistics = s.statistics()
	report.Work = s.work()
	if protocol, ok := s.system.(*ruby.System); ok {
		report.Coverage = protocol.Coverage()
		protocol.Release()
	}
	s.queue.Release()
	if report.Outcome == sim.Passed {
		report.Detail = report.Statistics.String()
	}
	return report, nil
}
