package core

import (
	"fmt"
	"slices"
	"strings"
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

var bugs = [...]struct {
	name  string
	kinds []Kind // of core that can have it
}{
	BugUnknown:       {"unknown", nil},
	BufferOutOfOrder: {"buffer-out-of-order", []Kind{TSO, OOO, PSO}},
	LoadNotSquashed:  {"load-not-squashed", []Kind{OOO}},
	ForwardOldest:    {"forward-oldest", []Kind{TSO, OOO, PSO, RMO}},
	FenceNoDrain:     {"fence-no-drain", []Kind{TSO, OOO, PSO, RMO}},
	SplitRMW:         {"split-rmw", []Kind{InOrder, TSO, OOO, PSO, RMO}},
}

// Bugs lists the bugs that a kind of core can have.
func Bugs(k Kind) []Bug {
	var list []Bug
	for b := range bugs {
		if slices.Contains(bugs[b].kinds, k) {
			list = append(list, Bug(b))
		}
	}
	return list
}

// String is the bug's name on the command line.
func (b Bug) String() string {
	if int(b) < len(bugs) {
		return bugs[b].name
	}
	return bugs[BugUnknown].name
}

// ParseBug reads the name of a bug.
func ParseBug(name string) (Bug, error) {
	var known []string
	for b := range bugs[1:] {
		if bugs[b+1].name == name {
			return Bug(b + 1), nil
		}
		known = append(known, bugs[b+1].name)
	}
	return BugUnknown, fmt.Errorf("unknown core bug %q: want %s", name, strings.Join(known, ", "))
}
