package protocols_test

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/ruby/cache"
)

// TestHammerCoverage takes every transition of MOESI hammer. Few lines for a
// first level of one line in a set go back and forth between the levels while
// others ask for them; second levels of one line in a set write back all the
// time, so that some requests for leave come when the line is somebody else's.
func TestHammerCoverage(t *testing.T) {
	one := cache.Geometry{Sets: 2, Ways: 1, IndexBit: 6}
	brief, long := event.Latency{Base: 1, Jitter: 5}, event.Latency{Base: 1, Jitter: 100}
	settings := []setting{
		{core: core.OOO, threads: 4, ops: 100, lines: 12, rounds: 2},
		{core: core.InOrder, threads: 3, ops: 100, lines: 6, rounds: 2, locked: true},
		{core: core.PSO, threads: 4, ops: 100, lines: 5, rounds: 6, layout: gen.Conflict, latency: brief, private: one},
		{core: core.RMO, threads: 4, ops: 100, lines: 5, rounds: 3, layout: gen.Conflict, latency: brief},
		{core: core.RMO, threads: 5, ops: 100, lines: 4, rounds: 10, layout: gen.Conflict, latency: brief, private: one, shared: one},
		{core: core.RMO, threads: 5, ops: 100, lines: 4, rounds: 5, layout: gen.Conflict, latency: long, private: one, shared: one},
	}
	if testing.Short() {
		coverage(t, file(t, "moesi-hammer"), 2, settings...)
		return
	}
	wantCovered(t, coverage(t, file(t, "moesi-hammer"), 40, settings...), nil)
}
