// Package events holds sequences of events in the sense of Enea and Farzan,
// "On Atomicity in Presence of Non-atomic Writes", TACAS 2016, Sect. 2: what
// several threads did, in one order, grouped into transactions, with the
// commits of writes (an execution) or without them (a trace). It has a text
// form of its own; see Parse and Sequence.Text.
package events

import (
	"fmt"
	"slices"
)

// Kind says what an event is.
type Kind uint8

// The kinds of event.
const (
	KindUnknown Kind = iota
	Read             // rd: a load
	Write            // wr: a store is issued into its thread's store buffer
	Commit           // wr-com: the oldest buffered store reaches memory
	Fence            // fn: happens when the store buffer is empty
	// Update is an atomic read-modify-write, which the paper does not have:
	// a fence that reads and writes memory at one instant.
	Update
)

var kindNames = [...]string{"unknown", "read", "write", "commit", "fence", "update"}

// String is the kind's word in the text form.
func (k Kind) String() string { return kindNames[k] }

// Accesses reports whether an event of kind k has a variable.
func (k Kind) Accesses() bool {
	return k == Read || k == Write || k == Commit || k == Update
}

// Drains reports whether an event of kind k needs an empty store buffer.
func (k Kind) Drains() bool { return k == Fence || k == Update }

// Event is one event. Values are projected away (Sect. 3).
type Event struct {
	Kind   Kind
	Thread int32 // index in Sequence.Threads
	Tx     int32 // index in Sequence.Transactions; a commit has its write's
	Var    int32 // index in Sequence.Variables; -1 for a Fence
	// Issue is the index of the write that a Commit commits, -1 otherwise.
	Issue int32
}

// Transaction is a block of events of one thread that no event of its thread
// but commits of earlier transactions interrupts. An event outside of all
// blocks is a transaction of its own.
type Transaction struct {
	Thread int32
	Number int32 // among those of the thread, from 1
}

// Sequence is an execution or a trace. A Builder makes well-formed ones.
type Sequence struct {
	// Execution says that the events include the commits of writes. Writes
	// that no commit follows are still in their buffers at the end.
	Execution    bool
	Threads      []string
	Variables    []string
	Transactions []Transaction
	Events       []Event
	_            struct{}
}

// Trace is the sequence without its commits: trace(η) of Sect. 5. The
// transactions keep their indices. The trace of a trace is itself.
func (s *Sequence) Trace() *Sequence {
	return &Sequence{
		Threads: s.Threads, Variables: s.Variables, Transactions: s.Transactions,
		Events: slices.DeleteFunc(slices.Clone(s.Events), func(e Event) bool { return e.Kind == Commit }),
	}
}

// TxName names a transaction in messages: its thread's name and its number.
func (s *Sequence) TxName(tx int32) string {
	t := s.Transactions[tx]
	return fmt.Sprintf("%s.%d", s.Threads[t.Thread], t.Number)
}

// EventText is the line of the text form for an event.
func (s *Sequence) EventText(i int32) string {
	return string(s.appendEvent(nil, &s.Events[i]))
}
