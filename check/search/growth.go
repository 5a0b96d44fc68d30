package search

import (
	"unsafe"

	"ordeal/check/witness"
)

// What a pairSolver keeps grows with what it learns, so that there is no estimate
// beforehand: it counts, and stops at the limit.
const (
	// pairBytes is a variable: here, in the index, and in the solver.
	pairBytes = 192
	// consequenceBytes is a consequence: as implied, collected from all
	// literals, and sorted.
	consequenceBytes = 3 * int64(unsafe.Sizeof(consequence{}))
	// cycleBytes is a node of the graph in the search for cycles, without edges.
	cycleBytes = 32
	// nodeBytes is a split of a refutation, with the literals that its cases use.
	nodeBytes = int64(unsafe.Sizeof(witness.Node{})) + 64
)

// clauseBytes is about what a clause takes here and in the solver, with its
// part of the clauses that the solver learns from it.
func clauseBytes(lits []literal) int64 { return 128 + 24*int64(len(lits)) }

// refutationBytes is the size of a refutation that is a cycle.
func refutationBytes(ref *witness.Refutation) int64 {
	if ref == nil {
		return 0
	}
	edges := len(ref.Root.Cycle)
	for i := range ref.Lemmas {
		edges += len(ref.Lemmas[i].Premise)
	}
	return int64(unsafe.Sizeof(*ref)) + int64(unsafe.Sizeof(*ref.Root)) + int64(edges)*int64(unsafe.Sizeof(witness.Edge{})) +
		int64(len(ref.Lemmas))*int64(unsafe.Sizeof(witness.Lemma{}))
}

// within is the error of the limits on memory, if it is used up.
func (s *pairSolver) within() error { return s.limits.Check(s.bytes) }
