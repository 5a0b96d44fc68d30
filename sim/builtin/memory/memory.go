// Package memory is the interface between cores and memory systems: the
// requests of a core and the callbacks to it, as between gem5's CPU models and
// its Ruby Sequencer, and the Sequencer that memory systems build their ports
// from.
package memory

import (
	"io"

	"ordeal/gen"
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
	// Write asks for the line with the right to write. A store and an atomic
	// read-modify-write are one such access each.
	Write bool
	// Lock makes the access one of a pair that is atomic together.
	Lock Lock
	// Tag is the core's own name for the access, given back to it.
	Tag uint64
}

// Lock says what an access does to the lock of its line. Between an access
// that takes the lock and the one that releases it no other core's access to
// the line performs: gem5's Locked_RMW_Read and Locked_RMW_Write. Both ask for
// the right to write. A core that holds the lock accesses the line in no other
// way and takes no other lock.
type Lock uint8

// What an access does to the lock.
const (
	NoLock Lock = iota
	TakeLock
	ReleaseLock
)

// Port is one core's way into a memory system.
type Port interface {
	// Attach says who is to be told; before the first Access. A port may be
	// handed from one client to another while no access is under way.
	Attach(Client)
	// Access starts an access. False means that the port is full, or the line
	// locked by the core itself: an access that is under way will complete,
	// and then is the time to try again.
	Access(Request) bool
	// Oldest is the tick at which the oldest access under way was started;
	// false when there is none.
	Oldest() (event.Tick, bool)
}

// Client is what a memory system sees of a core. Both methods are called from
// inside an event of the memory system: a client reacts to the call itself and
// schedules an event of its own for everything else.
type Client interface {
	// Perform is the instant at which an access takes place: the client
	// reads from the block, and for a write stores into it. The block is the
	// memory system's own copy of the line, good until Perform returns.
	Perform(tag uint64, b *Block)
	// Evict says that the core is about to lose the right to read a line: a
	// load that it performed early may be overtaken by another core's store
	// from now on. It comes before any such store performs, also when the
	// core may not hold the line at all.
	Evict(line Addr)
}

// NoClient is the client of a port without a core.
type NoClient struct{}

// Perform is never called.
func (NoClient) Perform(uint64, *Block) {}

// Evict ignores the notification.
func (NoClient) Evict(Addr) {}

// System is a memory system.
type System interface {
	// Port is the port of a core, from 0.
	Port(core int) Port
	// Dump writes the state that explains who waits for what.
	Dump(w io.Writer)
}

// Fault is a failed assertion of a memory system: it ended the run.
type Fault struct {
	// Title names the fault in one line without addresses and numbers that
	// vary from run to run, so that the same bug has one title.
	Title string
	// Detail says where and what, for people.
	Detail string
}

// Error is the title and the detail.
func (f *Fault) Error() string {
	if f.Detail == "" {
		return f.Title
	}
	return f.Title + ": " + f.Detail
}
