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
	"ordeal/sim/ruby"
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
	performed   int         // operations up to now
	progress    uint64      // the number of events up to the last of them
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
			return s.spent()
		}
		s.noteProgress()
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
		if s.barriers != nil {
			if where, what, ok := s.barriers.Overdue(s.options.Watchdog); ok {
				return sim.Failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Text: "a count was lost at " + where}, what+"\n"+s.dump())
			}
		}
		if ctx.Err() != nil || time.Now().After(deadline) {
			return sim.TimeLimit("time limit exceeded", s.unfinished())
		}
	}
	return sim.Result{Outcome: sim.Passed}
}

// noteProgress notes the event up to which an operation has been performed.
func (s *simulation) noteProgress() {
	n := 0
	for _, t := range s.threads {
		n += len(t.Reads())
	}
	for _, list := range s.writes {
		n += len(list)
	}
	if n > s.performed {
		s.performed, s.progress = n, s.queue.Count()
	}
}

// In a livelock no operation is performed in this part of the budget of events, and in
// so many events at least. With fewer, the run has only not come to its end.
const (
	idleShare  = 4
	idleEvents = 20_000
)

// spent is the result of a run whose budget is used up.
func (s *simulation) spent() sim.Result {
	s.noteProgress()
	r := sim.Result{Outcome: sim.Timeout, Title: "step budget used up", Detail: s.unfinished()}
	idle := s.queue.Count() - s.progress
	if protocol, ok := s.system.(*ruby.System); ok && idle >= max(s.budget/idleShare, idleEvents) {
		before := protocol.Coverage()
		if err := s.queue.Run(batch); err != nil {
			return s.crash(err)
		}
		spins, most := sim.Failure{Kind: sim.KindLivelock}, uint64(0)
		for i, row := range protocol.Coverage() {
			if n := row.Count + row.Stalls - before[i].Count - before[i].Stalls; n > most {
				spins.Row, most = row.Row, n
			}
		}
		return sim.Failed(sim.Timeout, spins, fmt.Sprintf("no operation has been performed in the last %d events\n%s", idle, r.Detail))
	}
	return r
}

func (s *simulation) unfinished() string {
	return fmt.Sprintf("no end after %d events\n%s", s.queue.Count(), s.dump())
}

// deadlock is the result of a run without progress. Its title names the place
// of the oldest access, if the memory system finds it.
func (s *simulation) deadlock(why string) sim.Result {
	f := sim.Failure{Kind: sim.KindDeadlock}
	if protocol, ok := s.system.(*ruby.System); ok {
		f = protocol.Stuck()
	}
	return sim.Failed(sim.Deadlock, f, why+"\n"+s.dump())
}

// crash is the result of a failed assertion. Any other error is a fault of
// the simulator.
func (s *simulation) crash(err error) sim.Result {
	fault, ok := errors.AsType[*memory.Fault](err)
	if !ok {
		return sim.Result{Outcome: sim.Infra, Title: "fault of the embedded simulator", Detail: err.Error()}
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
