package core

import (
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/event"
)

type values = []gen.Value

func TestInOrder(t *testing.T) {
	s := newScript(t, Config{Kind: InOrder}, "load x; store x 1; load x; fence; delay 9; exchange y 2; add z 3")
	s.want("Rx")
	s.answer("Rx", 7)
	s.want("Wx")
	s.answer("Wx", 8)
	s.want("Rx")
	s.answer("Rx", 1)
	s.want("Wy")
	s.answer("Wy", 9)
	s.want("Wz")
	if got, want := s.answer("Wz", 5), 5+3*uint64(gen.AddUnit); got != want {
		t.Errorf("an addition of 3 units to 5 leaves %d, want %d", got, want)
	}
	s.reads(7, 1, 9, 5)
	s.end(values{1}, values{2}, values{5 + 3*gen.AddUnit})
}

// buffering lists the cores with a store buffer.
var buffering = []Kind{TSO, OOO, PSO}

func TestStoresAreForwardedAndPassedByLoads(t *testing.T) {
	for _, k := range buffering {
		s := newScript(t, Config{Kind: k}, "store x 1; store x 2; load x; load y")
		s.want("Wx", "Ry")
		s.answer("Ry", 9)
		s.answer("Wx", 0)
		s.want("Wx")
		s.answer("Wx", 1)
		s.reads(2, 9)
		s.end(values{1, 2}, values{}, values{})
		if n := s.core.Statistics().Forwarded; n != 1 {
			t.Errorf("%s: %d loads forwarded, want 1", k, n)
		}
	}
}

func TestForwardOldest(t *testing.T) {
	for _, k := range append(slices.Clone(buffering), RMO) {
		s := newScript(t, Config{Kind: k, Bugs: []Bug{ForwardOldest}}, "store x 1; store x 2; load x")
		s.answer("Wx", 0)
		s.answer("Wx", 1)
		s.reads(1)
		s.end(values{1, 2}, values{}, values{})
	}
}

// TestBufferOrder lets all stores that are under way together perform.
func TestBufferOrder(t *testing.T) {
	const thread = "store x 1; store y 2; store x 3"
	for _, c := range []struct {
		kind  Kind
		bugs  []Bug
		first []string
	}{
		{TSO, nil, []string{"Wx"}},
		{OOO, nil, []string{"Wx"}},
		{PSO, nil, []string{"Wx", "Wy"}},
		{TSO, []Bug{BufferOutOfOrder}, []string{"Wx", "Wy"}},
		{OOO, []Bug{BufferOutOfOrder}, []string{"Wx", "Wy"}},
		{PSO, []Bug{BufferOutOfOrder}, []string{"Wx", "Wx", "Wy"}},
	} {
		s := newScript(t, Config{Kind: c.kind, Bugs: c.bugs}, thread)
		s.want(c.first...)
		for len(s.underWay) > 0 {
			s.answer(s.name(s.underWay[0]), 0)
		}
		if c.kind != PSO || c.bugs == nil {
			s.end(values{1, 3}, values{2}, values{})
		}
	}
}

func TestBufferDepth(t *testing.T) {
	for _, k := range buffering {
		s := newScript(t, Config{Kind: k, Buffer: 1}, "store x 1; store y 2; load z")
		want := []string{"Wx"}
		if k == OOO { // passes the store that waits for room
			want = append(want, "Rz")
		}
		s.want(want...)
		s.answer("Wx", 0)
		s.want("Wy", "Rz")
	}
}

func TestFence(t *testing.T) {
	for _, k := range append(slices.Clone(buffering), RMO) {
		s := newScript(t, Config{Kind: k}, "store x 1; fence; load y; store z 2")
		s.want("Wx")
		s.answer("Wx", 0)
		s.answer("Ry", 9)
		s.answer("Wz", 0)
		s.reads(9)
		s.end(values{1}, values{}, values{2})

		s = newScript(t, Config{Kind: k, Bugs: []Bug{FenceNoDrain}}, "store x 1; fence; load y")
		s.want("Wx", "Ry")
	}
}

func TestRMWFollowsBufferedStores(t *testing.T) {
	for _, c := range []struct {
		kind Kind
		want []string
	}{{TSO, []string{"Wx"}}, {OOO, []string{"Wx"}}, {PSO, []string{"Wx", "Wy"}}, {RMO, []string{"Wx", "Wy", "Rz"}}} {
		s := newScript(t, Config{Kind: c.kind}, "store x 1; exchange y 2; load z")
		s.want(c.want...)
		s.answer("Wx", 0)
		s.answer("Wy", 8)
		s.answer("Rz", 9)
		s.reads(8, 9)
		s.end(values{1}, values{2}, values{})

		s = newScript(t, Config{Kind: c.kind}, "store x 1; exchange x 2; load x")
		s.want("Wx")
		s.answer("Wx", 0)
		s.want("Wx")
		s.answer("Wx", 1)
		s.answer("Rx", 2)
		s.reads(1, 2)
		s.end(values{1, 2}, values{}, values{})
	}
}

func TestSplitRMW(t *testing.T) {
	for _, k := range Kinds() {
		s := newScript(t, Config{Kind: k, Bugs: []Bug{SplitRMW}}, "add x 1; exchange x 2")
		s.want("Rx")
		s.answer("Rx", 5)
		s.want("Wx")
		if got, want := s.answer("Wx", 6), 5+uint64(gen.AddUnit); got != want {
			t.Errorf("%s: a split addition leaves %d, want %d: what came between is lost", k, got, want)
		}
		s.answer("Rx", 7)
		s.answer("Wx", 8)
		s.reads(5, 7)
		s.end(values{5 + gen.AddUnit, 2}, values{}, values{})
	}
}

func TestLockedRMW(t *testing.T) {
	for _, k := range []Kind{InOrder, TSO, OOO} {
		s := newScript(t, Config{Kind: k, RMW: Locked}, "add x 1; load y")
		s.want("W+x")
		if got := s.answer("W+x", 5); got != 5 {
			t.Errorf("%s: the load of a locked pair leaves %d, want 5", k, got)
		}
		s.want("W-x")
		if got, want := s.answer("W-x", 5), 5+uint64(gen.AddUnit); got != want {
			t.Errorf("%s: a locked addition leaves %d, want %d", k, got, want)
		}
		s.answer("Ry", 9)
		s.reads(5, 9)
		s.end(values{5 + gen.AddUnit}, values{}, values{})
	}
}

// TestLinkedRMW has conditional stores fail: the core reads again, and only the
// last load is in the log.
func TestLinkedRMW(t *testing.T) {
	for _, k := range []Kind{InOrder, TSO, OOO} {
		s := newScript(t, Config{Kind: k, RMW: LinkedLoad}, "add x 1; exchange y 2; load z")
		for _, old := range []uint64{5, 6, 7} {
			s.want("R?x")
			s.answer("R?x", old)
			s.want("W?x")
			if old < 7 {
				s.fail("W?x")
				s.reads()
			}
		}
		if got, want := s.answer("W?x", 7), 7+uint64(gen.AddUnit); got != want {
			t.Errorf("%s: the addition leaves %d, want %d", k, got, want)
		}
		s.answer("R?y", 3)
		s.fail("W?y")
		s.answer("R?y", 4)
		s.answer("W?y", 4)
		s.answer("Rz", 9)
		s.reads(7, 4, 9)
		s.end(values{7 + gen.AddUnit}, values{2}, values{})
		if n := s.core.Statistics().Failed; n != 3 {
			t.Errorf("%s: %d failures, want 3", k, n)
		}
	}
}

// TestLateStores has a load go ahead of a store to its location whose address is not
// known: it is replayed, with the loads behind it, and reads from the store.
func TestLateStores(t *testing.T) {
	replayed := false
	for seed := range uint64(20) {
		s := newScript(t, Config{Kind: OOO, LateStores: 1, Seed: seed}, "load z; store x 1; load x; load y")
		// z holds everything back. The queue has come to rest, so that the address is
		// known: x is read from the store, whatever was issued before.
		for _, r := range s.underWay {
			replayed = replayed || s.name(r) == "Rx"
		}
		for range len(s.underWay) {
			if name := s.name(s.underWay[0]); name == "Rz" {
				s.underWay = append(s.underWay[1:], s.underWay[0])
			} else {
				s.answer(name, 7)
			}
		}
		s.answer("Rz", 3)
		s.answer("Wx", 0)
		s.reads(3, 1, 7)
		s.end(values{1}, values{}, values{})
	}
	if !replayed {
		t.Error("no load goes ahead of the store")
	}
}

// TestLoadQueue has room for two loads.
func TestLoadQueue(t *testing.T) {
	s := newScript(t, Config{Kind: OOO, LoadQueue: 2}, "load x; load y; load z")
	s.want("Rx", "Ry")
	s.answer("Ry", 1)
	s.want("Rx")
	s.answer("Rx", 2)
	s.want("Rz")
	s.answer("Rz", 3)
	s.reads(2, 1, 3)
	s.end(values{}, values{}, values{})
}

func TestSquash(t *testing.T) {
	// The oldest load keeps its value, or its access, whatever is evicted.
	s := newScript(t, Config{Kind: OOO, EagerRepeats: true}, "load x; load y; load z")
	s.want("Rx", "Ry", "Rz")
	s.evict(0)
	s.want("Rx", "Ry", "Rz")

	// A younger load with a value starts again, and so does one after it
	// whose access is under way; that access has no effect any more.
	s.answer("Ry", 1)
	s.evict(1)
	s.want("Rx", "Ry", "Rz", "Rz")
	s.answer("Rz", 2)
	s.want("Rx", "Ry", "Rz")
	s.answer("Rz", 3)
	s.answer("Ry", 4)
	s.reads()
	s.answer("Rx", 5)
	s.reads(5, 4, 3)
	s.end(values{}, values{}, values{})
	if n := s.core.Statistics().Squashed; n != 2 {
		t.Errorf("%d loads squashed, want 2", n)
	}

	// A load without a value starts again too: what is under way may bring a
	// value from before the eviction.
	s = newScript(t, Config{Kind: OOO, EagerRepeats: true}, "load x; load y")
	s.evict(1)
	s.want("Rx", "Ry", "Ry")

	s = newScript(t, Config{Kind: OOO, EagerRepeats: true, Bugs: []Bug{LoadNotSquashed}}, "load x; load y")
	s.answer("Ry", 1)
	s.evict(1)
	s.want("Rx")
}

// TestSquashAtHead: a load that has lost its line starts again, with all that follow it, when it is at the head of
// the window, whatever it returned before.
func TestSquashAtHead(t *testing.T) {
	s := newScript(t, Config{Kind: OOO}, "load x; load y; load z")
	s.want("Rx", "Ry", "Rz")
	s.answer("Ry", 1)
	s.evict(1)
	s.answer("Rz", 2)
	s.want("Rx") // nothing starts again while x is not there
	s.answer("Rx", 5)
	s.want("Ry", "Rz")
	s.evict(1) // the oldest load is safe
	s.answer("Rz", 3)
	s.answer("Ry", 4)
	s.reads(5, 4, 3)
	s.end(values{}, values{}, values{})
	if n := s.core.Statistics().Squashed; n != 2 {
		t.Errorf("%d loads squashed, want 2", n)
	}
	// One without a value waits for it first, as its response ends the access in gem5.
	s = newScript(t, Config{Kind: OOO}, "load x; load y")
	s.evict(1)
	s.answer("Rx", 5)
	s.want("Ry")
	s.answer("Ry", 1)
	s.want("Ry")
	s.answer("Ry", 2)
	s.reads(5, 2)
}

func TestSpeculationStopsAtBarriers(t *testing.T) {
	s := newScript(t, Config{Kind: OOO}, "load x; exchange y 1; load z")
	s.want("Rx")
	s.answer("Rx", 0)
	s.want("Wy")
	s.answer("Wy", 0)
	s.want("Rz")
}

func TestRelaxed(t *testing.T) {
	// Everything passes everything else, but a write waits for earlier
	// accesses to its location.
	s := newScript(t, Config{Kind: RMO}, "load x; store y 1; load z; store x 2; load x; load z")
	s.want("Rx", "Wy", "Rz", "Rz")
	s.answer("Wy", 0)
	s.want("Rx", "Rz", "Rz")
	s.answer("Rx", 9)
	s.want("Wx", "Rz", "Rz")
	s.answer("Wx", 9)
	s.answer("Rz", 7)
	s.answer("Rz", 8)
	s.end(values{2}, values{1}, values{})
	if got := s.thread.Reads()[2]; got != 2 {
		t.Errorf("the load after the store reads %d, want 2", got)
	}
}

func TestWindow(t *testing.T) {
	for _, k := range []Kind{OOO, RMO} {
		s := newScript(t, Config{Kind: k, Window: 2}, "load x; load y; load z")
		s.want("Rx", "Ry")
		s.answer("Ry", 1)
		s.want("Rx")
		s.answer("Rx", 2)
		s.want("Rz")
	}
}

func TestFullPort(t *testing.T) {
	for _, k := range Kinds() {
		s := newScript(t, Config{Kind: k}, "load x")
		s.answer("Rx", 0)

		s = newScript(t, Config{Kind: k}, "store x 1; load y; load z; exchange z 2; store y 3")
		s.room = 1
		for !s.ended {
			if len(s.underWay) == 0 {
				t.Fatalf("%s: the core waits for nothing: %s", k, s.core.Describe())
			}
			s.answer(s.name(s.underWay[0]), 0)
		}
		s.end(values{1}, values{3}, values{2})
	}
}

// TestFullPortStoreFirst has a buffered store wait for room in the port, which loads
// that are repeated over and over would take for ever.
func TestFullPortStoreFirst(t *testing.T) {
	s := newScript(t, Config{Kind: OOO, Buffer: 1}, "exchange x 9; store x 1; store y 2; load z; load z; load z")
	s.room = 1
	s.answer("Wx", 0)
	s.want("Rz") // issued before the store left the window
	s.answer("Rz", 0)
	s.want("Wx")
	s.answer("Wx", 9)
	s.want("Rz")
	s.answer("Rz", 0)
	s.want("Wy")
}

func TestEmptyThread(t *testing.T) {
	for _, k := range Kinds() {
		for _, thread := range []string{"", "fence", "delay 3"} {
			newScript(t, Config{Kind: k}, thread).end(values{}, values{}, values{})
		}
	}
}

// wakes notes the ticks of its events.
type wakes struct {
	queue *event.Queue
	at    []event.Tick
}

func (w *wakes) Handle(uint64) { w.at = append(w.at, w.queue.Now()) }

// TestWake asks for wake-ups in several orders: the earliest always comes, and
// asking for one later than that is not remembered.
func TestWake(t *testing.T) {
	for _, c := range []struct{ ask, want []event.Tick }{
		{[]event.Tick{5, 9}, []event.Tick{5}},
		{[]event.Tick{9, 5}, []event.Tick{5, 9}},
		{[]event.Tick{5, 5}, []event.Tick{5}},
	} {
		q := event.New(event.FIFO, 0)
		w := &wakes{queue: q}
		b := base{queue: q, self: q.Add(w)}
		for _, at := range c.ask {
			b.wake(at)
		}
		if err := q.Run(10); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(w.at, c.want) {
			t.Errorf("asked for %v, woken at %v, want %v", c.ask, w.at, c.want)
		}
	}
}

func TestDescribe(t *testing.T) {
	for _, c := range []struct {
		kind         Kind
		thread, want string
	}{
		{InOrder, "load y", "waits for load of y (line 0x100040)"},
		{TSO, "store x 1; fence", "holds back fence; buffered store of x (line 0x100000) is under way"},
		{TSO, "store x 1; store y 2",
			"has no operation left; buffered store of x (line 0x100000) is under way" +
				"; buffered store of y (line 0x100040) waits"},
		{OOO, "load x; load y; fence",
			"load of x (line 0x100000) is under way; load of y (line 0x100040) has performed; fence is held back"},
		{RMO, "load x; load y", "load of x (line 0x100000) is under way; load of y (line 0x100040) has performed"},
		{RMO, "delay 5", "is delayed until tick 6"},
		{RMO, "fence", "has no operation left"},
	} {
		s := newScript(t, Config{Kind: c.kind}, c.thread)
		if c.kind == OOO || strings.HasPrefix(c.thread, "load x") {
			s.answer("Ry", 0)
		}
		if got := s.core.Describe(); got != c.want {
			t.Errorf("%s on %q: %q, want %q", c.kind, c.thread, got, c.want)
		}
	}
}

func TestNames(t *testing.T) {
	for _, k := range Kinds() {
		if got, err := ParseKind(k.String()); err != nil || got != k {
			t.Errorf("ParseKind(%q) = %v, %v", k, got, err)
		}
		for _, b := range Bugs(k) {
			if got, err := ParseBug(b.String()); err != nil || got != b {
				t.Errorf("ParseBug(%q) = %v, %v", b, got, err)
			}
			if err := (&Config{Kind: k, Bugs: []Bug{b}}).Validate(); err != nil {
				t.Errorf("%s with %s: %v", k, b, err)
			}
		}
	}
	for _, name := range []string{"", "unknown", "TSO"} {
		if k, err := ParseKind(name); err == nil {
			t.Errorf("ParseKind(%q) = %v", name, k)
		}
		if b, err := ParseBug(name); err == nil {
			t.Errorf("ParseBug(%q) = %v", name, b)
		}
	}
}

func TestValidate(t *testing.T) {
	for _, c := range []Config{
		{},
		{Kind: RISCV + 1},
		{Kind: TSO, Buffer: -1},
		{Kind: TSO, Buffer: MaxBuffer + 1},
		{Kind: OOO, Window: -1},
		{Kind: OOO, Window: MaxWindow + 1},
		{Kind: Arm, Window: maxWeakWindow + 1},
		{Kind: RISCV, RMW: Locked},
		{Kind: InOrder, Bugs: []Bug{FenceNoDrain}},
		{Kind: TSO, Bugs: []Bug{LoadNotSquashed}},
		{Kind: PSO, RMW: Locked},
		{Kind: RMO, RMW: Locked},
		{Kind: PSO, RMW: LinkedLoad},
		{Kind: TSO, LateStores: 2},
		{Kind: OOO, LateStores: -2},
		{Kind: TSO, LoadQueue: 2},
		{Kind: OOO, LoadQueue: -1},
		{Kind: TSO, RMW: OneAccess, LockHold: 3},
		{Kind: TSO, RMW: LinkedLoad, LockHold: 3},
		{Kind: TSO, RMW: LinkedLoad, Bugs: []Bug{SplitRMW}},
		{Kind: TSO, RMW: Locked, Bugs: []Bug{SplitRMW}},
	} {
		if c.Validate() == nil {
			t.Errorf("%+v is accepted", c)
		}
	}
}
