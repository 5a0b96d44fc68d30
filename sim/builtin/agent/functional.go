// Package functional reads lines of the program at random moments as a debugger or
// an emulated system call does, past the protocol, and compares what it finds with
// the writes that have performed. Such a read changes nothing, and so it is in no
// history.
package functional

import (
	"fmt"
	"math/bits"
	"math/rand/v2"

	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// stream is the second word of the PCG that draws moments and lines.
const stream = 0x66756e63 // "func"

// System is a memory system that can be read so. Where names the place of what it found:
// a controller and its state, or the message. Found is false where it cannot find the
// line at this moment; that is a fault if where says at what place it may be.
type System interface {
	FunctionalRead(line memory.Addr) (b memory.Block, where sim.Failure, found bool)
}

// Reader reads lines at random moments. It is an actor of the queue.
type Reader struct {
	queue    *event.Queue
	self     event.Actor
	system   System
	lines    []memory.Addr
	interval event.Tick
	random   *rand.PCG
	stopped  bool
	// values holds the word of each address as it was written last; unknown
	// those that are written at instants that are not known.
	values  map[memory.Addr]uint64
	unknown map[memory.Addr]bool
	// Found and Missed count reads.
	Found, Missed uint64
}

// New makes a reader that reads one of the lines each so many ticks on average.
func New(q *event.Queue, s System, lines []memory.Addr, interval event.Tick, seed uint64) *Reader {
	r := &Reader{
		queue: q, system: s, lines: lines, interval: interval, random: rand.NewPCG(seed, stream),
		values: map[memory.Addr]uint64{}, unknown: map[memory.Addr]bool{},
	}
	r.self = q.Add(r)
	r.next()
	return r
}

func (r *Reader) next() {
	ticks, _ := bits.Mul64(r.random.Uint64(), uint64(2*r.interval))
	r.queue.At(r.queue.Now()+1+event.Tick(ticks), r.self, 0)
}

// Wrote says that a write of a word has performed.
func (r *Reader) Wrote(word memory.Addr, value uint64) { r.values[word] = value }

// Ignore says that a word is written at instants that are not known.
func (r *Reader) Ignore(word memory.Addr) { r.unknown[word] = true }

// Stop has no further read start.
func (r *Reader) Stop() { r.stopped = true }

// Handle reads a line. A word that is not what was written last is a fault.
func (r *Reader) Handle(uint64) {
	if r.stopped {
		return
	}
	at, _ := bits.Mul64(r.random.Uint64(), uint64(len(r.lines)))
	line := r.lines[at]
	b, where, found := r.system.FunctionalRead(line)
	if !found && where != (sim.Failure{}) {
		where.Kind = sim.KindNoData
		r.queue.Fail(&memory.Fault{Failure: where, Detail: fmt.Sprintf("of line %#x at tick %d", int64(line), r.queue.Now())})
		return
	}
	if !found {
		r.Missed++
		r.next()
		return
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
			return
		}
	}
	r.next()
}
