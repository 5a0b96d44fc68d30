package builtin

import (
	"strings"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
)

// TestBoundedBuffers runs programs on machines whose buffers have little room, at
// both timings. MESI_Two_Level sends two messages of one buffer in a transition, which
// waits for ever where there is room for one only.
func TestBoundedBuffers(t *testing.T) {
	for _, o := range []Options{
		{Protocol: "mi", Bounds: []string{"1", "network=1"}},
		{Protocol: "mesi-two-level", Bounds: []string{"2", "network=1"}},
		{Protocol: "moesi-hammer", Bounds: []string{"1"}, Latency: event.Latency{Base: 6}, Hardware: ruby.Hardware{Memory: event.Latency{Base: 60}}, Order: event.LIFO},
		{Protocol: "moesi-amd-base", Bounds: []string{"1", "Directory.responseFromMemory=1"}, Hardware: ruby.Hardware{MemoryChannels: 4}},
	} {
		o.Core = core.OOO
		free := o
		free.Bounds = nil
		job := sim.Job{Program: randomProgram(t, 1, 4), Rounds: 3}
		bounded := ends(t, newRunner(t, o), job, sim.Passed, "")
		if ends(t, newRunner(t, free), job, sim.Passed, "").Statistics.Hash == bounded.Statistics.Hash {
			t.Errorf("%s: bounds make no difference", o.Protocol)
		}
	}
	o := Options{Protocol: "mesi-two-level", Core: core.OOO, Bounds: []string{"1"}}
	report := ends(t, newRunner(t, o), sim.Job{Program: randomProgram(t, 1, 4), Rounds: 3}, sim.Deadlock, "deadlock: a request is not answered, Directory in M")
	if !strings.Contains(report.Detail, "L2Cache 0 requestBuffer: full, with 1 messages") {
		t.Errorf("the detail does not name the full buffer:\n%s", report.Detail)
	}
	for _, bound := range []string{"X.y=1", "L1Cache.mandatoryQueue=1", "L1Cache.y=1", "three"} {
		if _, err := New(Options{Protocol: "mi", Core: core.TSO, Bounds: []string{bound}}); err == nil {
			t.Errorf("--buffer-size %s is accepted", bound)
		}
	}
}
