package diagnose

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/sim"
	"ordeal/sim/trace"
)

// TestServes ties a miss to the messages between its request and its answer: not to those
// of others, before it, to other lines, or that the answer does not wait for.
func TestServes(t *testing.T) {
	step := func(at int64, place string) trace.Event {
		return trace.Event{Kind: trace.Transition, At: at, Place: place, Line: 64}
	}
	message := func(at, arrives int64, from, to string, line int64) trace.Event {
		return trace.Event{Kind: trace.Message, At: at, Arrives: arrives, Place: from, To: to, Line: line}
	}
	c := &Cause{
		Witness: &Witness{Operations: []Operation{{Letter: "a"}, {Letter: "b"}, {Letter: "c"}}},
		Events: []trace.Event{
			0: message(5, 25, "L1Cache 0", "Directory 0", 64), // before the request
			1: step(10, "L1Cache 0"),
			2: message(10, 20, "L1Cache 0", "Directory 0", 64),
			3: message(12, 22, "L1Cache 1", "Directory 0", 64), // of another request
			4: message(21, 30, "Directory 0", "L1Cache 1", 64),
			5: message(21, 30, "Directory 0", "L1Cache 0", 128),
			6: message(31, 40, "L1Cache 1", "L1Cache 0", 64),
			7: message(31, 45, "L1Cache 1", "Directory 0", 64), // not waited for
			8: step(50, "L1Cache 0"),
			9: step(60, "L1Cache 1"), // a hit
		},
		Joined: []Joined{{Asked: 9, Served: 9}, {Asked: 1, Served: 8}, {Asked: -1, Served: -1}},
	}
	want := map[int]string{1: "b", 2: "b", 4: "b", 6: "b", 8: "b", 9: "a"}
	if diff := cmp.Diff(want, c.serves()); diff != "" {
		t.Errorf("what serves the operations (-want +got):\n%s", diff)
	}
}

// TestFailed takes the transition that failed from a failure, after the last event where its
// tick is not known.
func TestFailed(t *testing.T) {
	at := sim.Place{Controller: "L1Cache 2", Tick: 75, Row: sim.Row{Machine: "L1Cache", State: "M", Event: "Load"}, Address: 0x100000}
	want := trace.Event{Kind: trace.Transition, At: 75, Place: "L1Cache 2", State: "M", Name: "Load", Next: "failed", Line: 0x100000}
	for range 2 {
		l := Last{Events: []trace.Event{{At: 7}, {At: 90}}}
		l.fail(&sim.Failure{Kind: "x", At: at})
		if diff := cmp.Diff(&want, l.failed, cmp.AllowUnexported(trace.Event{})); diff != "" || l.reason != "x" {
			t.Errorf("%q, (-want +got):\n%s", l.reason, diff)
		}
		at.Tick, want.At = 0, 90
	}
	var l Last
	if l.fail(&sim.Failure{Kind: sim.KindDeadlock, At: sim.Place{Tick: 75}}); l.failed != nil {
		t.Errorf("a deadlock failed in %+v", l.failed)
	}
}
