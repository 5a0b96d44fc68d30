package agent

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// Flusher has a core flush lines of the program out of all caches at random moments, as the
// instructions for that do, one at a time. It is a client of the core's port.
type Flusher struct {
	periodic
	port   memory.Port
	client uint8 // of the port
}

// NewFlusher makes a flusher of a core that flushes one of the lines each so many ticks
// on average.
func NewFlusher(q *event.Queue, port memory.Port, lines []memory.Addr, interval event.Tick, seed uint64) *Flusher {
	f := &Flusher{port: port}
	f.client = port.Join(f)
	f.start(q, lines, interval, seed, flushStream, f.flush)
	return f
}

// flush starts a flush; the next moment comes if the port refuses it, or else when it ends.
func (f *Flusher) flush(line memory.Addr) bool {
	return !f.port.Access(memory.Request{Line: line, Write: true, Kind: memory.Flush, Client: f.client})
}

// Perform ends the flush.
func (f *Flusher) Perform(uint64, *memory.Block) { f.next() }

// Evict is never called.
func (f *Flusher) Evict(memory.Addr) {}
