package agent

import (
	"fmt"

	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Barriers says where the threads of cores meet at barriers in memory, as those of an
// executable do (gen/emit/elf/barrier.go): a thread counts the barriers that it has reached in
// a line of its own, and loads the lines of the others until all their counts are as
// high. A memory system that loses a count has the threads wait for ever.
type Barriers uint8

// The places. A barrier at the end has the first thread wait for the others.
const (
	NoBarriers    Barriers = iota
	BarrierEnds            // before the first operation of all threads, and after the last one
	BarrierRounds          // also before each round
)

var barrierNames = option.Names[Barriers]{"none", "ends", "rounds"}

// BarrierNames lists the places by name.
func BarrierNames() []string { return barrierNames[:] }

// String is the name on the command line.
func (p Barriers) String() string { return barrierNames.Of(p) }

// ParseBarriers reads a name.
func ParseBarriers(name string) (Barriers, error) {
	if name == barrierNames[NoBarriers] {
		return NoBarriers, nil
	}
	return barrierNames.Parse("barriers", name)
}

// lineBytes is from one count to the next: two lines, as in an executable.
const lineBytes = 2 * gen.LineBytes

// finished exceeds every number of barriers: the count of a thread at its end.
const finished = 1 << 62

// A thread polls a count again after firstPoll ticks, and then after twice as many, up to
// mostPoll: the time of a poll of an executable on gem5 (its slowRoots square roots).
const (
	firstPoll event.Tick = 4
	mostPoll  event.Tick = 192
)

// Thread is what a core runs.
type Thread interface {
	// Permit has the thread go on up to the end of a number of rounds.
	Permit(rounds int)
}

// Group is the threads that meet.
type Group struct {
	queue   *event.Queue
	base    memory.Addr // of the first count
	places  Barriers
	rounds  int
	members []*Member
	waiting int        // members that are at a barrier, or have come to their end
	since   event.Tick // when the last of them came there
	steps   int        // see Steps
	// Paused has threads that wait at a barrier poll nothing.
	Paused bool
}

// NewGroup is the threads of the cores of a program, whose counts lie behind its locations.
func NewGroup(q *event.Queue, p *gen.Program, places Barriers, rounds int) *Group {
	end := int64(gen.LineBytes)
	for l := range p.Locations {
		end = max(end, p.Offset(gen.LocID(l))+gen.LineBytes)
	}
	return &Group{queue: q, base: (memory.Base + memory.Addr(end) + lineBytes - 1) &^ (lineBytes - 1), places: places, rounds: rounds}
}

// Member is a thread. It is a client of its core's port and an actor of the queue.
type Member struct {
	group  *Group
	number int
	self   event.Actor
	port   memory.Port
	client uint8 // of the port
	thread Thread
	resume func()
	done   func()

	rounds int // that the thread may have executed
	phase  uint64
	state  memberState
	next   int // whose count is polled
	seen   uint64
	pause  event.Tick // before the next poll
	// stale is the tick at which an old count was read although the new one had been stored; 0: none since
	// the last new one.
	stale event.Tick
}

type memberState uint8

const (
	running memberState = iota
	counting
	polling
	over
)

// Join adds a thread, which may execute nothing yet. It goes on when all have come to the
// first barrier: resume has its core go on, and done is called, from inside an event, when
// it came to its end. All threads join before the first event.
func (g *Group) Join(t Thread, port memory.Port, done func()) *Member {
	m := &Member{group: g, number: len(g.members), port: port, thread: t, done: done}
	m.self, m.client = g.queue.Add(m), port.Join(m)
	t.Permit(0)
	g.members = append(g.members, m)
	return m
}

// Resumes sets what has the core of the thread go on.
func (m *Member) Resumes(resume func()) { m.resume = resume }

// Arrive has the thread, which has executed all that it may, come to its next barrier.
// Its core calls it.
func (m *Member) Arrive() {
	g := m.group
	m.phase++
	if m.phase > 1 && m.rounds == g.rounds {
		m.phase = finished
	}
	m.state, m.next, m.seen = counting, 0, 0
	m.pause = firstPoll
	g.waiting++
	g.since = g.queue.Now()
	m.wake(1)
}

func (m *Member) wake(ticks event.Tick) { m.group.queue.At(m.group.queue.Now()+ticks, m.self, 0) }

// line is that of a thread's count.
func (g *Group) line(member int) memory.Addr { return g.base + memory.Addr(member)*lineBytes }

// Handle makes the next access. What the port refuses is tried again at the next tick.
func (m *Member) Handle(uint64) {
	r := memory.Request{Line: m.group.line(m.number), Write: true, Client: m.client}
	if m.state == polling {
		if m.group.Paused {
			m.wake(mostPoll)
			return
		}
		r = memory.Request{Line: m.group.line(m.next), Client: m.client}
	}
	if !m.port.Access(r) {
		m.wake(1)
	}
}

// Perform is the instant at which the thread's count is stored, or another one is loaded.
func (m *Member) Perform(_ uint64, b *memory.Block) {
	if m.state == counting {
		m.group.steps++
		b[0] = m.phase
		m.state = polling
		if m.phase == finished && m.number > 0 {
			m.end()
			return
		}
		m.wake(1)
		return
	}
	m.seen = b[0]
	if m.seen < m.phase {
		if m.group.members[m.next].phase >= m.phase && m.group.members[m.next].state != counting {
			m.stale = m.group.queue.Now()
		}
		m.wake(m.pause)
		m.pause = min(2*m.pause, mostPoll)
		return
	}
	m.stale = 0
	m.group.steps++
	if m.next++; m.next < len(m.group.members) {
		m.pause = firstPoll
		m.wake(1)
		return
	}
	m.pass()
}

// pass leaves the barrier.
func (m *Member) pass() {
	g := m.group
	if m.phase == finished {
		m.end()
		return
	}
	g.waiting--
	m.state = running
	if g.places == BarrierRounds {
		m.rounds++
	} else {
		m.rounds = g.rounds
	}
	m.thread.Permit(m.rounds)
	m.resume()
}

func (m *Member) end() {
	m.state = over
	m.done()
}

// Evict is never called: what was polled is not used again.
func (m *Member) Evict(memory.Addr) {}

// Steps is how many counts of threads were stored, and seen by others.
func (g *Group) Steps() int { return g.steps }

// Overdue reports a thread that waits at a barrier although all others are there, or
// at their end, and that read an old count when that was so for longer than a number of ticks: where,
// and for what.
func (g *Group) Overdue(limit event.Tick) (where, what string, found bool) {
	if g.waiting < len(g.members) || g.queue.Now()-g.since <= limit {
		return "", "", false
	}
	for _, m := range g.members {
		if m.state == polling && m.stale-g.since > limit {
			return m.place(), fmt.Sprintf("core %d waits at %s for core %d, whose count of %d it reads as %d, since tick %d",
				m.number, m.place(), m.next, g.members[m.next].phase, m.seen, g.since), true
		}
	}
	return "", "", false
}

// Gathered reports whether all threads wait at a barrier, or are at their end.
func (g *Group) Gathered() bool { return g.waiting == len(g.members) }

// place is the barrier that the thread is at.
func (m *Member) place() string {
	switch {
	case m.phase == finished:
		return "the end barrier"
	case m.phase == 1:
		return "the start barrier"
	}
	return "the round barrier"
}

// Describe is what the thread does at a barrier; empty if it is at none.
func (m *Member) Describe() string {
	switch m.state {
	case counting:
		return "has come to " + m.place()
	case polling:
		return fmt.Sprintf("waits at %s for core %d", m.place(), m.next)
	}
	return ""
}
