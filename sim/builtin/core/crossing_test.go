package core

import (
	"testing"

	"ordeal/gen"
)

// TestCrossingLoad has loads that take a second line: both are asked for at once, the
// load ends with both, and the loss of either starts it again.
func TestCrossingLoad(t *testing.T) {
	s := newScript(t, Config{Kind: OOO, Crossing: 1}, "load z; load x; load y")
	crossed := len(s.underWay) - 3
	if crossed < 1 {
		t.Fatalf("no load crosses: %+v", s.underWay)
	}
	for range 3 {
		s.answer(s.name(s.underWay[0]), 1)
	}
	if len(s.thread.Reads()) == 3 && crossed > 0 {
		t.Error("the loads ended before their second lines came")
	}
	for len(s.underWay) > 0 {
		s.answer(s.name(s.underWay[0]), 1)
	}
	s.reads(1, 1, 1)
}

// crosser is a core that has a load of x, not the oldest one, that crosses into z.
func crosser(t *testing.T) (*script, *speculative) {
	s := newScript(t, Config{Kind: OOO, EagerRepeats: true}, "load y; load x; load y")
	c := s.core.(*speculative)
	load := c.window.at(c.window.head + 1)
	load.in.second = s.thread.code[0].line + 64
	c.wakeNext()
	s.settle()
	return s, c
}

func TestCrossingLoadIsSquashed(t *testing.T) {
	for _, lost := range []string{"x", "z"} {
		s, c := crosser(t)
		s.want("Rx", "Ry", "Ry", "Rz")
		s.answer("Rx", 5)
		s.answer("Rz", 9)
		s.evict(map[string]gen.LocID{"x": 0, "z": 2}[lost])
		if c.stats.Squashed != 2 {
			t.Fatalf("%s is lost: %d loads start again, want 2", lost, c.stats.Squashed)
		}
		s.answer("Ry", 1)
		s.answer("Rx", 6)
		s.answer("Ry", 1)
		s.answer("Ry", 1) // one of the three is of the load that was squashed
		if n := len(s.thread.Reads()); n != 1 {
			t.Fatalf("%d loads ended before the second line came, want 1", n)
		}
		s.answer("Rz", 9)
		s.reads(1, 6, 1)
	}
}

// TestCrossingStore has a store of x that crosses into y: the next one is not issued
// before both lines have come, whichever comes first, the second line stays as it
// is, and no load reads from the store once x has it.
func TestCrossingStore(t *testing.T) {
	for _, order := range [][]string{{"Wx", "Wy"}, {"Wy", "Wx"}} {
		s := newScript(t, Config{Kind: OOO}, "load y; store x 1; store z 2")
		c := s.core.(*speculative)
		c.window.at(c.window.head + 1).in.second = s.thread.code[0].line
		s.answer("Ry", 7)
		s.want("Wx", "Wy")
		for i, name := range order {
			held := s.answer(name, 5)
			if want := map[string]uint64{"Wx": 1, "Wy": 5}[name]; held != want {
				t.Errorf("%s leaves %d in the line, want %d", name, held, want)
			}
			if i == 0 {
				s.want(order[1])
			}
			if name == "Wx" && c.buffer.youngest(0) != nil {
				t.Error("loads read from a store that has performed")
			}
		}
		s.answer("Wz", 0)
		s.end(values{1}, values{}, values{2})
	}
}
