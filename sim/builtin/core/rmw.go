package core

import (
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// RMW is how cores perform read-modify-writes.
type RMW uint8

// The ways. Locked and LinkedLoad take two accesses: under the lock of the line
// (x86's Locked_RMW_Read and Locked_RMW_Write), or a load and a store that fails
// if the line was lost in between, and then both start again.
const (
	RMWDefault RMW = iota // of a Config, OneAccess
	OneAccess
	Locked
	LinkedLoad
)

var rmwNames = option.Names[RMW]{"default", "access", "locked", "llsc"}

// RMWs lists the ways by name, without the default.
func RMWs() []string { return rmwNames[1:] }

// String is the name on the command line.
func (r RMW) String() string { return rmwNames.Of(r) }

// ParseRMW reads a name.
func ParseRMW(name string) (RMW, error) { return rmwNames.Parse("rmw", name) }

// Allows reports whether cores of a kind perform read-modify-writes in a way. Those
// whose other accesses to the line may be under way do so in one access.
func (k Kind) Allows(r RMW) bool { return r <= OneAccess || k.Ordered() }

// rmwMode is how a core performs read-modify-writes.
type rmwMode uint8

const (
	exclusive  rmwMode = iota // one access
	lockedPair                // a load that takes the line's lock and a store that releases it
	linkedPair                // a linked load and a conditional store
	splitPair                 // a load and a store: a bug
)

// request is the access of an operation; second marks the store of a
// read-modify-write that is performed as a pair.
func (b *base) request(in *instruction, second bool, tag uint64) memory.Request {
	r := memory.Request{Line: in.line, Word: in.word, Write: in.kind.Writes(), Tag: tag}
	switch {
	case second && b.rmw == lockedPair:
		r.Lock = memory.ReleaseLock
	case second && b.rmw == linkedPair, in.kind == gen.StoreConditional && b.reservations:
		r.Lock = memory.StoreConditional
	case in.kind == gen.LoadLinked:
		r.Lock = memory.LoadLinked
	case !in.isRMW():
	case b.rmw == lockedPair:
		r.Lock = memory.TakeLock
	case b.rmw == linkedPair:
		r.Write, r.Lock = false, memory.LoadLinked
	case b.rmw == splitPair:
		r.Write = false
	default:
		r.Atomic = true
	}
	return r
}

// storeAfter is the second half of a read-modify-write that is performed as a
// pair and has read old.
func (in *instruction) storeAfter(old uint64) instruction {
	store := *in
	store.kind, store.whole = gen.Store, in.kind
	if in.kind == gen.FetchAdd {
		store.value += old
	}
	return store
}

// again is the read-modify-write of a second half, whose first half read old.
func (in *instruction) again(old uint64) instruction {
	rmw := *in
	rmw.kind = in.whole
	if rmw.kind == gen.FetchAdd {
		rmw.value -= old
	}
	return rmw
}

// A core whose conditional store has failed waits before it tries again: longer
// after each failure, and at random, or two cores that take the line from each
// other would do so for ever.
const (
	firstRetry = 8
	mostRetry  = 9 // doublings
)

// retryAt is the tick at which to try again after a number of failures.
func (b *base) retryAt(failures int) event.Tick {
	b.stats.Failed++
	return b.queue.Now() + 1 + event.Tick(b.random.Uint64()%(firstRetry<<min(failures, mostRetry)))
}
