package core

import (
	"fmt"
	"slices"
	"strings"
)

// Bug is a planted fault of a core: a known answer for those who measure how
// good tests and checkers are.
type Bug uint8

// The planted faults.
const (
	BugUnknown Bug = iota
	// BufferOutOfOrder lets the store buffer forget one order: between
	// locations on TSO and OOO (McVerSi's SQ+no-FIFO; Elver and Nagarajan,
	// HPCA 2016), within a location on PSO.
	BufferOutOfOrder
	// LoadNotSquashed makes OOO ignore that a line is lost (McVerSi's
	// LQ+no-TSO).
	LoadNotSquashed
	// ForwardOldest forwards to a load from the oldest store to its location
	// instead of the youngest.
	ForwardOldest
	// FenceNoDrain lets fences pass while earlier stores wait.
	FenceNoDrain
	// SplitRMW performs a read-modify-write as a load and a store without a
	// lock.
	SplitRMW
)

var bugs = [...]struct {
	name  string
	kinds []Kind // the cores that can have it
}{
	BugUnknown:       {"unknown", nil},
	BufferOutOfOrder: {"buffer-out-of-order", []Kind{TSO, OOO, PSO}},
	LoadNotSquashed:  {"load-not-squashed", []Kind{OOO}},
	ForwardOldest:    {"forward-oldest", []Kind{TSO, OOO, PSO, RMO}},
	FenceNoDrain:     {"fence-no-drain", []Kind{TSO, OOO, PSO, RMO}},
	SplitRMW:         {"split-rmw", []Kind{InOrder, TSO, OOO, PSO, RMO}},
}

// Bugs lists the faults that a kind of core can have.
func Bugs(k Kind) []Bug {
	var list []Bug
	for b := range bugs {
		if slices.Contains(bugs[b].kinds, k) {
			list = append(list, Bug(b))
		}
	}
	return list
}

// String is the fault's name on the command line.
func (b Bug) String() string {
	if int(b) < len(bugs) {
		return bugs[b].name
	}
	return bugs[BugUnknown].name
}

// ParseBug reads the name of a fault.
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
