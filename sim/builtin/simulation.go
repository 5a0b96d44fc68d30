package builtin

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/sim"
	"ordeal/sim/builtin/agent"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

type simulation struct {
	options     *Options
	job         sim.Job
	budget      uint64
	queue       *event.Queue
	system      memory.System
	threads     []*core.Thread
	cores       []core.Core
	sites       []site       // of the threads
	barriers    *agent.Group // nil for none
	flushers    []*agent.Flusher
	prefetchers []*agent.Prefetcher
	functional  *agent.Reader // nil for none
	running     int           // threads that have not come to their end
	writes      core.WriteOrder
	steps       *core.Steps // nil unless Options.Execution
	progress    progress
	reader      reader
}

func newSimulation(r *Runner, job sim.Job) *simulation {
	o, p := &r.options, job.Program
	s := &simulation{
		options: o, job: job, budget: o.Budget, running: len(p.Threads),
		queue:  event.New(o.Order, job.Seed),
		writes: core.NewWriteOrder(p, job.Rounds),
	}
	if o.Execution {
		s.steps = new(core.Steps)
	}
	if s.budget == 0 {
		s.budget = EventsPerRun + EventsPerOp*uint64(p.Ops())*uint64(job.Rounds)
	}
	s.system = r.build(s.queue, o, o.size(p), job.Seed)
	s.addReader()
	s.addAgents()
	s.addFlushers()
	s.addPrefetchers()
	return s
}

func (s *simulation) run(ctx context.Context, deadline time.Time) sim.Result {
	if end := s.until(ctx, deadline, func() bool { return s.running == 0 }); end.Outcome != sim.Passed {
		return end
	}
	s.settle()
	s.reader.start(s.queue, s.job.Program, s.system.Port(0))
	if end := s.until(ctx, deadline, s.reader.done); end.Outcome != sim.Passed || s.progress.starved == nil {
		return end
	}
	return *s.progress.starved
}

// until runs events until done says so or something goes wrong.
func (s *simulation) until(ctx context.Context, deadline time.Time, done func() bool) sim.Result {
	for !done() {
		left := s.budget
		if s.options.Budget == 0 {
			left *= uint64(s.patience())
		}
		left -= min(left, s.queue.Count())
		if s.job.Work > 0 {
			left = min(left, s.job.Work-min(s.job.Work, s.work()))
		}
		if left == 0 {
			if s.progress.starved != nil {
				return *s.progress.starved
			}
			return sim.Result{Outcome: sim.Timeout, Title: "step budget used up", Detail: s.unfinished()}
		}
		n := uint64(batch)
		if s.progress.turns > 0 {
			n = idleBatch
		}
		over := func() bool { return ctx.Err() != nil || time.Now().After(deadline) }
		for n = min(left, n); n > 0 && !done() && s.queue.Waiting() > 0 && !over(); n -= min(n, slice) {
			if err := s.queue.Run(int(min(n, slice))); err != nil {
				return s.crash(err)
			}
		}
		if done() {
			break
		}
		if s.queue.Waiting() == 0 {
			return s.deadlock("nothing is left that could happen")
		}
		if end := s.look(); end.Outcome != sim.Passed {
			return end
		}
		if over() {
			return sim.TimeLimit("time limit exceeded", s.unfinished())
		}
	}
	return sim.Result{Outcome: sim.Passed}
}

func (s *simulation) unfinished() string {
	return fmt.Sprintf("no end after %d events\n%s", s.queue.Count(), s.dump())
}

// crash is the result of a failed assertion. Any other error is a fault of
// the simulator.
func (s *simulation) crash(err error) sim.Result {
	fault, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		return sim.Result{Outcome: sim.Infra, Title: "fault of the embedded simulator", Detail: err.Error()}
	}
	if fault.Kind == sim.KindUnsupplied { // it says nothing about the protocol
		return sim.Failed(sim.Infra, fault.Failure, fault.Detail)
	}
	return sim.Failed(sim.Crash, fault.Failure, fault.Detail+"\n"+s.dump())
}

func (s *simulation) dump() string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "tick %d, %d events, %d scheduled\n", s.queue.Now(), s.queue.Count(), s.queue.Waiting())
	s.describe(&sb)
	s.system.Dump(&sb)
	return sb.String()
}

// log is the native log, with final values and store orders when the run came
// to its end.
func (s *simulation) log(complete bool) sim.Log {
	w := wire.NewWriter(s.job.Program, s.job.Rounds)
	var log sim.Log
	for t, thread := range s.threads {
		log = w.AppendThread(log, gen.ThreadID(t), thread.Reads())
	}
	if !complete {
		return log
	}
	log = w.AppendFinal(log, s.reader.values)
	if storeOrderKnown(s.job.Program) {
		for l, values := range s.writes {
			log = w.AppendOrder(log, gen.LocID(l), values)
		}
	}
	if s.steps != nil {
		log = w.AppendSteps(log, *s.steps)
	}
	return log
}
