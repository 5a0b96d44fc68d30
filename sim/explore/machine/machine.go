// Package machine says what an exploration needs of the machine that it
// explores.
package machine

import (
	"fmt"
	"io"

	"ordeal/gen/option"
	"ordeal/sim"
)

// State is a state of a machine: Width numbers of components, which mean
// something to that machine and its forks only.
type State []uint32

// Fingerprint is a hash of a state, or under symmetry of its orbit: states that
// are permutations of each other have the same. It does not depend on the
// numbers of components.
type Fingerprint struct{ Hi, Lo uint64 }

// Compare orders fingerprints.
func (f Fingerprint) Compare(g Fingerprint) int {
	switch {
	case f.Hi < g.Hi, f.Hi == g.Hi && f.Lo < g.Lo:
		return -1
	case f == g:
		return 0
	}
	return 1
}

// Machine is a machine with finitely many states. A Machine serves one
// goroutine; each worker has a fork of its own. What a state does depends on
// nothing but the state.
type Machine interface {
	// Width is the length of every State.
	Width() int
	Initial() State
	Fingerprint(State) Fingerprint
	// Expand computes everything about one state. The order of the steps is a
	// function of the content of the state.
	Expand(State, *Expansion)
	// Fork makes a machine for another worker; they share the components.
	Fork() Machine
	// Coverage has the rows that this fork has taken.
	Coverage() sim.Coverage
	// Outcome is what a state with Expansion.Done has computed: states have the
	// same bytes if and only if they have the same outcome.
	Outcome(State) []byte
	// Step describes the step of a state with an ordinal.
	Step(s State, ordinal int) Step
	// Describe is a state in lines of text.
	Describe(State) string
	// Class names a class of fairness.
	Class(uint16) string
	// Memory is an estimate of the bytes that the shared components take.
	Memory() int64
	// Save writes the components, and Load reads them into a machine that was
	// made with the same configuration; states keep their meaning. No fork may
	// be in use.
	Save(io.Writer) error
	Load(io.Reader) error
}

// Step describes a step of a machine: String is its line in a schedule.
type Step interface{ fmt.Stringer }

// Expansion is everything about one state. Prints, Ordinals and Classes have an
// element for each successor.
type Expansion struct {
	States   []uint32      // the successors, Width numbers each
	Prints   []Fingerprint // their fingerprints
	Ordinals []uint16      // which steps of the state lead to them, ascending
	// Classes are the classes of fairness of these steps: 0 is a step that
	// need never happen, such as a new request; steps of another class happen
	// some time if they are possible for ever.
	Classes []uint16
	Faults  []Fault
	Print   Fingerprint // of the state itself
	Steps   int         // steps taken, with those that fail or change nothing
	Orbit   int         // the number of states in the orbit
	Waiting uint64      // a bit for each request that may be under way
	Rest    bool        // nothing is in flight and no request is under way
	Done    bool        // all threads are at their end, and Rest
}

// Reset empties an expansion, and keeps its memory.
func (e *Expansion) Reset() {
	*e = Expansion{
		States: e.States[:0], Prints: e.Prints[:0], Ordinals: e.Ordinals[:0], Classes: e.Classes[:0], Faults: e.Faults[:0],
	}
}

// Fault is a property that does not hold.
type Fault struct {
	Property Property
	sim.Failure
	Detail string
	Step   int // the ordinal of the step that fails; -1: the state itself
}

// Property is what an exploration checks.
type Property uint8

// The properties.
const (
	UnknownProperty Property = iota
	Unhandled                // an event in a state without a transition for it
	Assertion                // a failed assertion
	StalePointer             // a use of a deallocated entry
	BufferOrder              // a buffer that is overfull, or in a wrong order
	Misrouted                // a message to a controller that does not exist, or of a line that no core accesses
	Callback                 // the completion of a request that was never made
	SWMR                     // two copies of a line, of which one may be written
	Deadlock                 // a request, and no step that changes the state
	Values                   // a read, or a copy at rest, of an old value
	Leftovers                // at rest, a transaction that has not ended
	Outcome                  // an outcome that the memory model forbids
	Livelock                 // a request that need never be answered
	Resource                 // a cache, table, timer or buffer that is used as it cannot be
)

var propertyNames = option.Names[Property]{
	"unknown", "unhandled", "assertion", "stale-pointer", "buffer-order", "misrouted", "callback", "swmr", "deadlock", "values",
	"leftovers", "outcome", "livelock", "resource",
}

// Properties are the names of all properties.
func Properties() []string { return propertyNames[1:] }

// String is the name of the property.
func (p Property) String() string { return propertyNames.Of(p) }

// MarshalText writes the name of the property.
func (p Property) MarshalText() ([]byte, error) { return []byte(p.String()), nil }

// UnmarshalText reads the name of a property.
func (p *Property) UnmarshalText(text []byte) error {
	var err error
	*p, err = propertyNames.Parse("property", string(text))
	return err
}
