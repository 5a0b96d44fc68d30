package search

// The numbers that the stages were tuned with, each with the measurement that set it
// and its commit. They trade time for time and memory: no answer depends on them.
const (
	// longHistory is the number of operations from which on the beginning of a
	// history is looked at first, and beginningShare the part that is, one operation
	// in so many (4ea59cfd: a million operations of 64 threads of a machine of RMO,
	// which PSO forbids: 2.2 to 0.35 s). longRuled is longHistory for models with
	// Rules, whose graphs take longer (f45aab93: 30,000 operations that armv8
	// forbids: 6,205 to 1,804 instructions an operation, allowed ones 4 % more).
	longHistory    = 1 << 16
	longRuled      = 1 << 13
	beginningShare = 32

	// An early order may take back as many placements as saturation would cost:
	// beyond mostThreads threads saturation is not much more work for more of them,
	// since its rows are mostly zero then (9e6ad5a9), and relaxedEffort times more for
	// models that do not keep the order of stores (9de16af2: RMO with fences, 262,144
	// operations, 16 threads: 2.5 to 1.1 s). earlyNogoods bounds what it learns
	// without getting further.
	mostThreads   = 64
	relaxedEffort = 8
	earlyNogoods  = 1024

	// maxNogoods bounds the dead ends that are learned from without getting further.
	// The first maxSpared of them take back only what depends on a decision, which may
	// go round in a circle (6f57cfec: TSO, 300,000 operations, 64 threads: 1.26 to 0.79 s).
	maxNogoods = 64
	maxSpared  = 16
	// maxProbe bounds the placements that harmless tries (d8c0e333).
	maxProbe = 256

	// maxLookahead bounds the nodes that a search ahead visits. visitsOfPlacement are
	// about as much work as a placement that is taken back. worthwhile is how much
	// searches may cost for each placement taken back, where all after a decision
	// are; else it is 1: where dead ends are near, which is with few threads, it is
	// cheaper to meet them. (c0848ca3: RMO with 2 % fences, 300,000 operations of 64
	// threads: 56 to 1.2 s; without looking ahead 100,000 take 19 s in place of 0.4.)
	maxLookahead      = 1 << 12
	visitsOfPlacement = 8
	worthwhile        = 2

	// firstPairs bounds the pairs of writes that become variables at first; the
	// bound doubles each time. maxCandidates bounds the pairs among which create
	// looks for those that others decide, and maxConsequences the inferred edges
	// that are kept for all literals (dd8c7ddb, BenchmarkReduction of check/internal/suite).
	firstPairs      = 64
	maxCandidates   = 1024
	maxConsequences = 1 << 20
	// maxTree bounds the case splits of a refutation.
	maxTree = 1 << 20
)
