// Package memory is the interface between cores and memory systems: the
// requests of a core and the callbacks to it, as between gem5's CPU models and
// its Ruby Sequencer, and the Sequencer that memory systems build their ports
// from.
package memory

import (
	"io"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/event"
)

// Addr is a byte address.
type Addr int64

// Base is the address of the first byte of a program's memory area.
const Base Addr = 1 << 20

// WordsPerLine is the number of words in a cache line.
const WordsPerLine = gen.LineBytes / gen.WordBytes

// Line is the address of the first byte of a's cache line.
func (a Addr) Line() Addr { return a &^ (gen.LineBytes - 1) }

// Word is the index of a's word in its line.
func (a Addr) Word() int { return int(a%gen.LineBytes) / gen.WordBytes }

// Block holds the words of one cache line.
type Block [WordsPerLine]uint64

// Request is one access of a core to a cache line.
type Request struct {
	Line Addr
	// Write asks for the right to write, for a store or an atomic
	// read-modify-write.
	Write bool
	// Lock makes the access one of a pair that is atomic together.
	Lock Lock
	// Atomic says that the access is a read-modify-write of the word Word, not
	// one of a pair.
	Atomic bool
	Word   uint8
	// Kind is what the access is for.
	Kind Kind
	// Client is the client that made the access: 0 for the one attached, or
	// what Join returned.
	Client uint8
	// Tag identifies the access to its client.
	Tag uint64
}

// Kind is what an access is for.
type Kind uint8

// The kinds of access.
const (
	Data  Kind = iota // a load, a store or an atomic read-modify-write
	Fetch             // the fetch of an instruction: a read
	// Flush takes the line out of all caches. It completes like a write, and
	// leaves the line's words as they are.
	Flush
)

// Lock is the effect of an access on the lock of its line. Between an access
// that takes the lock and the one that releases it no other core's access to
// the line performs: gem5's Locked_RMW_Read and Locked_RMW_Write. Both are
// writes. A core that holds the lock accesses the line in no other way and takes
// no other lock.
//
// A linked load reserves its line for the core until a store of the core or the
// loss of the line; a conditional store to a line that is not reserved fails:
// gem5's Load_Linked and Store_Conditional, and its Sequencer's monitor.
type Lock uint8

// The effects of an access on the lock.
const (
	NoLock Lock = iota
	TakeLock
	ReleaseLock
	LoadLinked
	StoreConditional
)

// Port connects a core to a memory system.
type Port interface {
	// Attach sets the client, before the first Access. It may change while no
	// access is under way.
	Attach(Client)
	// Join adds a client, which shares the port. It is not notified of evictions.
	// The result is the client of its requests.
	Join(Client) uint8
	// Access starts an access. False means that the port is full, or the line
	// locked by the core itself: the core tries again when an access has
	// completed.
	Access(Request) bool
	// Oldest is the line of the oldest access under way and the tick at which it
	// was started; false when there is none.
	Oldest() (line Addr, since event.Tick, ok bool)
}

// Client is what a memory system sees of a core. Both methods are called from
// inside an event of the memory system: a client reacts to the call itself and
// schedules an event of its own for everything else.
type Client interface {
	// Perform is the instant at which an access takes effect: the client reads
	// from the block, and for a write stores into it. The block is the memory
	// system's own copy of the line, valid until Perform returns.
	Perform(tag uint64, b *Block)
	// Evict notifies that the core is about to lose the right to read a line,
	// so that a load that it performed early may be overtaken by another core's
	// store. It precedes any such store, and may come for lines that the core
	// does not hold.
	Evict(line Addr)
}

// Conditional is a Client that makes conditional stores.
type Conditional interface {
	Client
	// Fail ends a conditional store that has no effect, in place of Perform.
	Fail(tag uint64)
}

// Retrier is a Client that is notified when an access of another client of its
// port has completed: the port may take what it refused.
type Retrier interface{ Retry() }

// noClient is the client of a port without a core: it makes no accesses and
// ignores evictions.
type noClient struct{}

func (noClient) Perform(uint64, *Block) {}

func (noClient) Evict(Addr) {}

// System is a memory system.
type System interface {
	// Port is the port of a core, from 0.
	Port(core int) Port
	// Load sets what memory holds of a line, before the first event. Lines that are not
	// loaded hold zeros.
	Load(line Addr, b *Block)
	// Dump writes what is waiting for what.
	Dump(w io.Writer)
}

// Fault is a failed assertion of a memory system: it ended the run.
type Fault struct {
	sim.Failure
	Detail string // where it happened; may be empty
}

// EndsRun makes a Fault an event.Failure.
func (*Fault) EndsRun() {}

// Failed is a fault of a kind that says all.
func Failed(kind, detail string) *Fault {
	return &Fault{Failure: sim.Failure{Kind: kind}, Detail: detail}
}

// Error is the title and the detail.
func (f *Fault) Error() string {
	if f.Detail == "" {
		return f.Title()
	}
	return f.Title() + ": " + f.Detail
}
