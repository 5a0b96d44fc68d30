package protocols_test

import (
	"testing"

	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
)

// TestMICoverage takes every transition of MI.
func TestMICoverage(t *testing.T) {
	short := setting{core: core.RMO, threads: 4, ops: 200, lines: 12, rounds: 5}
	long := setting{core: core.OOO, threads: 4, ops: 200, lines: 6, rounds: 5, latency: event.Latency{Base: 5, Jitter: 100}}
	locked := setting{core: core.OOO, threads: 4, ops: 100, lines: 12, rounds: 5, locked: true}
	if testing.Short() {
		coverage(t, file(t, "mi"), 3, short, long, locked)
		return
	}
	wantCovered(t, coverage(t, file(t, "mi"), 25, short, long, locked), nil)
}
