package builtin

import (
	"testing"

	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
)

// TestFaithful has a runner for gem5's latencies with as many seeds as the options
// say, of protocols in files whose own latencies are others.
func TestFaithful(t *testing.T) {
	for _, test := range []struct {
		options Options
		seeds   int // 0: no such runner
	}{
		{Options{SLICC: smallProtocol, Core: core.TSO}, DefaultLatencySeeds},
		{Options{SLICC: smallProtocol, Core: core.TSO, LatencySeeds: 30}, 30},
		{Options{SLICC: smallProtocol, Core: core.TSO, Latency: event.Latency{Base: 6}, Memory: event.Latency{Base: 60}}, 0},
		{Options{Protocol: "mi", Core: core.TSO}, 0},
	} {
		runner, seeds := newRunner(t, test.options).Faithful()
		if seeds != test.seeds || (runner != nil) != (seeds > 0) {
			t.Errorf("%+v: %d seeds, want %d", test.options, seeds, test.seeds)
		}
	}
}
