package memory

// Requests appends the accesses under way, in the order in which they came.
func (s *Sequencer) Requests(dst []Request) []Request {
	for i := range s.pending {
		dst = append(dst, s.pending[i].Request)
	}
	return dst
}

// Locked is the line whose lock the core holds, if any.
func (s *Sequencer) Locked() (line Addr, holds bool) { return s.locked, s.holdsLock }

// Restore makes the accesses under way those of a list, and the lock what
// Locked gave. The first access of each line counts as issued.
func (s *Sequencer) Restore(list []Request, locked Addr, holds bool) {
	s.pending = s.pending[:0]
	for _, r := range list {
		s.pending = append(s.pending, access{Request: r})
	}
	s.locked, s.holdsLock = locked, holds
}

// Current is the transfer under way; false when there is none.
func (s *DeviceSequencer) Current() (Transfer, bool) { return s.transfer, s.active }

// Restore makes the transfer under way what Current gave.
func (s *DeviceSequencer) Restore(t Transfer, active bool) {
	s.transfer, s.active = t, active
	if !active {
		s.transfer = Transfer{}
	}
}
