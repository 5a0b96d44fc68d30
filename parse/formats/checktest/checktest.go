// Package checktest reads and writes the tests of the Check tools (PipeCheck,
// Lustig, Pellauer and Martonosi, MICRO 2014; CCICheck, Manerkar et al., MICRO
// 2015; COATCheck, Lustig et al., ASPLOS 2016): executions of a litmus test
// with explicit relations, and what is expected of them.
//
//	Alternative
//	0 0 0 0 (Write normal (VA 0 0) (PA 0 0) (Data 1))
//	1 0 0 0 (Fence MFENCE)
//	2 0 0 0 (Read normal (VA 1 0) (PA 1 0) (Data 0))
//	3 1 0 0 (Read RMW (VA 1 0) (PA 1 0) (Data 0))
//	4 1 0 0 (Write RMW (VA 1 0) (PA 1 0) (Data 1))
//	Relationship po 0 0 -> 1 0
//	Relationship po 1 0 -> 2 0
//	Relationship po 3 0 -> 4 0
//	Relationship fr 2 0 -> 4 0
//	(PA 0 0) = 1
//	Forbidden
//
// The numbers before a microop are its own, its core, its thread there, and
// that of the part of its instruction; older tests have no thread. A location
// is a physical address, tag and index: "0", or "0_8" where the index is not
// 0. Equations before the first alternative are about the initial state, which
// must be 0, those in one about the final state.
//
// Reads-from is explicit, so that values need not be unique: where a location
// is written a value twice, or 0, its writes are given values of their own.
// Not supported, and refused by line: page tables and interrupt controllers,
// unknown data, and fences of kinds other than MFENCE, LFENCE and SFENCE. An
// atomic read that reads from its own write makes an alternative faulty.
package checktest

import (
	"slices"

	"ordeal/parse"
)

// Outcome is what a test expects of its executions.
type Outcome uint8

// The outcomes.
const (
	OutcomeUnknown Outcome = iota
	Forbidden
	Permitted
	Required
	Unobserved
)

var outcomeNames = [...]string{"Unknown", "Forbidden", "Permitted", "Required", "Unobserved"}

// String is the outcome as in tests.
func (o Outcome) String() string { return outcomeNames[o] }

// ParseOutcome is the outcome of a name as in tests.
func ParseOutcome(name string) (Outcome, bool) {
	i := slices.Index(outcomeNames[:], name)
	return Outcome(max(i, 0)), i > 0
}

// Test is a test: executions, and one outcome for all.
type Test struct {
	Outcome      Outcome
	Alternatives []Alternative
	_            struct{}
}

// Alternative is an execution of a test.
type Alternative struct {
	Line int // of its first line, from 1
	// History is nil when Err is not: then the relations or values are those
	// of no history. Err joins all faults, each with name and line.
	History *parse.History
	Err     error
	// Notes say, each in one line, what of the text the history does not.
	Notes []string
}
