package memory

import "slices"

// monitor does what an access that performs does to the reservation of its line,
// as gem5's Sequencer::writeCallback and hitCallback; false says that it is a
// conditional store that fails.
func (s *Sequencer) monitor(a *access) bool {
	m, ok := s.controller.(Monitor)
	switch {
	case !ok:
		s.queue.Fail(Failed("sequencer: the memory system has no linked loads", ""))
	case a.Lock == LoadLinked:
		s.links = true
		m.Reserve(a.Line)
	case a.Lock == StoreConditional:
		reserved := m.Reserved(a.Line)
		m.Release(a.Line)
		return reserved
	case a.Write:
		m.Release(a.Line)
	}
	return true
}

// Linked reports whether a line is reserved for the core.
func (s *Sequencer) Linked(line Addr) bool {
	m, ok := s.controller.(Monitor)
	return ok && s.links && m.Reserved(line)
}

// Unlink ends the reservation of a line (invalidateSC of gem5 until 2020).
func (s *Sequencer) Unlink(line Addr) {
	if m, ok := s.controller.(Monitor); ok && s.links {
		m.Release(line)
	}
}

// Alone reports whether one access of a line is in flight, and a conditional store.
func (s *Sequencer) Alone(line Addr) bool {
	i := s.first(line)
	return i >= 0 && s.pending[i].Lock == StoreConditional && !slices.ContainsFunc(s.pending[i+1:], func(a access) bool { return a.Line == line })
}

// FailConditional completes the accesses of a line as WriteCallback does; a
// conditional store among them fails. In gem5 it is writeCallbackScFail.
func (s *Sequencer) FailConditional(line Addr, b *Block) {
	s.Unlink(line)
	s.WriteCallback(line, b)
}
