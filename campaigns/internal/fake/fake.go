// Package fake is a simulator for tests of campaigns: it executes programs one
// operation at a time, with a fault on request.
package fake

import (
	"context"
	"math/rand/v2"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
)

// Fault is a fault of a Runner.
type Fault int

// The faults.
const (
	None   Fault = iota
	Stale        // loads now and then return the value before the last one
	Torn         // the log ends in the middle of a frame
	Crash        // the simulator crashes
	Absent       // the simulator cannot be started
	Slow         // the simulator never ends by itself
)

// Runner is the simulator.
type Runner struct {
	// Fault occurs in the runs that When accepts; nil means all of them.
	Fault Fault
	When  func(job sim.Job) bool
}

// Name is "fake".
func (*Runner) Name() string { return "fake" }

// Version is a constant.
func (*Runner) Version(context.Context) string { return "fake simulator" }

// Run executes the program in an order drawn from the job's seed.
func (r *Runner) Run(ctx context.Context, job sim.Job) (sim.Result, error) {
	fault := r.Fault
	if r.When != nil && !r.When(job) {
		fault = None
	}
	switch fault {
	case Crash:
		return sim.Result{Outcome: sim.Crash, Title: "panic: invalid transition", Detail: "state I, event Inv"}, nil
	case Absent:
		return sim.Result{Outcome: sim.Infra, Title: "cannot start", Detail: "no such simulator"}, nil
	case Slow:
		<-ctx.Done()
		return sim.Result{}, ctx.Err()
	}
	log := execute(job, fault == Stale)
	if fault == Torn {
		log = log[:len(log)-5]
	}
	return sim.Result{Outcome: sim.Passed, Log: log}, nil
}

// execute runs the program on a memory without buffers.
func execute(job sim.Job, stale bool) sim.Log {
	p := job.Program
	rng := rand.New(rand.NewPCG(job.Seed, 1))
	memory := make([]gen.Value, len(p.Locations))
	before := make([]gen.Value, len(p.Locations))
	reads := make([][]gen.Value, len(p.Threads))
	next := make([]int, len(p.Threads))
	var running []int
	for t, ops := range p.Threads {
		if len(ops) > 0 {
			running = append(running, t)
		}
	}
	for len(running) > 0 {
		i := rng.IntN(len(running))
		t := running[i]
		ops := p.Threads[t]
		op, round := ops[next[t]%len(ops)], next[t]/len(ops)
		old := memory[op.Loc]
		write := old
		switch op.Kind {
		case gen.Store, gen.Exchange:
			write = gen.Value(round)*p.Stride() + op.Value
		case gen.FetchAdd:
			write = old + op.Value*gen.AddUnit
		}
		if op.Kind.Reads() {
			value := old
			if stale && op.Kind == gen.Load && rng.IntN(4) == 0 {
				value = before[op.Loc]
			}
			reads[t] = append(reads[t], value)
		}
		if op.Kind.Writes() {
			before[op.Loc], memory[op.Loc] = old, write
		}
		if next[t]++; next[t] == len(ops)*job.Rounds {
			running = append(running[:i], running[i+1:]...)
		}
	}
	w := wire.NewWriter(p, job.Rounds)
	var log sim.Log
	for t := range reads {
		log = w.AppendThread(log, gen.ThreadID(t), reads[t])
	}
	return w.AppendFinal(log, memory)
}

var _ sim.Runner = (*Runner)(nil)
