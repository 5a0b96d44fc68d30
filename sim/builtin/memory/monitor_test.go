package memory

import (
	"fmt"
	"testing"
)

// linker is a machine whose controller has one reservation.
type linker struct {
	*machine
	line Addr // 0: none
}

func newLinker() *linker {
	l := &linker{machine: newMachine()}
	l.Sequencer = NewSequencer(l.queue, 3, l)
	l.Attach(l)
	return l
}

func (l *linker) Reserve(line Addr)       { l.line = line }
func (l *linker) Reserved(line Addr) bool { return l.line == line }

func (l *linker) Release(line Addr) {
	if l.line == line {
		l.line = 0
	}
}

func (l *linker) Fail(tag uint64) { l.calls = append(l.calls, fmt.Sprintf("fail %d", tag)) }

func (l *linker) link(t *testing.T) {
	t.Helper()
	if !l.Access(Request{Line: 64, Lock: LoadLinked, Tag: 1}) {
		t.Fatal("a linked load was refused")
	}
	l.ReadCallback(64, &Block{7})
	l.want(t, "issue read 64", "perform 1 at 7")
	if !l.Linked(64) || l.Linked(128) {
		t.Fatal("the linked load does not reserve its line, or another as well")
	}
}

func (l *linker) store(t *testing.T) {
	t.Helper()
	if !l.Access(Request{Line: 64, Write: true, Lock: StoreConditional, Tag: 2}) {
		t.Fatal("a conditional store was refused")
	}
	l.calls = nil
}

// TestConditionalStores follows reservations: what ends them is what ends them in
// gem5's Sequencer.
func TestConditionalStores(t *testing.T) {
	l := newLinker()
	l.link(t)
	l.store(t)
	l.WriteCallback(64, &Block{8})
	l.want(t, "perform 2 at 8")

	// A reservation serves once.
	l.store(t)
	l.WriteCallback(64, &Block{8})
	l.want(t, "fail 2")

	// It ends with the loss of the line, not with that of another.
	for line, want := range map[Addr]string{64: "fail 2", 128: "perform 2 at 8"} {
		l.link(t)
		l.EvictionCallback(line)
		l.want(t, fmt.Sprintf("evict %d", line))
		l.store(t)
		l.WriteCallback(64, &Block{8})
		l.want(t, want)
	}

	// It ends with a store of the core, which completes first.
	l.link(t)
	l.access(t, 64, true, 5)
	l.store(t)
	l.WriteCallback(64, &Block{8})
	l.want(t, "perform 5 at 8", "fail 2")

	// The controller may have the store fail.
	l.link(t)
	l.store(t)
	l.FailConditional(64, &Block{8})
	l.want(t, "fail 2")

	// One that fails needs no data, unless a load of the line waits behind it.
	l.link(t)
	l.store(t)
	if !l.Alone(64) || l.Alone(128) {
		t.Error("the store is not alone, or another line has one")
	}
	l.FailConditional(64, nil)
	l.want(t, "fail 2")
	l.store(t)
	l.access(t, 64, false, 6)
	if l.Alone(64) {
		t.Error("the store is alone with a load")
	}
	l.FailConditional(64, &Block{8})
	l.want(t, "fail 2", "perform 6 at 8")
	if err := l.queue.Err(); err != nil {
		t.Error(err)
	}

	m := newMachine()
	m.Access(Request{Line: 64, Lock: LoadLinked})
	m.ReadCallback(64, &Block{})
	if m.queue.Err() == nil {
		t.Error("a linked load without a monitor is no fault")
	}
}
