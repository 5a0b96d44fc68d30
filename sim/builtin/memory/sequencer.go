package memory

import (
	"fmt"
	"io"

	"ordeal/sim/builtin/event"
)

// maxPending is the number of accesses that may be under way, as in gem5.
const maxPending = 16

// Controller is the cache controller below a sequencer.
type Controller interface {
	// Issue starts an access of a line (in SLICC: a message in the mandatory
	// queue). The controller completes it some time after Issue has returned
	// by ReadCallback or WriteCallback.
	Issue(Request)
}

// Locker is a Controller that supports locked pairs of accesses. With any
// other controller, an access that takes a lock is a Fault.
type Locker interface {
	Controller
	// Block stalls all other requests for a line until Unblock (gem5:
	// blockOnQueue).
	Block(line Addr)
	Unblock(line Addr)
}

// Monitor is a Controller that supports linked loads. With any other controller,
// one is a Fault. The reservation of a line is in the core's data cache, so that it
// ends when the line leaves it.
type Monitor interface {
	Controller
	Reserve(line Addr)
	Reserved(line Addr) bool
	// Release ends the reservation, if there is one.
	Release(line Addr)
}

// Sequencer is a core's Port into a cache controller, like gem5's Ruby
// Sequencer: it keeps the accesses under way, issues one access of a line at a
// time, and completes together those that wait for the same line.
type Sequencer struct {
	queue      *event.Queue
	core       int
	controller Controller
	clients    []Client // the one attached, then those that joined
	// pending holds the accesses under way in the order in which they came;
	// the first of each line has been issued.
	pending []access
	// locked is the line whose lock the core holds, if any.
	locked    Addr
	holdsLock bool
	// links says that the core has made a linked load.
	links bool
}

var _ Port = (*Sequencer)(nil)

type access struct {
	Request
	since event.Tick
	// performed says that an atomic access took effect on a word that held old.
	performed bool
	old       uint64
}

// NewSequencer makes the sequencer of a core, at first without a client.
func NewSequencer(q *event.Queue, core int, c Controller) *Sequencer {
	return &Sequencer{queue: q, core: core, controller: c, clients: []Client{noClient{}}, pending: make([]access, 0, maxPending+1)}
}

// Reset makes the sequencer as it was made, with the events of another run.
func (s *Sequencer) Reset(q *event.Queue) {
	clear(s.clients)
	s.clients[0] = noClient{}
	*s = Sequencer{queue: q, core: s.core, controller: s.controller, clients: s.clients[:1], pending: s.pending[:0]}
}

// Attach sets the client.
func (s *Sequencer) Attach(c Client) { s.clients[0] = c }

// Join adds a client.
func (s *Sequencer) Join(c Client) uint8 {
	s.clients = append(s.clients, c)
	return uint8(len(s.clients) - 1)
}

// perform completes an access. The client that is attached may have waited for
// one of another client.
func (s *Sequencer) perform(a *access, b *Block) {
	if a.Lock == StoreConditional || a.Lock == LoadLinked || s.links {
		if !s.monitor(a) {
			s.clients[a.Client].(Conditional).Fail(a.Tag)
			return
		}
	}
	s.clients[a.Client].Perform(a.Tag, b)
	if r, ok := s.clients[0].(Retrier); ok && a.Client != 0 {
		r.Retry()
	}
}

// Access starts an access unless the sequencer is full. Only the first access
// of a line reaches the controller; later ones wait for it. The access that
// releases a lock is never refused, since others wait for it.
func (s *Sequencer) Access(r Request) bool {
	if len(s.pending) >= maxPending && r.Lock != ReleaseLock {
		return false
	}
	if s.holdsLock && r.Line == s.locked && r.Lock != ReleaseLock {
		return false
	}
	at := s.first(r.Line)
	if at >= 0 && (r.Kind == Flush || s.pending[at].Kind == Flush) {
		return false // a flush is ordered with the accesses of its line
	}
	first := at < 0
	s.pending = append(s.pending, access{Request: r, since: s.queue.Now()})
	if first {
		s.issue(&s.pending[len(s.pending)-1])
	}
	return true
}

// Oldest is the line of the oldest access under way, and its tick.
func (s *Sequencer) Oldest() (line Addr, since event.Tick, ok bool) {
	if len(s.pending) == 0 {
		return 0, 0, false
	}
	return s.pending[0].Line, s.pending[0].since, true
}

// Waits reports whether an access of a line is under way.
func (s *Sequencer) Waits(line Addr) bool { return s.first(line) >= 0 }

// first is the index of the oldest access of a line, -1 when there is none.
func (s *Sequencer) first(line Addr) int {
	for i := range s.pending {
		if s.pending[i].Line == line {
			return i
		}
	}
	return -1
}

// ReadCallback completes the reads of a line up to the first write, which is
// issued. The access at the controller must be a read.
func (s *Sequencer) ReadCallback(line Addr, b *Block) {
	if !s.expect(line, false) {
		return
	}
	issue := -1
	kept := s.pending[:0]
	for _, a := range s.pending {
		switch {
		case a.Line != line || issue >= 0:
			kept = append(kept, a)
		case a.Write:
			issue = len(kept)
			kept = append(kept, a)
		default:
			s.perform(&a, b)
		}
	}
	s.pending = kept
	if issue >= 0 {
		s.issue(&kept[issue])
	}
}

// WriteCallback completes all accesses of a line in order, up to an atomic one
// that may be performed elsewhere, which is issued; writes store into the block. The access at the controller must be a write.
func (s *Sequencer) WriteCallback(line Addr, b *Block) {
	if !s.expect(line, true) {
		return
	}
	issue, first := -1, true
	kept := s.pending[:0]
	for _, a := range s.pending {
		switch {
		case a.Line != line || issue >= 0:
			kept = append(kept, a)
		case !first && s.far(&a):
			issue = len(kept)
			kept = append(kept, a)
		default:
			first = false
			s.perform(&a, b)
			s.lock(a)
		}
	}
	s.pending = kept
	if issue >= 0 {
		s.issue(&kept[issue])
	}
}

// lock does what an access that has performed does to the lock.
func (s *Sequencer) lock(a access) {
	if a.Lock != TakeLock && a.Lock != ReleaseLock {
		return
	}
	locker, ok := s.controller.(Locker)
	switch {
	case !ok:
		s.queue.Fail(Failed("sequencer: the memory system does not lock lines", ""))
	case a.Lock == TakeLock:
		s.locked, s.holdsLock = a.Line, true
		locker.Block(a.Line)
	default:
		s.holdsLock = false
		locker.Unblock(a.Line)
	}
}

// EvictionCallback notifies the core that its controller is about to lose a
// line, which ends its reservation.
func (s *Sequencer) EvictionCallback(line Addr) {
	s.Unlink(line)
	s.clients[0].Evict(line)
}

// expect reports whether the callback completes the access that was issued;
// any other is a fault of the controller.
func (s *Sequencer) expect(line Addr, write bool) bool {
	problem := "that was never issued"
	if i := s.first(line); i >= 0 {
		if s.pending[i].Write == write {
			return true
		}
		problem = "where a " + kind(s.pending[i].Write) + " was issued"
	}
	s.queue.Fail(Failed(fmt.Sprintf("sequencer: %s completed %s", kind(write), problem), fmt.Sprintf("core %d, line %#x, tick %d", s.core, int64(line), s.queue.Now())))
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
		fmt.Fprintf(w, "core %d: %s of line %#x under way since tick %d\n", s.core, kind(a.Write), int64(a.Line), a.since)
	}
}
