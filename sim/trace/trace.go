// Package trace is what a memory system did during a run: the transitions of its
// coherence protocol, the messages that its controllers sent, and the accesses
// of its cores, in the order in which they happened. The embedded simulator
// reports them, gem5's debug flags print them, and both have this form.
package trace

import (
	"fmt"

	"ordeal/gen"
)

// Kind is what an Event is.
type Kind uint8

// The kinds of event.
const (
	KindUnknown Kind = iota
	// Transition is a transition of a controller: Name is its event, from State
	// to Next.
	Transition
	// Message is a message of type Name that Place sends at At and that arrives
	// at To at Arrives.
	Message
	// Notice notifies a core, that of Thread, that its controller Place is about to
	// lose the line, so that it can repeat the loads that it performed early.
	Notice
	// Access is a load or store as it is performed.
	Access
	// Commit is an operation that a core commits. Its value is bound.
	Commit
)

// Event is something that happened. An Access and a Notice come after the
// transition that they are part of.
type Event struct {
	Kind Kind
	At   int64 // tick
	// Place is the controller, as "L1Cache 2", or of an Access and a Commit the
	// core, as "core 2".
	Place string
	Line  int64  // address of the line, of the simulator's own; 0 for a Commit
	Name  string // of the event or the type of message

	State, Next string
	// Own reports that an access of the controller's own core asks for the
	// transition.
	Own bool

	To      string
	Arrives int64
	// Data is the line as a Message carries it, by words; nil for one without data.
	Data *[gen.LineBytes / gen.WordBytes]gen.Value `json:",omitempty"`

	Thread gen.ThreadID
	Number int // of the operation among the thread's, round after round; -1: not known
	Loc    gen.LocID
	// Reads and Writes say what an Access does, Read and Written with which
	// values.
	Reads, Writes bool
	Read, Written gen.Value
}

// Core names the lane of a core.
func Core(t gen.ThreadID) string { return fmt.Sprintf("core %d", t) }

// Want is the part of a run that is recorded: what happens to the lines of some
// locations. A simulator may record more.
type Want struct {
	Locations []gen.LocID
	// Everywhere asks for all other lines as well, as those of barriers.
	Everywhere bool
	// First and Last are the rounds that matter.
	First, Last int
}
