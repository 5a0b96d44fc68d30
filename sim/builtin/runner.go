// Package builtin is the embedded simulator: cores of several strengths on a
// memory system, run event by event in this process. The same job gives the
// same log and the same sequence of events on every machine.
package builtin

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ordeal/sim"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/protocols"
)

// DefaultTimeout bounds a job that names no bound.
const DefaultTimeout = time.Minute

// Runner runs programs on the embedded simulator. One Runner may run many jobs
// at the same time.
type Runner struct {
	options Options
	// build makes the memory system; tests put broken ones in its place.
	build builder
	// unreachable says of transitions, without counts, why no run takes them.
	unreachable map[sim.Transition]string
}

var _ sim.Runner = (*Runner)(nil)

// New makes a runner. The error lists everything that is wrong with the
// options, or with the protocol that they name.
func New(o Options) (*Runner, error) {
	if err := o.Validate(); err != nil {
		return nil, fmt.Errorf("configure embedded simulator: %w", err)
	}
	r := &Runner{options: o.withDefaults(), build: buildSystem}
	p, name, err := r.options.compile()
	if err != nil {
		return nil, fmt.Errorf("configure embedded simulator: %w", err)
	}
	if p == nil {
		return r, nil
	}
	if err := p.Check(r.options.ruby(1, 0)); err != nil {
		return nil, fmt.Errorf("configure embedded simulator: %w", err)
	}
	if o.LockedRMW && !p.Locks() {
		return nil, fmt.Errorf("configure embedded simulator: protocol %s has no locks for read-modify-writes", name)
	}
	if o.Compiled == nil && o.SLICC == "" && o.Mutant == "" {
		if err := r.known(o.Protocol); err != nil {
			return nil, fmt.Errorf("configure embedded simulator: %w", err)
		}
	}
	r.options.Protocol, r.build = name, protocolBuilder(p)
	return r, nil
}

// known notes which transitions of one of our protocols no run takes.
func (r *Runner) known(protocol string) error {
	rows, err := protocols.Unreachable(protocol)
	r.unreachable = map[sim.Transition]string{}
	for _, row := range rows {
		r.unreachable[sim.Transition{Machine: row.Machine, State: row.State, Event: row.Event}] = row.Reason
	}
	return err
}

// Name is "builtin".
func (*Runner) Name() string { return "builtin" }

// Version names the machine that is simulated.
func (r *Runner) Version(context.Context) string {
	return fmt.Sprintf("protocol %s, %s cores", r.options.Protocol, r.options.Core)
}

// Run simulates a job; see Simulate. The result's Detail of a run that came
// to its end is its statistics in one line.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	report, err := r.Simulate(ctx, job)
	return report.Result, err
}

// Report is what came of a simulation.
type Report struct {
	sim.Result
	Statistics Statistics
	_          struct{}
}

// Simulate simulates a job. One core runs each thread, spare cores none;
// nothing is read from or written to the job's directory.
//
// The outcome is Passed when all threads came to their end; the log then has
// the final values and the order of the stores to each location. It is Crash
// when an assertion of the memory system failed; Deadlock when an access is
// older than the watchdog permits or nothing is left that could happen;
// Timeout when the budget of events or the time of the job is used up; Infra
// for a fault of the simulator itself. The log then holds what the threads
// had read.
func (r *Runner) Simulate(ctx context.Context, job sim.Job) (report Report, err error) {
	if job.Program == nil {
		return Report{}, errors.New("run on embedded simulator: job without a program")
	}
	if err := job.Program.ValidateRounds(job.Rounds); err != nil {
		return Report{}, fmt.Errorf("run on embedded simulator: %w", err)
	}
	if n := len(job.Program.Threads); r.options.Cores > 0 && n > r.options.Cores {
		return Report{}, fmt.Errorf("run on embedded simulator: %d threads on %d cores", n, r.options.Cores)
	}
	timeout := job.Timeout
	if timeout == 0 {
		timeout = DefaultTimeout
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
	s := newSimulation(r, job)
	report.Result = s.run(ctx, start.Add(timeout))
	if ctx.Err() != nil {
		return Report{}, fmt.Errorf("run on embedded simulator: %w", ctx.Err())
	}
	report.Log = s.log(report.Outcome == sim.Passed)
	report.Statistics = s.statistics()
	if protocol, ok := s.system.(*ruby.System); ok {
		report.Coverage = protocol.Coverage()
		for i := range report.Coverage {
			t := &report.Coverage[i]
			t.Unreachable = r.unreachable[sim.Transition{Machine: t.Machine, State: t.State, Event: t.Event}]
		}
	}
	if report.Outcome == sim.Passed {
		report.Detail = report.Statistics.String()
	}
	return report, nil
}
