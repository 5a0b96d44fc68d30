package events

import (
	"errors"
	"fmt"
	"math"
	"slices"
)

// ErrBuffered says that a fence or an update happened while writes of its
// thread were buffered.
var ErrBuffered = errors.New("it needs an empty one")

// Builder makes a Sequence event by event and refuses what no machine with
// store buffers can do. Threads and variables are indices of the names that
// NewBuilder was given; others make it panic.
type Builder struct {
	seq     *Sequence
	threads []thread
}

type thread struct {
	inside bool  // between Begin and End
	tx     int32 // the open transaction, -1 if it has no event yet
	count  int32 // transactions so far
	buffer []int32
	head   int // of buffer: what is before has been committed
}

// NewBuilder begins a sequence of the given threads and variables: an
// execution, whose writes are committed by Commit, or a trace.
func NewBuilder(execution bool, threads, variables []string) *Builder {
	return &Builder{
		seq:     &Sequence{Execution: execution, Threads: threads, Variables: variables},
		threads: make([]thread, len(threads)),
	}
}

// Grow makes room for n more events.
func (b *Builder) Grow(n int) {
	b.seq.Events = slices.Grow(b.seq.Events, n)
}

// Begin opens a transaction of thread t. One that ends without an event
// leaves no trace in the sequence.
func (b *Builder) Begin(t int) error {
	th := &b.threads[t]
	if th.inside {
		return fmt.Errorf("thread %s begins a transaction inside another", b.seq.Threads[t])
	}
	th.inside, th.tx = true, -1
	return nil
}

// End closes the open transaction of thread t.
func (b *Builder) End(t int) error {
	th := &b.threads[t]
	if !th.inside {
		return fmt.Errorf("thread %s ends a transaction that it did not begin", b.seq.Threads[t])
	}
	th.inside = false
	return nil
}

// Add appends an event of thread t other than a commit: kind Read, Write,
// Fence or Update; variable x is ignored for a Fence.
func (b *Builder) Add(t int, kind Kind, x int) error {
	th := &b.threads[t]
	if b.seq.Execution && kind.Drains() && th.head < len(th.buffer) {
		return fmt.Errorf("%s of thread %s while its store buffer holds %d writes: %w",
			kind, b.seq.Threads[t], len(th.buffer)-th.head, ErrBuffered)
	}
	if len(b.seq.Events) == math.MaxInt32 {
		return fmt.Errorf("more than %d events", math.MaxInt32)
	}
	if !th.inside || th.tx < 0 {
		th.count++
		th.tx = int32(len(b.seq.Transactions))
		b.seq.Transactions = append(b.seq.Transactions, Transaction{Thread: int32(t), Number: th.count})
	}
	e := Event{Kind: kind, Thread: int32(t), Tx: th.tx, Var: -1, Issue: -1}
	if kind.Accesses() {
		e.Var = int32(x)
		_ = b.seq.Variables[x]
	}
	if kind == Write && b.seq.Execution {
		th.buffer = append(th.buffer, int32(len(b.seq.Events)))
	}
	b.seq.Events = append(b.seq.Events, e)
	return nil
}

// Commit commits the oldest write in the store buffer of thread t.
func (b *Builder) Commit(t int) error {
	th := &b.threads[t]
	switch {
	case !b.seq.Execution:
		return fmt.Errorf("commit by thread %s in a trace", b.seq.Threads[t])
	case th.head == len(th.buffer):
		return fmt.Errorf("commit by thread %s while its store buffer is empty", b.seq.Threads[t])
	case len(b.seq.Events) == math.MaxInt32:
		return fmt.Errorf("more than %d events", math.MaxInt32)
	}
	issue := th.buffer[th.head]
	if th.head++; th.head == len(th.buffer) {
		th.buffer, th.head = th.buffer[:0], 0
	}
	e := b.seq.Events[issue]
	e.Kind, e.Issue = Commit, issue
	b.seq.Events = append(b.seq.Events, e)
	return nil
}

// Oldest is the variable of the oldest write in the store buffer of thread t,
// -1 when the buffer is empty.
func (b *Builder) Oldest(t int) int {
	th := &b.threads[t]
	if th.head == len(th.buffer) {
		return -1
	}
	return int(b.seq.Events[th.buffer[th.head]].Var)
}

// Drain commits all writes in the store buffer of thread t.
func (b *Builder) Drain(t int) error {
	for b.Oldest(t) >= 0 {
		if err := b.Commit(t); err != nil {
			return err
		}
	}
	return nil
}

// Sequence is what was built so far. Later calls change it.
func (b *Builder) Sequence() *Sequence { return b.seq }
