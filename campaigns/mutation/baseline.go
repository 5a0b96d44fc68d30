package mutation

import (
	"context"
	"crypto/sha256"
	"fmt"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/ruby"
)

// Bounds on the runs of mutants, which may not terminate.
const (
	// stepFactor times the events of the longest run of the protocol is how
	// many events a mutant's run may have.
	stepFactor = 20
	watchdog   = 60_000 // ticks
	runTimeout = time.Minute
)

// baseline is the runs of a protocol without a mutant, with one kind of core.
type baseline struct {
	target  *Target
	kind    core.Kind
	options []builtin.Options // by machine
	models  []model.Model
	seeds   [][]baselineRun // by seed
	workers int             // runs at a time
}

// baselineRun is one run of the protocol.
type baselineRun struct {
	job                sim.Job
	generator, machine int // indexes in Options
	ops                int
	hash               uint64            // of its events
	log                [sha256.Size]byte // of its log
	taken              map[sim.Row]int64 // transitions
}

// baseline executes all runs of the protocol, none of which may fail.
func (m *matrix) baseline(ctx context.Context, t *Target, k core.Kind, protocol *ruby.Protocol) (*baseline, error) {
	b := &baseline{target: t, kind: k, workers: m.o.Workers}
	for _, machine := range m.o.Machines {
		machine.Core, machine.SLICC, machine.Builtins, machine.SLICCPath = k.String(), t.source.Root, t.source.Builtins, t.source.Path
		if t.source.Root == "" {
			machine.Protocol = t.Name
		}
		options, err := machine.Builtin()
		if err != nil {
			return nil, err
		}
		options.Protocol, options.SLICC, options.Builtins, options.SLICCPath, options.Watchdog = t.Name, "", "", nil, watchdog // it runs compiled
		b.options = append(b.options, options)
		if b.models, err = config.ParseModels(machine.Promise()); err != nil {
			return nil, err
		}
	}
	on, families := b.machines(protocol), m.families(protocol)
	longest := uint64(0)
	for s := range m.o.Seeds {
		var runs []baselineRun
		for ops, n := 0, 0; ops < m.o.Budget; n++ {
			seed := m.o.Seed + uint64(s)
			run, events, err := m.baselineRun(ctx, on, families, seed, n)
			if err != nil {
				return nil, fmt.Errorf("%s on %s cores, seed %d, run %d: %w", t.Name, k, seed, n, err)
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

// families are the indexes of the generators whose programs a protocol can run: those
// with devices need a machine for them.
func (m *matrix) families(p *ruby.Protocol) []int {
	var list []int
	for i := range m.o.Generators {
		if m.o.Generators[i].DMA == 0 || p.Devices() {
			list = append(list, i)
		}
	}
	return list
}

// baselineRun executes one run of the protocol and counts its events.
func (m *matrix) baselineRun(ctx context.Context, on *machines, families []int, seed uint64, n int) (baselineRun, uint64, error) {
	at := families[n%len(families)]
	family := m.o.Generators[at]
	p, err := family.Program(seed, n)
	if err != nil {
		return baselineRun{}, 0, err
	}
	run := baselineRun{
		job:       sim.Job{Program: p, Rounds: family.Rounds, Seed: seed + uint64(n)},
		generator: at,
		machine:   n / len(families) % len(m.o.Machines),
		ops:       p.Ops() * family.Rounds,
		taken:     map[sim.Row]int64{},
	}
	report, res, err := on.run(ctx, &run)
	if err != nil {
		return baselineRun{}, 0, err
	}
	if res.Outcome != sim.Passed {
		return baselineRun{}, 0, fmt.Errorf("%w: %s", ErrBaseline, res.Outcome.Titled(messages.EscapeLine(res.Title)))
	}
	run.hash, run.log = report.Statistics.Hash, sha256.Sum256(report.Log)
	for _, c := range report.Coverage {
		if n := c.Count + c.Stalls; n > 0 {
			run.taken[c.Row] += int64(n)
		}
	}
	return run, report.Statistics.Events, nil
}

// taken counts how often the protocol takes transitions.
func (b *baseline) taken(rows []sim.Row) int64 {
	n := int64(0)
	for _, runs := range b.seeds {
		for i := range runs {
			for _, row := range rows {
				n += runs[i].taken[row]
			}
		}
	}
	return n
}

// machines are those of a baseline with a compiled protocol, or a mutant of
// it; each is built when it is first used.
type machines struct {
	base     *baseline
	protocol *ruby.Protocol
	runners  []*builtin.Runner
}

func (b *baseline) machines(p *ruby.Protocol) *machines {
	return &machines{b, p, make([]*builtin.Runner, len(b.options))}
}

func (m *machines) get(n int) (*builtin.Runner, error) {
	if m.runners[n] == nil {
		o := m.base.options[n]
		o.Compiled = m.protocol
		var err error
		if m.runners[n], err = builtin.New(o); err != nil {
			return nil, err
		}
	}
	return m.runners[n], nil
}

// run executes and checks a run of the baseline.
func (m *machines) run(ctx context.Context, result *baselineRun) (*builtin.Report, *run.Evaluation, error) {
	runner, err := m.get(result.machine)
	if err != nil {
		return nil, nil, err
	}
	job := result.job
	job.Timeout = runTimeout
	report, err := runner.Simulate(ctx, job)
	if err == nil && report.LimitExceeded { // once again, as sim.Complete
		report, err = runner.Simulate(ctx, job)
	}
	if err != nil {
		return nil, nil, err
	}
	res, err := evaluate(ctx, job, &report.Result, m.base.models, m.base.workers)
	return &report, res, err
}

// runJob executes and checks a job. A job that cannot be executed is an error.
func runJob(ctx context.Context, on sim.Runner, job sim.Job, models []model.Model) (*run.Evaluation, error) {
	job.Timeout = runTimeout
	simulated, err := sim.Complete(ctx, on, job)
	if err != nil {
		return nil, err
	}
	return evaluate(ctx, job, &simulated, models, 0)
}

func evaluate(ctx context.Context, job sim.Job, simulated *sim.Result, models []model.Model, workers int) (*run.Evaluation, error) {
	o := run.CheckOptions{Models: models, Options: check.Options{Timeout: runTimeout}, Workers: workers}
	res, err := run.Evaluate(ctx, job.Program, job.Rounds, simulated, o)
	if err == nil && res.Outcome == sim.Infra {
		err = fmt.Errorf("%s: %s", messages.EscapeLine(res.Title), res.Detail)
	}
	return res, err
}
