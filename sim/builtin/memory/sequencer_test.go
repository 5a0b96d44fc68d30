package memory

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/builtin/event"
)

// machine is a sequencer between a client and a controller that record
// all calls.
type machine struct {
	*Sequencer
	queue  *event.Queue
	calls  []string
	writes map[uint64]uint64 // what the write with a tag stores in word 0
}

func newMachine() *machine {
	m := &machine{queue: event.New(event.FIFO, 0), writes: map[uint64]uint64{}}
	m.Sequencer = NewSequencer(m.queue, 3, m)
	m.Attach(m)
	return m
}

func (m *machine) Issue(r Request) {
	m.calls = append(m.calls, fmt.Sprintf("issue %s %d", kind(r.Write), r.Line))
}

func (m *machine) Block(line Addr)   { m.calls = append(m.calls, fmt.Sprintf("block %d", line)) }
func (m *machine) Unblock(line Addr) { m.calls = append(m.calls, fmt.Sprintf("unblock %d", line)) }

func (m *machine) Perform(tag uint64, b *Block) {
	m.calls = append(m.calls, fmt.Sprintf("perform %d at %d", tag, b[0]))
	if v, ok := m.writes[tag]; ok {
		b[0] = v
	}
}

func (m *machine) Evict(line Addr) { m.calls = append(m.calls, fmt.Sprintf("evict %d", line)) }

// want compares the calls since the last want.
func (m *machine) want(t *testing.T, calls ...string) {
	t.Helper()
	if !slices.Equal(m.calls, calls) {
		t.Fatalf("calls %q, want %q", m.calls, calls)
	}
	m.calls = nil
}

func (m *machine) access(t *testing.T, line Addr, write bool, tag uint64) {
	t.Helper()
	if !m.Access(Request{Line: line, Write: write, Tag: tag}) {
		t.Fatalf("access %d was refused", tag)
	}
	if write {
		m.writes[tag] = 100 + tag
	}
}

// TestCoalescing follows two reads, a write, a read and a write of one line,
// and a read of another line between them.
func TestCoalescing(t *testing.T) {
	m := newMachine()
	m.access(t, 64, false, 1)
	m.access(t, 64, false, 2)
	m.access(t, 128, false, 3)
	m.access(t, 64, true, 4)
	m.access(t, 64, false, 5)
	m.access(t, 64, true, 6)
	m.want(t, "issue read 64", "issue read 128")
	m.ReadCallback(64, &Block{7})
	m.want(t, "perform 1 at 7", "perform 2 at 7", "issue write 64")
	b := Block{9}
	m.WriteCallback(64, &b)
	m.want(t, "perform 4 at 9", "perform 5 at 104", "perform 6 at 104")
	if b[0] != 106 {
		t.Errorf("the block holds %d, want 106", b[0])
	}
	m.ReadCallback(128, &Block{8})
	m.want(t, "perform 3 at 8")
	if _, _, ok := m.Oldest(); ok {
		t.Error("an access is under way after all have performed")
	}
	m.access(t, 64, false, 7)
	m.want(t, "issue read 64")
	if err := m.queue.Err(); err != nil {
		t.Error(err)
	}
}

func TestEviction(t *testing.T) {
	m := newMachine()
	m.EvictionCallback(64)
	m.want(t, "evict 64")
}

func TestLimit(t *testing.T) {
	m := newMachine()
	for i := range uint64(maxPending) {
		m.access(t, Addr(i%3)*64, false, i)
	}
	if m.Access(Request{Line: 0}) {
		t.Fatal("a full sequencer accepts an access")
	}
	m.ReadCallback(64, &Block{})
	m.access(t, 64, false, 20)
}

// TestLock follows a locked pair on a sequencer that is full of accesses to
// other lines.
func TestLock(t *testing.T) {
	m := newMachine()
	for i := range uint64(maxPending - 1) {
		m.access(t, Addr(i+2)*64, false, i)
	}
	m.calls = nil
	if !m.Access(Request{Line: 64, Write: true, Lock: TakeLock, Tag: 50}) {
		t.Fatal("the access that takes the lock is refused")
	}
	m.WriteCallback(64, &Block{7})
	m.want(t, "issue write 64", "perform 50 at 7", "block 64")
	if m.Access(Request{Line: 64}) {
		t.Error("another access to a locked line is accepted")
	}
	m.access(t, 2048, false, 51)
	if !m.Access(Request{Line: 64, Write: true, Lock: ReleaseLock, Tag: 52}) {
		t.Fatal("the access that releases the lock is refused")
	}
	m.WriteCallback(64, &Block{7})
	m.want(t, "issue read 2048", "issue write 64", "perform 52 at 7", "unblock 64")
	m.ReadCallback(2048, &Block{})
	m.access(t, 64, false, 53)
}

// plain is a controller without locks.
type plain struct{}

func (plain) Issue(Request) {}

func TestLockIsRefused(t *testing.T) {
	m := newMachine()
	m.Sequencer = NewSequencer(m.queue, 3, plain{})
	m.Attach(m)
	m.Access(Request{Line: 64, Write: true, Lock: TakeLock})
	m.WriteCallback(64, &Block{})
	if err := m.queue.Err(); err == nil || err.Error() != "sequencer: the memory system does not lock lines" {
		t.Errorf("error %v", err)
	}
}

// waker runs a function at the tick of its event.
type waker struct{ do func() }

func (w waker) Handle(uint64) { w.do() }

func TestOldest(t *testing.T) {
	m := newMachine()
	at := func(tick event.Tick, do func()) {
		m.queue.At(tick, m.queue.Add(waker{do}), 0)
	}
	at(5, func() { m.access(t, 64, false, 1) })
	at(7, func() { m.access(t, 128, false, 2) })
	at(9, func() { m.ReadCallback(64, &Block{}) })
	for _, want := range []event.Tick{5, 5, 7} {
		if err := m.queue.Run(1); err != nil {
			t.Fatal(err)
		}
		if _, got, ok := m.Oldest(); !ok || got != want {
			t.Errorf("oldest access at tick %d, want %d", got, want)
		}
	}
	var sb strings.Builder
	m.Dump(&sb)
	if want := "core 3: read of line 0x80 under way since tick 7\n"; sb.String() != want {
		t.Errorf("dump is %q, want %q", sb.String(), want)
	}
}

func TestFaults(t *testing.T) {
	for _, c := range []struct {
		name, title string
		do          func(m *machine)
	}{
		{"read out of nowhere", "sequencer: read completed that was never issued",
			func(m *machine) { m.ReadCallback(64, &Block{}) }},
		{"write out of nowhere", "sequencer: write completed that was never issued",
			func(m *machine) { m.access(t, 128, true, 1); m.WriteCallback(64, &Block{}) }},
		{"read for a write", "sequencer: read completed where a write was issued",
			func(m *machine) { m.access(t, 64, true, 1); m.ReadCallback(64, &Block{}) }},
		{"write for a read", "sequencer: write completed where a read was issued",
			func(m *machine) { m.access(t, 64, false, 1); m.WriteCallback(64, &Block{}) }},
	} {
		m := newMachine()
		c.do(m)
		var fault *Fault
		if !errors.As(m.queue.Err(), &fault) || fault.Title() != c.title {
			t.Errorf("%s: fault %v, want %q", c.name, m.queue.Err(), c.title)
		} else if want := "core 3, line 0x40"; !strings.Contains(fault.Detail, want) {
			t.Errorf("%s: detail %q lacks %q", c.name, fault.Detail, want)
		}
		if slices.ContainsFunc(m.calls, func(s string) bool { return strings.HasPrefix(s, "perform") }) {
			t.Errorf("%s: an access has performed: %q", c.name, m.calls)
		}
	}
}

// retried is a client that counts how often it may try again.
type retried struct {
	noClient
	times int
}

func (r *retried) Retry() { r.times++ }

// TestFlush keeps a flush apart from other accesses of its line, and notifies the
// attached client when it has completed.
func TestFlush(t *testing.T) {
	m := newMachine()
	core := new(retried)
	m.Attach(core)
	other := m.Join(noClient{})
	if !m.Access(Request{Line: 64, Write: true, Kind: Flush, Client: other}) {
		t.Fatal("a flush is refused")
	}
	if m.Access(Request{Line: 64}) || m.Access(Request{Line: 64, Write: true, Kind: Flush, Client: other}) {
		t.Error("an access of a line that is being flushed is taken")
	}
	if !m.Access(Request{Line: 128}) || m.Access(Request{Line: 128, Write: true, Kind: Flush, Client: other}) {
		t.Error("want an access of another line taken, and its flush refused")
	}
	m.WriteCallback(64, new(Block))
	if core.times != 1 {
		t.Errorf("the core may try again %d times, want once", core.times)
	}
	if !m.Access(Request{Line: 64}) {
		t.Error("an access after the flush is refused")
	}
}
