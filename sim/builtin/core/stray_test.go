package core

import (
	"testing"
)

// TestWrongPath has a load of a wrong path for each operation: it goes to a line
// of the thread, leaves nothing in the log, and the core does not end before it.
func TestWrongPath(t *testing.T) {
	s := newScript(t, Config{Kind: OOO, WrongPath: 1}, "load x; store x 1")
	s.want("Rx", "Rx", "Rx") // one of them is the load
	for s.thread.Reads() == nil || len(s.thread.Reads()) == 0 {
		s.answer("Rx", 7)
	}
	s.answer("Wx", 7)
	for len(s.underWay) > 0 {
		if s.ended {
			t.Fatal("the core ended while a load was under way")
		}
		s.answer("Rx", 9)
	}
	s.reads(7)
	s.end(values{1}, values{}, values{})
}

// TestLockHold has a core that keeps a lock 50 ticks before it stores.
func TestLockHold(t *testing.T) {
	for _, k := range []Kind{InOrder, TSO, OOO} {
		var ticks [2]int
		for i, c := range []Config{{Kind: k, RMW: Locked}, {Kind: k, RMW: Locked, LockHold: 50}} {
			s := newScript(t, c, "add x 1")
			start := s.queue.Now()
			s.answer("W+x", 5)
			s.want("W-x")
			ticks[i] = int(s.queue.Now() - start)
		}
		if more := ticks[1] - ticks[0]; more < 48 || more > 50 {
			t.Errorf("%s: the lock is held %d ticks longer, want about 50", k, more)
		}
	}
	for _, c := range []Config{{Kind: TSO, RMW: OneAccess, LockHold: 5}, {Kind: TSO, RMW: Locked, LockHold: -1}, {Kind: TSO, WrongPath: 3}, {Kind: OOO, WrongPath: -1}} {
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
