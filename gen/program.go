// Package gen defines Program, the multi-threaded test programs that Ordeal
// puts memory systems on trial with, and generates them from seeds.
package gen

// ThreadID numbers the threads of a program from 0.
type ThreadID int

// LocID is the index of a location in Program.Locations.
type LocID int32

// Value is a 64-bit word of memory. Every location starts at 0, and every
// value a program stores is non-zero and unique, so that a load's value names
// the store it reads from.
type Value uint64

// AddUnit scales fetch-adds: an operation FetchAdd with Value a adds
// a·AddUnit to memory. Stored constants (round·stride + constant) stay below
// AddUnit and addends are multiples of it, so the low bits of a word name the
// store at the bottom of a chain of additions and the high bits distinguish
// its links: the result of an addition never equals a stored constant.
const AddUnit Value = 1 << 36

// OpKind says what an operation does.
type OpKind uint8

// The kinds of operation.
const (
	OpUnknown OpKind = iota
	Load             // reads Loc
	Store            // writes Value to Loc
	Exchange         // atomically reads Loc and writes Value to it
	FetchAdd         // atomically reads Loc and adds Value·AddUnit to it
	FullFence        // orders everything before it with everything after it
	Delay            // spends about Value loop iterations; orders nothing

	// Not of x86-64:
	PartialFence     // orders some pairs only: see FenceName
	LoadLinked       // reads Loc, and watches it for a StoreConditional
	StoreConditional // writes Value to Loc, unless another thread has written since
)

// Reads reports whether an operation of kind k leaves an entry in the log: what it
// read, or of a store-conditional 0 where it wrote and 1 where it did not.
func (k OpKind) Reads() bool {
	return k == Load || k == Exchange || k == FetchAdd || k == LoadLinked || k == StoreConditional
}

// Writes reports whether an operation of kind k writes memory.
func (k OpKind) Writes() bool {
	return k == Store || k == Exchange || k == FetchAdd || k == StoreConditional
}

// Constant reports whether an operation of kind k writes its Value as a constant.
func (k OpKind) Constant() bool { return k == Store || k == Exchange || k == StoreConditional }

// Op is one operation of a thread. Loc is meaningless for FullFence and Delay
// and is zero there.
type Op struct {
	Kind OpKind
	// Attr are annotations; Dep says how the operation depends on the one Back
	// operations before it in its thread, if at all. All are 0 on x86-64.
	Attr Attr
	Dep  DepKind
	Back uint8
	Loc  LocID
	// Value is the stored constant of Store, Exchange and StoreConditional, the
	// addend (in AddUnits) of FetchAdd, the iterations of Delay and what a
	// PartialFence orders; zero otherwise.
	Value Value
}

// Layout says where the locations of a program lie in memory.
type Layout uint8

// The memory layouts. A line has LineBytes bytes, a word WordBytes.
const (
	AnyLayout Layout = iota // of Options: the seed chooses; no program has it
	Packed                  // consecutive words: eight locations to a line
	Spread                  // one location to a line
	Pairs                   // two locations to a line: false sharing
	Conflict                // one location to a line, all in the same cache set
)

// Sizes of the memory layout, in bytes.
const (
	WordBytes = 8
	LineBytes = 64
	// ConflictStride separates locations of layout Conflict: any cache of up
	// to 64 sets of 64-byte lines maps all of them to one set.
	ConflictStride = 4096
)

// Limits of a valid program.
const (
	MaxThreads   = 64
	MaxLocations = 1 << 16
)

// Program is a multi-threaded program over named locations. A run executes
// the whole program for a number of rounds, back to back without resetting
// memory: in round r (from 0) a Store or Exchange with constant c writes
// r·Stride() + c.
type Program struct {
	ISA       ISA
	Layout    Layout
	Locations []string // names, unique; the index is the LocID
	Threads   [][]Op
	// Agents says what runs each thread; there may be fewer than threads, or
	// none: the others are run by cores.
	Agents []Agent
	// Transactions lists those of each thread, in order; there may be fewer
	// lists than threads, or none.
	Transactions [][]Transaction
	_            struct{}
}

// Stride is the distance between the values that one store writes in
// successive rounds: one more than the largest constant stored.
func (p *Program) Stride() Value {
	var largest Value
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Constant() && op.Value > largest {
				largest = op.Value
			}
		}
	}
	return largest + 1
}

// Offset is the address of a location, in bytes from the start of the
// program's memory area, which is aligned to ConflictStride.
func (p *Program) Offset(l LocID) int64 {
	switch p.Layout {
	case Packed:
		return int64(l) * WordBytes
	case Pairs:
		return int64(l/2)*LineBytes + int64(l%2)*WordBytes
	case Conflict:
		return int64(l) * ConflictStride
	default:
		return int64(l) * LineBytes
	}
}

// Ops is the number of operations of all threads, fences and delays included.
func (p *Program) Ops() int {
	n := 0
	for _, ops := range p.Threads {
		n += len(ops)
	}
	return n
}

// Reads is the number of log entries that thread t leaves in one round: its
// loads, exchanges and additions.
func (p *Program) Reads(t ThreadID) int {
	n := 0
	for _, op := range p.Threads[t] {
		if op.Kind.Reads() {
			n++
		}
	}
	return n
}

// Writes counts the writes to each location in one round.
func (p *Program) Writes() []int {
	counts := make([]int, len(p.Locations))
	for _, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind.Writes() {
				counts[op.Loc]++
			}
		}
	}
	return counts
}
