package mutation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/slicc/syntax"
)

// Bounds on the runs of mutants, which may never come to an end.
const (
	// stepFactor times the events of the longest run of the protocol is how
	// many events a mutant's run may have.
	stepFactor = 20
	watchdog   = 60_000 // ticks
	runTimeout = time.Minute
)

// baseline is what a protocol does without a mutant, under one kind of core.
type baseline struct {
	target  *Target
	kind    core.Kind
	options []builtin.Options // by machine
	judging execute.CheckOptions
	seeds   [][]plainRun // by seed
	runs    int          // Options.Runs
}

// plainRun is one run of the protocol.
type plainRun struct {
	program            *gen.Program
	rounds             int
	seed               uint64
	generator, machine int // by place in Options
	ops                int
	hash               uint64            // of its events
	log                [sha256.Size]byte // of its log
	taken              map[Row]int64     // transitions
}

// baseline makes all runs of the protocol.
func (r *runner) baseline(ctx context.Context, t *Target, k core.Kind) (*baseline, error) {
	b := &baseline{target: t, kind: k, runs: r.o.Runs}
	for _, machine := range r.o.Machines {
		machine.Core, machine.Protocol = k.String(), t.Name
		options, err := machine.Builtin()
		if err != nil {
			return nil, err
		}
		options.SLICC, options.Repair, options.Watchdog = "", false, watchdog
		b.options = append(b.options, options)
		models, err := config.ParseModels(machine.Promise())
		if err != nil {
			return nil, err
		}
		b.judging = execute.CheckOptions{Models: models, Options: check.Options{Timeout: runTimeout}}
	}
	plain, err := b.on(t.Tree)
	if err != nil {
		return nil, err
	}
	longest := uint64(0)
	for s := range r.o.Seeds {
		var runs []plainRun
		for ops, n := 0, 0; ops < r.o.Budget; n++ {
			run, events, err := r.plain(ctx, b, plain, r.o.Seed+uint64(s), n)
			if err != nil {
				return nil, fmt.Errorf("%s on %s cores, seed %d, run %d: %w", t.Name, k, r.o.Seed+uint64(s), n, err)
			}
			longest = max(longest, events)
			ops += run.ops
			runs = append(runs, run)
		}
		b.seeds = append(b.seeds, runs)
	}
	for i := range b.options {
		b.options[i].Budget = stepFactor * longest
	}
	return b, nil
}

// plain makes one run of the protocol, which must not fail.
func (r *runner) plain(ctx context.Context, b *baseline, plain *machines, seed uint64, n int) (plainRun, uint64, error) {
	family := r.o.Generators[n%len(r.o.Generators)]
	p, err := family.Program(seed, n)
	if err != nil {
		return plainRun{}, 0, err
	}
	run := plainRun{program: p, rounds: family.Rounds, seed: seed + uint64(n), ops: p.Ops() * family.Rounds, taken: map[Row]int64{}}
	run.generator = n % len(r.o.Generators)
	run.machine = n / len(r.o.Generators) % len(r.o.Machines)
	report, came, err := b.run(ctx, plain, &run)
	if err != nil {
		return plainRun{}, 0, err
	}
	if came.Outcome != sim.Passed {
		return plainRun{}, 0, fmt.Errorf("%w: %s: %s", ErrBaseline, came.Outcome, came.Title)
	}
	run.hash, run.log = report.Statistics.Hash, sha256.Sum256(report.Log)
	for _, c := range report.Coverage {
		if c.Count > 0 {
			run.taken[Row{c.Machine, c.State, c.Event}] += int64(c.Count)
		}
	}
	return run, report.Statistics.Events, nil
}

// machines are the machines on which a protocol, or a mutant of it, runs; each
// is made when it is first needed.
type machines struct {
	base    *baseline
	p       *ruby.Protocol
	runners []*builtin.Runner
}

// on makes the machines for a tree.
func (b *baseline) on(tree *syntax.File) (*machines, error) {
	p, err := ruby.Compile(tree)
	return &machines{b, p, make([]*builtin.Runner, len(b.options))}, err
}

func (m *machines) get(n int) (*builtin.Runner, error) {
	if m.runners[n] == nil {
		o := m.base.options[n]
		o.Compiled = m.p
		var err error
		if m.runners[n], err = builtin.New(o); err != nil {
			return nil, err
		}
	}
	return m.runners[n], nil
}

// run runs and judges a program on a protocol.
func (b *baseline) run(ctx context.Context, on *machines, run *plainRun) (*builtin.Report, *rundir.Result, error) {
	runner, err := on.get(run.machine)
	if err != nil {
		return nil, nil, err
	}
	report, err := runner.Simulate(ctx, sim.Job{Program: run.program, Rounds: run.rounds, Seed: run.seed, Timeout: runTimeout})
	if err != nil {
		return nil, nil, err
	}
	came, err := execute.Evaluate(ctx, run.program, run.rounds, &report.Result, b.judging)
	return &report, came, err
}
