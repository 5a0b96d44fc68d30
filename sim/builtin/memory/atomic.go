package memory

import "fmt"

// AtomicController is a Controller that may have an atomic read-modify-write
// performed at another one, nearer to memory, as gem5's CHI: the data that
// completes it is then what the line held before.
type AtomicController interface {
	Controller
	// Atomics reports whether it does; otherwise Issue starts an atomic access, as
	// a write.
	Atomics() bool
	// IssueAtomic starts an atomic access of a word of a line.
	IssueAtomic(line Addr, word uint8)
}

// PerformAtomic is the instant of the atomic access that has been issued for a
// line, wherever that is; the block is the line. AtomicCallback completes it.
func (s *Sequencer) PerformAtomic(line Addr, b *Block) {
	i := s.first(line)
	if i < 0 || !s.pending[i].Atomic || s.pending[i].performed {
		s.atomicFault("performed that is not under way", line)
		return
	}
	a := &s.pending[i]
	a.performed, a.old = true, b[a.Word]
	s.perform(a, b)
}

// AtomicCallback completes the atomic access of a line, and that alone; old is
// what the line held before. The next access of the line is issued, since the
// line need not be in the cache.
func (s *Sequencer) AtomicCallback(line Addr, old *Block) {
	i := s.first(line)
	switch {
	case i < 0 || !s.pending[i].Atomic || !s.pending[i].performed:
		s.atomicFault("completed that was not performed", line)
		return
	case s.pending[i].old != old[s.pending[i].Word]:
		s.atomicFault("completed with another value than it replaced", line)
		return
	}
	s.pending = append(s.pending[:i], s.pending[i+1:]...)
	if next := s.first(line); next >= 0 {
		s.issue(&s.pending[next])
	}
}

// issue gives an access to the controller.
func (s *Sequencer) issue(a *access) {
	if s.far(a) {
		s.controller.(AtomicController).IssueAtomic(a.Line, a.Word)
		return
	}
	s.controller.Issue(a.Request)
}

// far reports whether the controller may have an access performed elsewhere.
func (s *Sequencer) far(a *access) bool {
	c, ok := s.controller.(AtomicController)
	return ok && a.Atomic && c.Atomics()
}

func (s *Sequencer) atomicFault(what string, line Addr) {
	s.queue.Fail(Failed("sequencer: atomic access "+what, fmt.Sprintf("core %d, line %#x, tick %d", s.core, int64(line), s.queue.Now())))
}
