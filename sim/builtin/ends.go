package builtin

import (
	"fmt"

	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
)

// batch is the number of events between two looks at the clock, the budget and the
// progress of a run, and idleBatch that while no operation is performed; slice is that between two looks at
// the context, which has to be seen soon however long transitions are.
const (
	batch     = 4096
	idleBatch = 512
	slice     = 64
)

// A run has no progress when no operation is performed while everything that is in flight
// arrives, quietTurns times in a row, and in this part of the budget of events and
// transitions, of which there are quietLeast at least.
const (
	quietTurns = 50
	quietShare = 4
	quietLeast = 20_000
)

// promptTicks is what a message or a timer takes at most on the machine that the watchdog and
// the default budget are for; slower machines are given more in proportion.
const promptTicks = 800

// progress is what is known of the progress of a run.
type progress struct {
	performed   int        // operations up to now
	tick        event.Tick // at the last look that found more of them
	events      uint64     // up to that look
	transitions uint64     // likewise
	horizon     event.Tick // when everything has happened that was scheduled at some look
	turns       int        // how often that has come since then
	sent        uint64     // messages sent up to the middle of these turns
	failed      uint64     // conditional stores that failed up to then
	// starved is the result of the run if it comes to its end: an access has been in flight
	// for longer than the watchdog allows, while others ended.
	starved *sim.Result
	settled bool // what accesses memory for ever has been stopped
}

// patience is how many times as long as on a prompt machine everything may take.
func (s *simulation) patience() event.Tick { return max(1, s.queue.Longest()/promptTicks) }

// count counts the operations that were performed, those of barriers included.
func (s *simulation) count() int {
	n := 0
	for _, t := range s.threads {
		n += len(t.Reads())
	}
	for _, list := range s.writes {
		n += len(list)
	}
	if s.barriers != nil {
		n += s.barriers.Steps()
	}
	return n
}

// look looks for progress after some events. The result is the end of the run if there is
// none, and Passed if the run goes on.
//
// Nothing is decided while something is scheduled that was so at the last look: the arrival of a
// message or of an answer of memory, the end of a timer, however long it takes.
func (s *simulation) look() sim.Result {
	p, now := &s.progress, s.queue.Now()
	var a ruby.Activity
	if protocol, ok := s.system.(*ruby.System); ok {
		a = protocol.Activity()
	}
	if n := s.count(); n > p.performed {
		p.performed, p.tick, p.events, p.transitions = n, now, s.queue.Count(), a.Transitions
		p.horizon, p.turns = s.queue.Latest(), 0
		if s.barriers != nil {
			s.barriers.Paused = false
		}
	} else if now > p.horizon {
		p.horizon = s.queue.Latest()
		if p.turns++; p.turns == quietTurns/2 {
			p.sent, p.failed = a.Sent, s.statistics().Cores.Failed
		}
	}
	limit := s.options.Watchdog * s.patience()
	if s.barriers != nil {
		if where, what, ok := s.barriers.Overdue(limit); ok {
			return sim.Failed(sim.Deadlock, sim.Failure{Kind: sim.KindDeadlock, Text: "a count was lost at " + where}, what+"\n"+s.dump())
		}
	}
	who, since, late := s.overdue(limit)
	if late && p.starved == nil && p.tick > since+limit/2 {
		r := s.starvation(fmt.Sprintf("%s waits for memory since tick %d, while other accesses end", who, since))
		p.starved = &r
	}
	share := s.budget / quietShare
	if late {
		share = 0
	}
	if p.turns < quietTurns || s.queue.Count()-p.events+a.Transitions-p.transitions < max(share, quietLeast) {
		return sim.Result{Outcome: sim.Passed}
	}
	if who, since, late = s.overdue(0); !late { // cores compute
		p.turns = 0
		return sim.Result{Outcome: sim.Passed}
	}
	if !s.storesFail() && s.settle() { // if it ends then, it waited for these
		p.turns = 0
		r := s.starvation(fmt.Sprintf("%s waits for memory since tick %d, until prefetches, flushes, functional reads and polls of barriers end", who, since))
		p.starved = &r
		return sim.Result{Outcome: sim.Passed}
	}
	idle := s.queue.Count() - p.events
	if a.Sent == p.sent {
		return s.deadlock(fmt.Sprintf("nothing is in flight; what has arrived waits and is tried again: no operation has been performed in the last %d events", idle))
	}
	return s.livelock(fmt.Sprintf("%d messages have been sent, and no operation has been performed in the last %d events", a.Sent-p.sent, idle))
}

// storesFail reports whether conditional stores have failed of late.
func (s *simulation) storesFail() bool { return s.statistics().Cores.Failed > s.progress.failed }

// settle stops the agents that access memory for ever; false if there are none.
func (s *simulation) settle() bool {
	if s.progress.settled {
		return false
	}
	s.progress.settled = true
	for _, f := range s.flushers {
		f.Stop()
	}
	for _, p := range s.prefetchers {
		p.Stop()
	}
	if s.functional != nil {
		s.functional.Stop()
	}
	polls := s.barriers != nil && !s.barriers.Gathered()
	if polls {
		s.barriers.Paused = true
	}
	return len(s.flushers)+len(s.prefetchers) > 0 || s.functional != nil || polls
}

// overdue is the site whose access is older than a number of ticks, the oldest of them, and since
// when it has been in flight.
func (s *simulation) overdue(limit event.Tick) (name string, since event.Tick, found bool) {
	since = s.queue.Now() - limit
	for i := range s.sites {
		if _, t, ok := s.sites[i].oldest(); ok && t < since {
			name, since, found = s.sites[i].name, t, true
		}
	}
	return name, since, found
}

// deadlock is the result of a run in which nothing is in flight. Its title names the place
// of the oldest access, if the memory system finds it.
func (s *simulation) deadlock(why string) sim.Result {
	f := sim.Failure{Kind: sim.KindDeadlock}
	if protocol, ok := s.system.(*ruby.System); ok {
		f = protocol.Stuck()
	}
	return sim.Failed(sim.Deadlock, f, why+"\n"+s.dump())
}

// starvation is the result of a run in which an access waits too long while others end.
func (s *simulation) starvation(why string) sim.Result {
	r := s.deadlock(why)
	f := r.Failure
	f.Kind = sim.KindStarvation
	return sim.Failed(sim.Starvation, f, r.Detail)
}

// livelock is the result of a run in which messages are sent for ever. Its title names the row
// that is taken or tried most, or says that cores repeat linked loads, whose conditional stores fail.
func (s *simulation) livelock(why string) sim.Result {
	f := sim.Failure{Kind: sim.KindLivelock}
	if s.storesFail() {
		f.Text = sim.StoresFail
	} else if protocol, ok := s.system.(*ruby.System); ok {
		before := protocol.Coverage()
		if err := s.queue.Run(batch); err != nil {
			return s.crash(err)
		}
		most := uint64(0)
		for i, row := range protocol.Coverage() {
			if n := row.Count + row.Stalls - before[i].Count - before[i].Stalls; n > most {
				f.Row, most = row.Row, n
			}
		}
	}
	return sim.Failed(sim.Livelock, f, why+"\n"+s.dump())
}
