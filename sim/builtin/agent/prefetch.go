// Package prefetch has the caches of cores prefetch lines of the program at random
// moments, as prefetchers that guess. gem5's RubyPrefetcher asks for such lines after
// misses in sequence, of which random programs have few. A prefetch changes no value,
// and so it is in no history.
package prefetch

import (
	"math/bits"
	"math/rand/v2"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// stream is the second word of the PCG that draws moments and lines.
const stream = 0x70726566 // "pref"

// storesOf is how many prefetches come with one for a store.
const storesOf = 3

// System is a memory system whose caches take prefetches. They may ignore them.
type System interface {
	Prefetch(core int, line memory.Addr, write bool)
}

// Prefetcher is that of a core. It is an actor of the queue.
type Prefetcher struct {
	queue    *event.Queue
	self     event.Actor
	system   System
	core     int
	lines    []memory.Addr
	interval event.Tick
	random   *rand.PCG
	stopped  bool
}

// New makes the prefetcher of a core that prefetches one of the lines each so many
// ticks on average.
func New(q *event.Queue, s System, core int, lines []memory.Addr, interval event.Tick, seed uint64) *Prefetcher {
	p := &Prefetcher{queue: q, system: s, core: core, lines: lines, interval: interval, random: rand.NewPCG(seed, stream)}
	p.self = q.Add(p)
	p.next()
	return p
}

func (p *Prefetcher) next() {
	ticks, _ := bits.Mul64(p.random.Uint64(), uint64(2*p.interval))
	p.queue.At(p.queue.Now()+1+event.Tick(ticks), p.self, 0)
}

// Stop has no further prefetch start.
func (p *Prefetcher) Stop() { p.stopped = true }

// Handle starts a prefetch.
func (p *Prefetcher) Handle(uint64) {
	if p.stopped {
		return
	}
	at, _ := bits.Mul64(p.random.Uint64(), uint64(len(p.lines)))
	p.system.Prefetch(p.core, p.lines[at], p.random.Uint64()%storesOf == 0)
	p.next()
}
