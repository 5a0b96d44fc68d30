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
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/flush"
	"ordeal/sim/builtin/functional"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/prefetch"
	"ordeal/sim/builtin/ruby"
)

type simulation struct {
	options     *Options
	job         sim.Job
	budget      uint64
	queue       *event.Queue
	system      memory.System
	threads     []*core.Thread
	cores       []core.Core
	sites       []site // of the threads
	flushers    []*flush.Flusher
	prefetchers []*prefetch.Prefetcher
	functional  *functional.Reader // nil for none
	running     int                // threads that have not come to their end
	writes      core.WriteOrder
	steps       *core.Steps // nil unless Options.Execution
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
	for _, f := range s.flushers {
		f.Stop()
	}
	for _, p := range s.prefetchers {
		p.Stop()
	}
	if s.functional != nil {
		s.functional.Stop()
	}
	s.reader.start(s.queue, s.job.Program, s.system.Port(0))
	return s.until(ctx, deadline, s.reader.done)
}

// batch is the number of events between two checks of the clock, the budget and
// the watchdog.
const batch = 4096

// until runs events until done says so or something goes wrong.
func (s *simulation) until(ctx context.Context, deadline time.Time, done func() bool) sim.Result {
	for !done() {
		left := s.budget - s.queue.Count()
		if left == 0 {
			return sim.Result{Outcome: sim.Timeout, Title: "step budget used up", Detail: s.unfinished()}
		}
		if err := s.queue.Run(int(min(left, batch))); err != nil {
			return s.crash(err)
		}
		if done() {
			break
		}
		if s.queue.Waiting() == 0 {
			return s.deadlock("nothing is left that could happen")
		}
		if who, since, ok := s.overdue(); ok {
			return s.deadlock(fmt.Sprintf("%s waits for memory since tick %d", who, since))
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return sim.TimeLimit("time limit exceeded", s.unfinished())
		}
	}
	return sim.Result{Outcome: sim.Passed}
}

func (s *simulation) unfinished() string {
	return fmt.Sprintf("no end after %d events\n%s", s.queue.Count(), s.dump())
}

// deadlock is the result of a run without progress. Its title names the place
// of the oldest access, if the memory system finds it.
func (s *simulation) deadlock(why string) sim.Result {
	title := "deadlock"
	if protocol, ok := s.system.(*ruby.System); ok {
		if where := protocol.Stuck(); where != "" {
			title += ": " + where
		}
	}
	return sim.Result{Outcome: sim.Deadlock, Title: title, Detail: why + "\n" + s.dump()}
}

// crash is the result of a failed assertion. Any other error is a fault of
// the simulator.
func (s *simulation) crash(err error) sim.Result {
	fault, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		return sim.Result{Outcome: sim.Infra, Title: "fault of the embedded simulator", Detail: err.Error()}
	}
	return sim.Result{Outcome: sim.Crash, Title: fault.Title, Detail: fault.Detail + "\n" + s.dump()}
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
