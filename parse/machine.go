package parse

import (
	"fmt"

	"ordeal/gen"
	"ordeal/parse/formats/events"
)

// machine runs the placed operations of a stepper: threads with FIFO store
// buffers on a memory. Every read has to return what it did.
type machine struct {
	s       *stepper
	b       *events.Builder
	memory  []gen.Value
	buffers [][]int // of each thread, the buffered stores among its operations
	next    []int   // of each thread, its next operation
	tx      []int32 // of each thread, the number of its open transaction
}

// first is the thread whose next operation happens first, in the order of the
// log, among those placed before write w of memory; -1 if there is none.
func (m *machine) first(w int32) int {
	best := -1
	for t, ops := range m.s.threads {
		if m.next[t] == len(ops) {
			continue
		}
		op := &ops[m.next[t]]
		if op.at > w || op.op.Kind.Reads() && op.op.Kind.Writes() {
			continue
		}
		if best < 0 || op.step < m.s.threads[best][m.next[best]].step {
			best = t
		}
	}
	return best
}

// step lets the next operation of thread t happen, which is no update.
func (m *machine) step(t int) error {
	k := m.next[t]
	op := &m.s.threads[t][k]
	if err := m.event(t, op); err != nil {
		return err
	}
	switch op.op.Kind {
	case gen.Load:
		if got := m.load(t, op.op.Loc); got != op.value {
			return m.mismatch(t, op, got)
		}
	case gen.Store:
		m.buffers[t] = append(m.buffers[t], k)
	}
	return nil
}

// write lets write w of memory happen, by thread t: its next operation, if
// that is an update, or the commit of its oldest store.
func (m *machine) write(t int, w int32) error {
	ops := m.s.threads[t]
	if k := m.next[t]; k < len(ops) && ops[k].commit == w && ops[k].op.Kind.Reads() && ops[k].op.Kind.Writes() {
		op := &ops[k]
		if got := m.memory[op.op.Loc]; got != op.value {
			return m.mismatch(t, op, got)
		}
		if err := m.event(t, op); err != nil {
			return err
		}
		m.memory[op.op.Loc] = op.write
		return nil
	}
	if len(m.buffers[t]) == 0 || ops[m.buffers[t][0]].commit != w {
		return fmt.Errorf("write %d of memory: thread %d is not ready for it", w, t)
	}
	op := &ops[m.buffers[t][0]]
	m.buffers[t] = m.buffers[t][1:]
	m.memory[op.op.Loc] = op.write
	return m.b.Commit(t)
}

func (m *machine) load(t int, loc gen.LocID) gen.Value {
	for i := len(m.buffers[t]) - 1; i >= 0; i-- {
		if op := &m.s.threads[t][m.buffers[t][i]]; op.op.Loc == loc {
			return op.write
		}
	}
	return m.memory[loc]
}

func (m *machine) mismatch(t int, op *performed, got gen.Value) error {
	return fmt.Errorf("thread %d: %s returned %d where a machine of TSO returns %d", t, m.s.p.OpText(op.op), op.value, got)
}

func (m *machine) event(t int, op *performed) error {
	m.next[t]++
	if op.tx != m.tx[t] {
		if m.tx[t] > 0 {
			if err := m.b.End(t); err != nil {
				return err
			}
		}
		m.tx[t] = op.tx
		if err := m.b.Begin(t); err != nil {
			return err
		}
	}
	kind := events.Update
	switch op.op.Kind {
	case gen.Load:
		kind = events.Read
	case gen.Store:
		kind = events.Write
	case gen.FullFence:
		kind = events.Fence
	}
	return m.b.Add(t, kind, int(op.op.Loc))
}
