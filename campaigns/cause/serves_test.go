package cause

import (
	"testing"

	"github.com/google/go-cmp/cmp"

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

// TestFailed reads the transition that failed from the diagnosis of the embedded
// simulator, and from gem5's message.
func TestFailed(t *testing.T) {
	var l Last
	l.fail("L1Cache 2 at tick 75: no such transition\nin transition (M, Load) on line 0x100000\nlast messages for the line:\n")
	want := &trace.Event{Kind: trace.Transition, At: 75, Place: "L1Cache 2", State: "M", Name: "Load", Next: "failed", Line: 0x100000}
	if diff := cmp.Diff(want, l.failed, cmp.AllowUnexported(trace.Event{})); diff != "" || l.reason != "no such transition" {
		t.Errorf("%q, (-want +got):\n%s", l.reason, diff)
	}
	l = Last{Events: []trace.Event{{At: 7}, {At: 90}}}
	l.fail("gem5 output\nbuild/X86/mem/ruby/protocol/L1Cache_Transitions.cc:1846: panic: Invalid transition\n" +
		"system.ruby.l1_cntrl3 time: 48231 addr: 0x3040 event: Inv state: IS_I\n\nMemory Usage: 682560 KBytes\n")
	want = &trace.Event{Kind: trace.Transition, At: 90, Place: "L1Cache 3", State: "IS_I", Name: "Inv", Next: "failed", Line: 0x3040}
	if diff := cmp.Diff(want, l.failed, cmp.AllowUnexported(trace.Event{})); diff != "" || l.reason != "invalid transition" {
		t.Errorf("%q, (-want +got):\n%s", l.reason, diff)
	}
	for _, other := range []string{"", "core 0 waits", "L1Cache 2 at tick 75: no transition\nsomething"} {
		var l Last
		if l.fail(other); l.failed != nil {
			t.Errorf("%q: %+v", other, l.failed)
		}
	}
}
