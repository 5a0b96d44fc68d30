package core

import (
	"slices"

	"ordeal/gen/option"
)

// Bug is an injected bug of a core, to measure how good tests and checkers are.
type Bug uint8

// The bugs.
const (
	BugUnknown Bug = iota
	// BufferOutOfOrder makes the store buffer ignore one order: between
	// locations on TSO and OOO (McVerSi's SQ+no-FIFO; Elver and Nagarajan,
	// HPCA 2016), within a location on PSO.
	BufferOutOfOrder
	// LoadNotSquashed makes OOO ignore evictions (McVerSi's LQ+no-TSO).
	LoadNotSquashed
	// ForwardOldest forwards from the oldest store to a location instead of the
	// youngest.
	ForwardOldest
	// FenceNoDrain lets fences retire while earlier stores are buffered.
	FenceNoDrain
	// SplitRMW performs a read-modify-write as a load and a store without a
	// lock.
	SplitRMW
)

var bugNames = option.Names[Bug]{
	"unknown", "buffer-out-of-order", "load-not-squashed", "forward-oldest", "fence-no-drain", "split-rmw",
}

var bugKinds = [...][]Kind{
	BufferOutOfOrder: {TSO, OOO, PSO},
	LoadNotSquashed:  {OOO},
	ForwardOldest:    {TSO, OOO, PSO, RMO},
	FenceNoDrain:     {TSO, OOO, PSO, RMO},
	SplitRMW:         {InOrder, TSO, OOO, PSO, RMO},
}

// Bugs lists the bugs that a kind of core can have.
func Bugs(k Kind) []Bug {
	var list []Bug
	for b, kinds := range bugKinds {
		if slices.Contains(kinds, k) {
			list = append(list, Bug(b))
		}
	}
	return list
}

// String is the bug's name on the command line.
func (b Bug) String() string { return bugNames.Of(b) }

// ParseBug reads the name of a bug.
func ParseBug(name string) (Bug, error) { return bugNames.Parse("core bug", name) }
