package builtin

import (
	"slices"
	"testing"

	"ordeal/sim"
	"ordeal/sim/builtin/core"
	"ordeal/sim/builtin/event"
	"ordeal/sim/ruby"
	"ordeal/sim/ruby/network"
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
		{Options{SLICC: smallProtocol, Core: core.TSO, Latency: event.Latency{Base: 6}, Hardware: ruby.Hardware{Memory: event.Latency{Base: 60}}}, 0},
		{Options{Protocol: "mi", Core: core.TSO}, 0},
	} {
		runner, seeds := newRunner(t, test.options).Faithful()
		if seeds != test.seeds || (runner != nil) != (seeds > 0) {
			t.Errorf("%+v: %d seeds, want %d", test.options, seeds, test.seeds)
		}
		f, ok := runner.(*family)
		if !ok {
			continue
		}
		if want := []string{"crossbar", "mesh", "point-to-point", "mesh with 4 directories"}; !slices.Equal(f.names, want) || f.On(5) != "mesh" || f.tester.options.Topology != network.Randomized {
			t.Errorf("%+v: machines %q, want %q and that of testers", test.options, f.names, want)
		}
		for i, r := range f.machines {
			if r.options.Occupancy != network.DefaultOccupancy || (r.options.Directories == 4) != (i == 3) {
				t.Errorf("%s: %+v", f.names[i], r.options.Hardware)
			}
		}
	}
}

// TestUnobserved requires runs at gem5's latencies and those that are observed by others to pass
// nothing on to what receives the steps of a run.
func TestUnobserved(t *testing.T) {
	passed := 0
	r := newRunner(t, Options{
		SLICC: smallProtocol, Core: core.OOO, Trace: func(ruby.Step) { passed++ }, Messages: func(ruby.Message) { passed++ },
		Notices: func(ruby.Notice) { passed++ }, Accesses: func(core.Access) { passed++ },
	})
	job := sim.Job{Program: randomProgram(t, 3, 4), Rounds: 2}
	ends(t, r, job, sim.Passed, "")
	if passed == 0 {
		t.Fatal("a run passes no steps on")
	}
	passed = 0
	faithful, _ := r.Faithful()
	if _, err := faithful.Run(t.Context(), job); err != nil || passed > 0 {
		t.Errorf("at gem5's latencies: %d steps, %v", passed, err)
	}
	steps, accesses := 0, 0
	_, err := r.Observe(t.Context(), job, func(ruby.Step) { steps++ }, func(core.Access) { accesses++ })
	if err != nil || passed > 0 || steps == 0 || accesses == 0 {
		t.Errorf("observed: %d steps, %d observed, %d accesses, %v", passed, steps, accesses, err)
	}
}

// TestOccupancy runs a protocol whose messages are of a size with data or without: those
// with data make others wait.
func TestOccupancy(t *testing.T) {
	detail := func(size string, occupancy event.Tick) string {
		path := edited(t, "messages.sm", "structure(OrderMsg, interface=\"Message\") {\n", "structure(OrderMsg, interface=\"Message\") {\n  MessageSizeType MessageSize, default=\"MessageSizeType_"+size+"\";\n")
		r := newRunner(t, Options{SLICC: path, Core: core.InOrder, Latency: event.Latency{Base: 6}, Hardware: ruby.Hardware{Memory: event.Latency{Base: 60}, Occupancy: occupancy}})
		return ends(t, r, sim.Job{Program: randomProgram(t, 3, 4), Rounds: 2}, sim.Passed, "").Detail
	}
	if detail("Control", 40) != detail("Control", 0) {
		t.Error("messages without data occupy links")
	}
	if detail("Response_Data", 40) == detail("Response_Data", 0) {
		t.Error("messages with data occupy no links")
	}
	if _, err := New(Options{SLICC: smallProtocol, Core: core.InOrder, Hardware: ruby.Hardware{Occupancy: -1}}); err == nil {
		t.Error("links are occupied for -1 ticks")
	}
}
