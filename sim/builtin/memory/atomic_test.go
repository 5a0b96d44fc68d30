package memory

import (
	"errors"
	"fmt"
	"testing"
)

// far is a machine whose controller may have atomic accesses performed
// elsewhere.
type far struct{ *machine }

func newFar() far {
	m := far{newMachine()}
	m.controller = m
	return m
}

func (far) Atomics() bool { return true }

func (m far) IssueAtomic(line Addr, word uint8) {
	m.calls = append(m.calls, fmt.Sprintf("issue atomic %d of %d", word, line))
}

func (m far) atomic(t *testing.T, line Addr, tag uint64) {
	t.Helper()
	if !m.Access(Request{Line: line, Write: true, Atomic: true, Tag: tag}) {
		t.Fatalf("access %d was refused", tag)
	}
	m.writes[tag] = 100 + tag
}

// TestAtomic follows a write, an atomic access, another one and a read of a
// line: each atomic access is issued by itself, takes effect where it is
// performed, and is over when it is completed with what it replaced.
func TestAtomic(t *testing.T) {
	m := newFar()
	m.access(t, 64, true, 1)
	m.atomic(t, 64, 2)
	m.atomic(t, 64, 3)
	m.access(t, 64, false, 4)
	m.want(t, "issue write 64")
	m.WriteCallback(64, &Block{7})
	m.want(t, "perform 1 at 7", "issue atomic 0 of 64")
	b := Block{50}
	m.PerformAtomic(64, &b)
	m.want(t, "perform 2 at 50")
	if b[0] != 102 {
		t.Errorf("the block holds %d, want 102", b[0])
	}
	m.AtomicCallback(64, &Block{50})
	m.want(t, "issue atomic 0 of 64")
	m.PerformAtomic(64, &b)
	m.AtomicCallback(64, &Block{102})
	m.want(t, "perform 3 at 102", "issue read 64")
	m.ReadCallback(64, &b)
	m.want(t, "perform 4 at 103")
	if err := m.queue.Err(); err != nil {
		t.Error(err)
	}

	// A controller without atomic accesses takes them for writes.
	near := newMachine()
	far{near}.atomic(t, 64, 1)
	far{near}.atomic(t, 64, 2)
	near.WriteCallback(64, &Block{7})
	near.want(t, "issue write 64", "perform 1 at 7", "perform 2 at 101")
}

func TestAtomicFaults(t *testing.T) {
	for title, do := range map[string]func(m far){
		"performed that is not under way": func(m far) { m.PerformAtomic(64, &Block{}) },
		"completed that was not performed": func(m far) {
			m.atomic(t, 64, 1)
			m.AtomicCallback(64, &Block{})
		},
		"completed with another value than it replaced": func(m far) {
			m.atomic(t, 64, 1)
			m.PerformAtomic(64, &Block{5})
			m.AtomicCallback(64, &Block{6})
		},
	} {
		m := newFar()
		do(m)
		var fault *Fault
		if !errors.As(m.queue.Err(), &fault) || fault.Title() != "sequencer: atomic access "+title {
			t.Errorf("fault %v, want %q", m.queue.Err(), title)
		}
	}
}
