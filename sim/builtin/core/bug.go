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
	// LoadNotSquashed makes OOO ignore evictions (McVerSi's LQ+no-TSO), and Arm and
	// RISCV that an earlier load of a location returned another write than a later one.
	LoadNotSquashed
	// ForwardOldest forwards from the oldest store to a location instead of the
	// youngest.
	ForwardOldest
	// FenceNoDrain lets fences retire while earlier stores are buffered.
	FenceNoDrain
	// SplitRMW performs a read-modify-write as a load and a store without a
	// lock.
	SplitRMW
	// AcquireIgnored, ReleaseIgnored and DependencyIgnored have Arm and RISCV
	// order nothing by annotations and dependencies of these kinds.
	AcquireIgnored
	ReleaseIgnored
	DependencyIgnored
	// AtomicOrderIgnored has them ignore what atomic read-modify-writes are
	// annotated with (.aq and .rl of RISC-V).
	AtomicOrderIgnored
	// FenceTooWeak has fences order nothing before later loads.
	FenceTooWeak
	// ReservationIgnored has each conditional store succeed.
	ReservationIgnored
)

var bugNames = option.Names[Bug]{
	"unknown", "buffer-out-of-order", "load-not-squashed", "forward-oldest", "fence-no-drain", "split-rmw",
	"acquire-ignored", "release-ignored", "dependency-ignored", "atomic-order-ignored", "fence-too-weak", "reservation-ignored",
}

var bugKinds = [...][]Kind{
	BufferOutOfOrder: {TSO, OOO, PSO},
	LoadNotSquashed:  {OOO, Arm, RISCV},
	ForwardOldest:    {TSO, OOO, PSO, RMO, Arm, RISCV},
	FenceNoDrain:     {TSO, OOO, PSO, RMO, Arm, RISCV},
	SplitRMW:         {InOrder, TSO, OOO, PSO, RMO, Arm, RISCV},

	AcquireIgnored: weakKinds, ReleaseIgnored: weakKinds, DependencyIgnored: weakKinds,
	AtomicOrderIgnored: weakKinds, FenceTooWeak: weakKinds, ReservationIgnored: weakKinds,
}

var weakKinds = []Kind{Arm, RISCV}

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

// AllBugs lists the bugs.
func AllBugs() []Bug {
	var list []Bug
	for b := range bugKinds[1:] {
		list = append(list, Bug(b+1))
	}
	return list
}

// String is the bug's name on the command line.
func (b Bug) String() string { return bugNames.Of(b) }

// ParseBug reads the name of a bug.
func ParseBug(name string) (Bug, error) { return bugNames.Parse("core bug", name) }
