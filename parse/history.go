// Package parse turns what a run printed into a History: operations with
// program order and reads-from.
package parse

import (
	"math"
	"strconv"

	"ordeal/gen"
)

// OpID is the index of an operation in History.Ops.
type OpID int32

// Init is the initial write of 0 to an operation's location wherever
// a writer is named; NoOp for no operation at all.
const (
	Init OpID = -1
	NoOp OpID = -2
)

// Kind says what an operation of a history is.
type Kind uint8

// The kinds of operation in a history.
const (
	KindUnknown Kind = iota
	Read
	Write
	RMW   // an atomic read-modify-write: one operation that reads and writes
	Fence // see FenceMask
)

// FenceMask says which pairs of accesses a fence orders, in the style of
// SPARC's membar: LoadStore orders every earlier load before every later
// store. An RMW counts as both load and store.
type FenceMask uint8

// The components of fences.
const (
	LoadLoad FenceMask = 1 << iota
	LoadStore
	StoreLoad
	StoreStore
	FullFence = LoadLoad | LoadStore | StoreLoad | StoreStore
)

// Components returns the components of fences that order a before b: several
// when one of them is an RMW, none for fences.
func Components(a, b *Op) FenceMask {
	var mask FenceMask
	if a.Loads() && b.Loads() {
		mask |= LoadLoad
	}
	if a.Loads() && b.Writes() {
		mask |= LoadStore
	}
	if a.Writes() && b.Loads() {
		mask |= StoreLoad
	}
	if a.Writes() && b.Writes() {
		mask |= StoreStore
	}
	return mask
}

// Op is one operation of a history.
type Op struct {
	Kind  Kind
	Mask  FenceMask // of a Fence; zero otherwise
	Attr  Attr      // see attributes.go; zero on x86
	Loc   int32     // index into History.Locations; -1 for a Fence
	RF    OpID      // Read, RMW: the operation read from, or Init; else NoOp
	Read  gen.Value // Read, RMW: the value read
	Write gen.Value // Write, RMW: the value written
}

// Reads reports whether the operation reads memory.
func (o *Op) Reads() bool { return o.Kind == Read || o.Kind == RMW }

// Writes reports whether the operation writes memory.
func (o *Op) Writes() bool { return o.Kind == Write || o.Kind == RMW }

// Loads reports whether the operation is a load to fences and program order: a
// read, but no RMW that is Conditional, whose load is an operation of its own.
func (o *Op) Loads() bool { return o.Reads() && o.Attr&Conditional == 0 }

// History is what one execution did: the operations of each thread in program
// order, and for each read the write it reads from. A History of this
// package is well formed: see Validate.
type History struct {
	// Ops holds the operations of thread 0 in program order, then those of
	// thread 1, and so on.
	Ops []Op
	// Start[t] is the first operation of thread t; Start has one entry more
	// than there are threads, the last being len(Ops).
	Start []OpID
	// ThreadNames and Locations name threads and locations in messages.
	ThreadNames []string
	Locations   []string
	// Final gives, for each location, the write whose value memory held at
	// the end, Init, or NoOp where that is not known. Nil: none is known.
	Final []OpID
	// StoreOrder gives, for each location, all its writes (RMW included) in
	// the order in which they reached memory. Nil: not known.
	StoreOrder [][]OpID
	// Transactions lists the transactions in order; none: each operation is
	// one. Models ignore them.
	Transactions []Transaction
	// Times gives, for each operation, when it was called and returned. Nil:
	// not known. Only model.Linearizable uses them.
	Times []Interval
	// Tails has, for each thread of a partial log, the places of its last
	// operations in the run of the thread: round · operations a round + place in
	// the round, without delays. Between them are reads of which the log does not
	// say what they returned. Nil: all operations follow one another.
	Tails [][]int
	// Deps lists dependencies between operations of one thread, one for each
	// pair, in order of From, then To. Models that keep program order have no
	// use for them.
	Deps []Dep
	_    struct{}
}

// Interval is the time from an operation's call to its return, both included, on
// one clock for all threads: an operation precedes in real time those that are
// called after it returned. An operation that did not return has Return Pending;
// it may take effect at any time after its call, or never.
type Interval struct{ Call, Return int64 }

// Pending is the return of an operation that did not return.
const Pending = math.MaxInt64

// Before reports whether an operation with times i precedes one with times j in
// real time.
func (i Interval) Before(j Interval) bool { return i.Return < j.Call }

// Threads is the number of threads.
func (h *History) Threads() int { return len(h.Start) - 1 }

// Writes lists the writes to each location, RMWs included, in the given order
// of operations, or in ascending order for nil.
func (h *History) Writes(order []OpID) [][]OpID {
	writes := make([][]OpID, len(h.Locations))
	add := func(id OpID) {
		if op := &h.Ops[id]; op.Writes() {
			writes[op.Loc] = append(writes[op.Loc], id)
		}
	}
	for _, id := range order {
		add(id)
	}
	if order == nil {
		for id := range OpID(len(h.Ops)) {
			add(id)
		}
	}
	return writes
}

// ThreadName is the name of thread t: its number where it has none.
func (h *History) ThreadName(t int) string {
	if t < len(h.ThreadNames) {
		return h.ThreadNames[t]
	}
	return strconv.Itoa(t)
}

// Thread is the thread of operation id, found by binary search.
func (h *History) Thread(id OpID) int {
	lo, hi := 0, h.Threads()
	for hi-lo > 1 {
		mid := (lo + hi) / 2
		if h.Start[mid] <= id {
			lo = mid
		} else {
			hi = mid
		}
	}
	return lo
}
