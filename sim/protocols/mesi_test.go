package protocols_test

import (
	"testing"

	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
)

// TestMESICoverage takes every transition of MESI.
func TestMESICoverage(t *testing.T) {
	short := setting{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5}
	long := setting{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5, latency: event.Latency{Base: 5, Jitter: 100}}
	locked := setting{core: core.OOO, threads: 4, ops: 100, lines: 12, rounds: 5, locked: true}
	if testing.Short() {
		coverage(t, file(t, "mesi-two-level"), 3, short, long, locked)
		return
	}
	wantCovered(t, coverage(t, file(t, "mesi-two-level"), 25, short, long, locked), nil)
}
