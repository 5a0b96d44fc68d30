package agent

import (
	"fmt"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// ReadableSystem is a memory system that can be read so. Where names the place of what it found:
// a controller and its state, or the message. Found is false where it cannot find the
// line at this moment; that is a fault if where says at what place it may be.
type ReadableSystem interface {
	FunctionalRead(line memory.Addr) (b memory.Block, where sim.Failure, found bool)
}

// Reader reads lines of the program at random moments as a debugger or an emulated system call
// does, past the protocol, and compares what it finds with the writes that have performed.
type Reader struct {
	periodic
	system ReadableSystem
	// values holds the word of each address as it was written last; unknown
	// those that are written at instants that are not known.
	values  map[memory.Addr]uint64
	unknown map[memory.Addr]bool
	// Found and Missed count reads.
	Found, Missed uint64
}

// NewReader makes a reader that reads one of the lines each so many ticks on average.
func NewReader(q *event.Queue, s ReadableSystem, lines []memory.Addr, interval event.Tick, seed uint64) *Reader {
	r := &Reader{system: s, values: map[memory.Addr]uint64{}, unknown: map[memory.Addr]bool{}}
	r.start(q, lines, interval, seed, functionalStream, r.read)
	return r
}

// Wrote says that a write of a word has performed.
func (r *Reader) Wrote(word memory.Addr, value uint64) { r.values[word] = value }

// Ignore says that a word is written at instants that are not known.
func (r *Reader) Ignore(word memory.Addr) { r.unknown[word] = true }

// read reads a line. A word that is not what was written last is a fault.
func (r *Reader) read(line memory.Addr) bool {
	b, where, found := r.system.FunctionalRead(line)
	if !found && where != (sim.Failure{}) {
		where.Kind = sim.KindNoData
		r.queue.Fail(&memory.Fault{Failure: where, Detail: fmt.Sprintf("of line %#x at tick %d", int64(line), r.queue.Now())})
		return false
	}
	if !found {
		r.Missed++
		return true
	}
	r.Found++
	for i, got := range b {
		word := line + memory.Addr(i*gen.WordBytes)
		if want := r.values[word]; got != want && !r.unknown[word] {
			where.Kind = sim.KindOldData
			r.queue.Fail(&memory.Fault{
				Failure: where,
				Detail:  fmt.Sprintf("word %#x holds %d there at tick %d; the last write stored %d", int64(word), got, r.queue.Now(), want),
			})
			return false
		}
	}
	return true
}
