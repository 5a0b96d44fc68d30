// Package sequencer stands between a core and its cache controller as gem5's
// Ruby Sequencer does: it keeps the accesses under way, shows the controller
// one access of a line at a time, and completes those that wait for the same
// line together.
package sequencer

import (
	"fmt"
	"io"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Limit is the number of accesses that may be under way, as in gem5.
const Limit = 16

// Controller is the cache controller below a sequencer.
type Controller interface {
	// Issue hands over an access of a line, for a protocol written in SLICC
	// by way of the mandatory queue; the controller answers some time after
	// Issue has returned with ReadCallback or WriteCallback.
	Issue(line memory.Addr, write bool)
}

// Locker is a Controller that supports locked pairs of accesses; with another
// one, an access that takes a lock is a fault.
type Locker interface {
	Controller
	// Block keeps all others from a line until Unblock: the core holds its
	// lock. This is blockOnQueue in gem5.
	Block(line memory.Addr)
	Unblock(line memory.Addr)
}

// Sequencer is one core's port into a memory system of caches. It is a
// memory.Port.
type Sequencer struct {
	queue      *event.Queue
	name       int
	controller Controller
	client     memory.Client
	// pending holds the accesses under way in the order in which they came;
	// the first of each line has been issued.
	pending []access
	// locked is the line whose lock the core holds, if any.
	locked    memory.Addr
	holdsLock bool
}

var _ memory.Port = (*Sequencer)(nil)

type access struct {
	memory.Request
	since event.Tick
}

// New makes the sequencer of a core.
func New(q *event.Queue, core int, c Controller) *Sequencer {
	return &Sequencer{queue: q, name: core, controller: c, pending: make([]access, 0, Limit+1)}
}

// Attach says who is to be told.
func (s *Sequencer) Attach(c memory.Client) { s.client = c }

// Access starts an access unless the sequencer is full. Only the first access
// of a line reaches the controller; later ones wait for it. The access that
// releases a lock is never refused, since others wait for it.
func (s *Sequencer) Access(r memory.Request) bool {
	if len(s.pending) >= Limit && r.Lock != memory.ReleaseLock {
		return false
	}
	if s.holdsLock && r.Line == s.locked && r.Lock != memory.ReleaseLock {
		return false
	}
	first := s.first(r.Line) < 0
	s.pending = append(s.pending, access{r, s.queue.Now()})
	if first {
		s.controller.Issue(r.Line, r.Write)
	}
	return true
}

// Oldest is the tick of the oldest access under way.
func (s *Sequencer) Oldest() (event.Tick, bool) {
	if len(s.pending) == 0 {
		return 0, false
	}
	return s.pending[0].since, true
}

// OldestLine is the line of the oldest access under way, and its tick.
func (s *Sequencer) OldestLine() (line memory.Addr, since event.Tick, ok bool) {
	if len(s.pending) == 0 {
		return 0, 0, false
	}
	return s.pending[0].Line, s.pending[0].since, true
}

// Waits reports whether an access of a line is under way.
func (s *Sequencer) Waits(line memory.Addr) bool { return s.first(line) >= 0 }

// first is the index of the oldest access of a line, -1 when there is none.
func (s *Sequencer) first(line memory.Addr) int {
	for i := range s.pending {
		if s.pending[i].Line == line {
			return i
		}
	}
	return -1
}

// ReadCallback completes the reads of a line up to the first write, which is
// issued. The access at the controller must be a read.
func (s *Sequencer) ReadCallback(line memory.Addr, b *memory.Block) {
	if !s.expect(line, false) {
		return
	}
	issue := false
	kept := s.pending[:0]
	for _, a := range s.pending {
		switch {
		case a.Line != line || issue:
			kept = append(kept, a)
		case a.Write:
			issue = true
			kept = append(kept, a)
		default:
			s.client.Perform(a.Tag, b)
		}
	}
	s.pending = kept
	if issue {
		s.controller.Issue(line, true)
	}
}

// WriteCallback completes all accesses of a line in order; writes store into
// the block. The access at the controller must be a write.
func (s *Sequencer) WriteCallback(line memory.Addr, b *memory.Block) {
	if !s.expect(line, true) {
		return
	}
	kept := s.pending[:0]
	for _, a := range s.pending {
		if a.Line == line {
			s.client.Perform(a.Tag, b)
			s.lock(a)
		} else {
			kept = append(kept, a)
		}
	}
	s.pending = kept
}

// lock does what an access that has performed does to the lock.
func (s *Sequencer) lock(a access) {
	if a.Lock == memory.NoLock {
		return
	}
	locker, ok := s.controller.(Locker)
	switch {
	case !ok:
		s.queue.Fail(&memory.Fault{Title: "sequencer: this memory does not lock lines"})
	case a.Lock == memory.TakeLock:
		s.locked, s.holdsLock = a.Line, true
		locker.Block(a.Line)
	default:
		s.holdsLock = false
		locker.Unblock(a.Line)
	}
}

// EvictionCallback tells the core, within the call, that its controller is
// about to lose a line.
func (s *Sequencer) EvictionCallback(line memory.Addr) { s.client.Evict(line) }

// expect checks that the controller answers what it was asked. It reports the
// fault and returns false otherwise.
func (s *Sequencer) expect(line memory.Addr, write bool) bool {
	answer := kind(write)
	i := s.first(line)
	switch {
	case i < 0:
		s.queue.Fail(&memory.Fault{
			Title:  fmt.Sprintf("sequencer: %s completed that was never asked for", answer),
			Detail: fmt.Sprintf("core %d, line %#x, tick %d", s.name, int64(line), s.queue.Now()),
		})
	case s.pending[i].Write != write:
		s.queue.Fail(&memory.Fault{
			Title:  fmt.Sprintf("sequencer: %s completed where a %s was asked for", answer, kind(s.pending[i].Write)),
			Detail: fmt.Sprintf("core %d, line %#x, tick %d", s.name, int64(line), s.queue.Now()),
		})
	default:
		return true
	}
	return false
}

func kind(write bool) string {
	if write {
		return "write"
	}
	return "read"
}

// Dump writes the accesses under way, one a line.
func (s *Sequencer) Dump(w io.Writer) {
	for _, a := range s.pending {
		fmt.Fprintf(w, "core %d: %s of line %#x under way since tick %d\n", s.name, kind(a.Write), int64(a.Line), a.since)
	}
}
