package agent

import (
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
)

// storesOf is how many prefetches come with one for a store.
const storesOf = 3

// PrefetchingSystem is a memory system whose caches take prefetches. They may ignore them.
type PrefetchingSystem interface {
	Prefetch(core int, line memory.Addr, write bool)
}

// Prefetcher has the caches of a core prefetch lines of the program at random moments, as
// prefetchers that guess. gem5's RubyPrefetcher asks for such lines after misses in sequence, of
// which random programs have few.
type Prefetcher struct{ periodic }

// NewPrefetcher makes the prefetcher of a core that prefetches one of the lines each so many
// ticks on average.
func NewPrefetcher(q *event.Queue, s PrefetchingSystem, core int, lines []memory.Addr, interval event.Tick, seed uint64) *Prefetcher {
	p := new(Prefetcher)
	p.start(q, lines, interval, seed, prefetchStream, func(line memory.Addr) bool {
		s.Prefetch(core, line, p.random.Uint64()%storesOf == 0)
		return true
	})
	return p
}
