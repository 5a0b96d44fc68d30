// Package flush has a core flush lines of the program out of all caches at random
// moments, as the instructions for that do. A flush changes no value, and so it
// is in no history.
package flush

import (
	"math/bits"
	"math/rand/v2"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// stream is the second word of the PCG that draws moments and lines.
const stream = 0x666c757368 // "flush"

// Flusher flushes lines through the port of a core, one at a time. It is a
// client of the port and an actor of the queue.
type Flusher struct {
	queue    *event.Queue
	self     event.Actor
	port     memory.Port
	client   uint8 // of the port
	lines    []memory.Addr
	interval event.Tick
	random   *rand.PCG
	stopped  bool
}

// New makes a flusher of a core that flushes one of the lines each so many ticks
// on average.
func New(q *event.Queue, port memory.Port, lines []memory.Addr, interval event.Tick, seed uint64) *Flusher {
	f := &Flusher{queue: q, port: port, lines: lines, interval: interval, random: rand.NewPCG(seed, stream)}
	f.self, f.client = q.Add(f), port.Join(f)
	f.next()
	return f
}

// next schedules the next flush.
func (f *Flusher) next() {
	ticks, _ := bits.Mul64(f.random.Uint64(), uint64(2*f.interval))
	f.queue.At(f.queue.Now()+1+event.Tick(ticks), f.self, 0)
}

// Stop has no further flush start.
func (f *Flusher) Stop() { f.stopped = true }

// Handle starts a flush, unless the port refuses it.
func (f *Flusher) Handle(uint64) {
	if f.stopped {
		return
	}
	at, _ := bits.Mul64(f.random.Uint64(), uint64(len(f.lines)))
	if !f.port.Access(memory.Request{Line: f.lines[at], Write: true, Kind: memory.Flush, Client: f.client}) {
		f.next()
	}
}

// Perform ends the flush.
func (f *Flusher) Perform(uint64, *memory.Block) { f.next() }

// Evict is never called.
func (f *Flusher) Evict(memory.Addr) {}
