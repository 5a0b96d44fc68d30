package protocols_test

import (
	"testing"

	"ordeal/gen"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/latency"
)

// TestAMDCoverage takes every transition of the protocol of pairs. Lines of
// one set thrash first levels but not the second one, and so keep fills under
// way; a short jitter keeps probes coming meanwhile; a pair alone waits for
// the third level only.
func TestAMDCoverage(t *testing.T) {
	brief := latency.Model{Base: 1, Jitter: 3}
	settings := []setting{
		{core: core.OOO, threads: 2, ops: 100, lines: 20, rounds: 1},
		{core: core.OOO, threads: 4, ops: 100, lines: 30, rounds: 1},
		{core: core.RMO, threads: 4, ops: 100, lines: 12, rounds: 1, latency: latency.Model{Base: 5, Jitter: 100}},
		{core: core.OOO, threads: 4, ops: 100, lines: 8, rounds: 5, layout: gen.Conflict, latency: brief},
		{core: core.OOO, threads: 4, ops: 100, lines: 10, rounds: 10, layout: gen.Conflict, latency: brief},
		{core: core.OOO, threads: 6, ops: 100, lines: 8, rounds: 15, layout: gen.Conflict, latency: brief},
		{core: core.RMO, threads: 8, ops: 100, lines: 8, rounds: 10, layout: gen.Conflict, latency: brief},
	}
	if testing.Short() {
		coverage(t, file(t, "moesi-amd-base"), 2, settings...)
		return
	}
	wantCovered(t, coverage(t, file(t, "moesi-amd-base"), 50, settings...), nil)
}
