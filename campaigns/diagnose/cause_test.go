package diagnose

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
	"ordeal/sim/trace"
)

const (
	lineX, lineY = 0x40, 0x80
	reader       = "L1Cache 1"
	writer       = "L1Cache 0"
)

func transition(at int64, place, state, name, next string, own bool) trace.Event {
	return trace.Event{Kind: trace.Transition, At: at, Place: place, Line: lineX, Name: name, State: state, Next: next, Own: own}
}

func store(at int64, value gen.Value, number int) trace.Event {
	return trace.Event{Kind: trace.Access, At: at, Place: "core 0", Line: lineX, Thread: 0, Number: number, Loc: 0, Writes: true, Written: value}
}

func load(at int64, loc gen.LocID, value gen.Value, number int) trace.Event {
	line := int64(lineX)
	if loc == 1 {
		line = lineY
	}
	return trace.Event{Kind: trace.Access, At: at, Place: "core 1", Line: line, Thread: 1, Number: number, Loc: loc, Reads: true, Read: value}
}

// messagePassing is the witness of x := 1; y := 1 || y == 1; x == 0.
func messagePassing() (*gen.Program, *Witness) {
	p := &gen.Program{Locations: []string{"x", "y"}}
	w := &Witness{Operations: []Operation{
		{Letter: "a", Thread: 0, Number: 0, Loc: 0, Writes: true, Written: 1, Text: "M[x] := 1"},
		{Letter: "b", Thread: 0, Number: 1, Index: 1, Loc: 1, Writes: true, Written: 2, Text: "M[y] := 2"},
		{Letter: "c", Thread: 1, Number: 0, Loc: 1, Reads: true, Read: 2, Text: "M[y] == 2"},
		{Letter: "d", Thread: 1, Number: 1, Index: 1, Loc: 0, Reads: true, Text: "M[x] == 0"},
	}}
	return p, w
}

func lineOf(l gen.LocID) int64 { return lineX + int64(l)*(lineY-lineX) }

func find(events []trace.Event) *Cause {
	p, w := messagePassing()
	return Find(p, w, lineOf, events, nil)
}

// MESI_Two_Level's mistake: an invalidation overtakes the data of a load, which
// reads it after the writer has gone on.
func TestStale(t *testing.T) {
	for _, notified := range []bool{false, true} {
		events := []trace.Event{
			transition(10, reader, "I", "Load", "IS", true),
			transition(12, "L2Cache 0", "S", "GETX", "IM", false),
			transition(20, reader, "IS", "Inv", "IS_I", false),
			transition(30, writer, "SM", "Ack_all", "M", false),
			store(30, 1, 0),
			transition(40, reader, "IS_I", "Data", "I", false),
			load(40, 0, 0, 1),
			load(50, 1, 2, 0),
			{Kind: trace.Transition, At: 60, Place: reader, Line: 0x999, Name: "Inv"},
		}
		if notified {
			notice := trace.Event{Kind: trace.Notice, At: 20, Place: reader, Line: lineX, Thread: 1}
			events = append(events[:3:3], append([]trace.Event{notice}, events[3:]...)...)
		}
		c := find(events)
		if len(c.Events) != len(events)-1 {
			t.Errorf("%d events, want all but that of another line", len(c.Events))
		}
		if len(c.Faults) != 1 {
			t.Fatalf("%d faults: %+v", len(c.Faults), c.Faults)
		}
		f := c.Faults[0]
		if f.Read != 3 || f.Before >= 0 || f.Invalidation != 2 || f.Notified != notified || c.Events[f.Overwritten].Written != 1 {
			t.Errorf("notified %v: %+v", notified, f)
		}
		if j := c.Joined[3]; c.Events[j.Asked].At != 10 || c.Events[j.Served].At != 40 {
			t.Errorf("asked and served: %+v", j)
		}
		if j := c.Joined[1]; j.Access >= 0 {
			t.Errorf("a store without an access: %+v", j)
		}
		word := map[bool]string{false: "the core is not notified", true: "the core is notified"}[notified]
		requireTexts(t, c, "(d) thread 1 reads x = 0 at tick 40 in L1Cache 1 (IS_I, Data) → I: stale, x is 1 since tick 30, by thread 0",
			"the invalidation went to L1Cache 1 (IS, Inv) → IS_I at tick 20: "+word)
	}
}

// Of two cores that share a controller the other one is notified.
func TestOtherNotified(t *testing.T) {
	const pair = "CorePair 0"
	c := find([]trace.Event{
		transition(10, pair, "S", "C1_Load_L1hit", "S", true),
		load(10, 0, 0, 1),
		transition(20, pair, "S", "PrbInv", "I", false),
		{Kind: trace.Notice, At: 20, Place: pair, Line: lineX},
		store(30, 1, 0),
		load(50, 1, 2, 0),
	})
	if len(c.Faults) != 1 || c.Faults[0].Invalidation != 2 || c.Faults[0].Notified {
		t.Fatalf("%+v", c.Faults)
	}
	requireTexts(t, c, "the invalidation went to CorePair 0 (S, PrbInv) → I at tick 20: the core is not notified (core 0 is)")
}

// early has a load that performs early, whose line is lost, and that is not repeated.
func early() []trace.Event {
	return []trace.Event{
		transition(10, reader, "S", "Load", "S", true),
		load(10, 0, 0, 1),
		transition(20, reader, "S", "Inv", "I", false),
		transition(30, writer, "SM", "Ack_all", "M", false),
		store(30, 1, 0),
		load(50, 1, 2, 0),
	}
}

// A load performs early, its line is lost, and it is not repeated.
func TestEarly(t *testing.T) {
	c := find(early())
	if len(c.Faults) != 1 || c.Faults[0].Before != 2 || c.Faults[0].Invalidation != 2 {
		t.Fatalf("%+v", c.Faults)
	}
	requireTexts(t, c, "(d) thread 1 reads x = 0 at tick 10 in L1Cache 1 (S, Load) → S: too early, (c) before it in the program performs at tick 50, and x is 1 since tick 30, by thread 0",
		"the invalidation went to L1Cache 1 (S, Inv) → I at tick 20: the core is not notified")
}

// A core that is notified in another transition of the same request is notified.
func TestNoticeElsewhere(t *testing.T) {
	events := []trace.Event{
		transition(10, reader, "S", "Load", "S", true),
		load(10, 0, 0, 1),
		transition(18, reader, "S", "SnpUnique", "BUSY", false),
		{Kind: trace.Notice, At: 18, Place: reader, Line: lineX, Thread: 1},
		transition(20, reader, "BUSY", "Final", "I", false),
		transition(30, writer, "SM", "Ack_all", "M", false),
		store(30, 1, 0),
		load(50, 1, 2, 0),
	}
	if c := find(events); len(c.Faults) != 1 || c.Faults[0].Invalidation != 2 || !c.Faults[0].Notified {
		t.Errorf("%+v", c.Faults)
	}
	events[3].Thread = 0
	if c := find(events); len(c.Faults) != 1 || c.Faults[0].Invalidation != 4 || c.Faults[0].Notified {
		t.Errorf("another core is notified: %+v", c.Faults)
	}
}

// Of what follows the new value the picture has the operations of the witness, and
// until a stale read performs what reaches its controller.
func TestShown(t *testing.T) {
	after := []trace.Event{
		transition(31, writer, "M", "Load", "M", true),
		transition(32, "L2Cache 0", "S", "GETX", "IM", false),
		transition(33, reader, "I", "Inv", "I", false),
		{Kind: trace.Message, At: 34, Arrives: 36, Place: writer, To: "L2Cache 0", Line: lineX, Name: "UNBLOCK"},
		store(37, 3, 2),
	}
	before := []trace.Event{
		transition(5, "L2Cache 0", "I", "GETS", "S", false),
		transition(10, reader, "S", "Load", "S", true),
		load(10, 0, 0, 1),
		transition(20, reader, "S", "Inv", "I", false),
		transition(30, writer, "SM", "Ack_all", "M", false),
		store(30, 1, 0),
	}
	other := store(35, 9, 5)
	other.Line, other.Loc = lineY, 1
	early := find(slices.Concat(before, after, []trace.Event{other, load(50, 1, 2, 0)}))
	if lines := strings.Join(early.ShownText(), "\n"); !strings.Contains(lines, "← before d in the program") ||
		strings.Contains(lines, "tick 5 ") {
		t.Errorf("%s", lines)
	}
	kept, omitted := early.shown()
	if want := []int{1, 2, 3, 4, 5, 12}; !slices.Equal(kept, want) || omitted != len(after) {
		t.Errorf("a read that is too early: events %v, %d omitted, want %v", kept, omitted, want)
	}
	read := []trace.Event{transition(40, reader, "IS_I", "Data", "I", false), load(40, 0, 0, 1), load(50, 1, 2, 0)}
	stale := find(slices.Concat([]trace.Event{transition(8, reader, "I", "Load", "IS", true)}, before[3:], after, read))
	kept, omitted = stale.shown()
	if want := []int{0, 1, 2, 3, 6, 9, 10, 11}; !slices.Equal(kept, want) || omitted != len(after)-1 {
		t.Errorf("a stale read: events %v, %d omitted, want %v", kept, omitted, want)
	}
}

// The message that brought the invalidation is shown, even if it left before the read was asked for.
func TestEarlyInvalidation(t *testing.T) {
	invalidation := trace.Event{Kind: trace.Message, At: 5, Arrives: 19, Place: "L2Cache 0", To: reader, Line: lineX, Name: "INV"}
	c := find(append([]trace.Event{invalidation}, early()...))
	if kept, _ := c.shown(); !slices.Contains(kept, 0) {
		t.Errorf("events %v are shown, want 0 among them", kept)
	}
}

// Without an invalidation that is said, and a load in order is no fault.
func TestNoInvalidation(t *testing.T) {
	c := find([]trace.Event{
		transition(30, writer, "SM", "Ack_all", "M", false), store(30, 1, 0),
		transition(40, reader, "S", "Load", "S", true), load(40, 0, 0, 1),
	})
	requireTexts(t, c, "no request of others had changed the line in the controller that served (d) until that write")
	c = find([]trace.Event{load(5, 1, 2, 0), load(10, 0, 0, 1), store(30, 1, 0)})
	requireTexts(t, c, "the trace has no access of (b): the cause is not known")
}

// Cores that share a controller: the store of the one takes the line from the
// other by its own transition, and a later request of others is not the one.
func TestSharedController(t *testing.T) {
	c := find([]trace.Event{
		transition(10, reader, "S", "C1_Load", "S", true),
		load(10, 0, 0, 1),
		transition(30, reader, "Ms", "C0_Store", "M0", true),
		store(30, 1, 0),
		transition(40, reader, "M0", "PrbShrData", "O", false),
		load(50, 1, 2, 0),
	})
	if len(c.Faults) != 1 || c.Faults[0].Invalidation != 2 {
		t.Fatalf("%+v", c.Faults)
	}
	requireTexts(t, c, "the invalidation went to L1Cache 1 (Ms, C0_Store) → M0 at tick 30: the core is not notified")
}

// The request of a core is not that of its sibling, which shares the controller.
func TestSiblingAsks(t *testing.T) {
	const pair = "CorePair 0"
	c := find([]trace.Event{
		transition(10, pair, "I", "C1_Load_L1miss", "I_E0S", true),
		transition(12, pair, "I_E0S", "C0_Load_L1miss", "I_E0S", true),
		transition(13, pair, "I_E0S", "Ifetch0_L1miss", "I_E0S", true),
		transition(40, pair, "I_E0S", "NB_AckS", "S", false),
		load(40, 0, 0, 1),
	})
	if j := c.Joined[3]; j.Asked != 0 || j.Served != 3 {
		t.Errorf("core 1 of the pair asked in event %d and was served in %d, want 0 and 3", j.Asked, j.Served)
	}
}

// Stores that perform in another order than that of the program are named; a
// load that passes a store is none of them.
func TestInversions(t *testing.T) {
	second := store(20, 2, 1)
	second.Line, second.Loc = lineY, 1
	c := find([]trace.Event{second, load(25, 1, 2, 0), load(28, 0, 0, 1), store(30, 1, 0)})
	requireTexts(t, c, "(b) of thread 0 performs at tick 20, before (a), which precedes it in the program and performs at tick 30")
	first := &c.Witness.Operations[1]
	first.Reads, first.Writes = true, false
	if list := c.inversions(false); len(list) != 0 {
		t.Errorf("a load that passes a store: %q", list)
	}
}

// Where the trace has no numbers of operations, the access is the last with the
// value before the operation commits.
func TestAccessWithoutNumbers(t *testing.T) {
	commit := trace.Event{Kind: trace.Commit, At: 35, Place: "core 1", Thread: 1, Number: 1}
	c := find([]trace.Event{load(10, 0, 0, -1), load(20, 0, 0, -1), store(30, 1, -1), commit, load(40, 0, 0, -1)})
	if j := c.Joined[3]; j.Access != 1 {
		t.Errorf("access %d, want 1", j.Access)
	}
}

// Two loads of one location read the same value before the first one commits: each has its
// own access, in the order of the program. A load that is forwarded has none, and loads of
// other locations of the line have theirs.
func TestLoadsOfOneValue(t *testing.T) {
	const head = "ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nthread 1\n"
	commit := func(at int64, number int) trace.Event {
		return trace.Event{Kind: trace.Commit, At: at, Place: "core 1", Thread: 1, Number: number}
	}
	own := store(15, 7, -1)
	own.Thread, own.Place = 1, "core 1"
	for name, c := range map[string]struct {
		program string
		events  []trace.Event
		want    map[int]int // access by number of the load
	}{
		"two loads":            {"load x\nload x\n", []trace.Event{load(10, 0, 0, -1), load(20, 0, 0, -1), commit(30, 0), commit(35, 1)}, map[int]int{0: 0, 1: 1}},
		"repeated":             {"load x\nload x\n", []trace.Event{load(10, 0, 0, -1), load(12, 0, 0, -1), load(20, 0, 0, -1), load(22, 0, 0, -1), commit(30, 0), commit(35, 1)}, map[int]int{0: 2, 1: 3}},
		"the second is late":   {"load x\nload x\n", []trace.Event{load(10, 0, 0, -1), commit(30, 0), load(32, 0, 0, -1), commit(35, 1)}, map[int]int{0: 0, 1: 2}},
		"the second forwarded": {"load x\nstore x 7\nload x\n", []trace.Event{load(10, 0, 0, -1), own, commit(30, 0), commit(31, 1), commit(32, 2)}, map[int]int{0: 0}},
		"in the next round":    {"load x\n", []trace.Event{load(10, 0, 0, -1), load(20, 0, 0, -1), commit(30, 0), commit(35, 1)}, map[int]int{0: 0, 1: 1}},
	} {
		p, err := gen.Parse("p", []byte(head+c.program))
		if err != nil {
			t.Fatal(err)
		}
		for number, want := range c.want {
			w := &Witness{Operations: []Operation{{Letter: "a", Thread: 1, Number: number, Loc: 0, Reads: true}}}
			if j := Find(p, w, lineOf, c.events, nil).Joined[0]; j.Access != want {
				t.Errorf("%s: load %d has access %d, want %d", name, number, j.Access, want)
			}
		}
	}
}

func requireTexts(t *testing.T, c *Cause, want ...string) {
	t.Helper()
	var text, picture bytes.Buffer
	if err := c.WriteText(&text); err != nil {
		t.Fatal(err)
	}
	if err := c.WriteSVG(&picture, "title"); err != nil {
		t.Fatal(err)
	}
	drawn := strings.ReplaceAll(picture.String(), "</text>", " ") // a sentence may take several lines
	drawn = strings.Join(strings.Fields(regexp.MustCompile("<[^>]*>").ReplaceAllString(drawn, "")), " ")
	for _, w := range want {
		if !strings.Contains(text.String(), w) {
			t.Errorf("no %q in\n%s", w, text.String())
		}
		if first, _, _ := strings.Cut(w, " → "); !strings.Contains(drawn, first) {
			t.Errorf("no %q in the picture", first)
		}
	}
}

// A load is forwarded from a store of its thread, whose line is lost before an
// earlier load performs.
func TestForwarded(t *testing.T) {
	p := &gen.Program{Locations: []string{"x", "y"}}
	w := &Witness{Operations: []Operation{
		{Letter: "a", Thread: 0, Number: 0, Loc: 0, Writes: true, Written: 1},
		{Letter: "b", Thread: 1, Number: 0, Loc: 0, Writes: true, Written: 7},
		{Letter: "c", Thread: 1, Number: 1, Loc: 1, Reads: true, Read: 2},
		{Letter: "d", Thread: 1, Number: 2, Loc: 0, Reads: true, Read: 7},
	}}
	own := store(10, 7, 0)
	own.Thread, own.Place = 1, "core 1"
	c := Find(p, w, lineOf, []trace.Event{
		transition(10, reader, "IM", "Data", "M", false), own,
		transition(20, reader, "M", "Inv", "I", false),
		store(30, 1, 0), load(50, 1, 2, 1),
	}, nil)
	if len(c.Faults) != 1 || c.Faults[0].Read != 3 || c.Faults[0].Before != 2 || c.Faults[0].Invalidation != 2 || !c.Joined[3].Forwarded {
		t.Fatalf("%+v %+v", c.Faults, c.Joined)
	}
	requireTexts(t, c, "(d) thread 1 reads x = 7 at tick 10 in or before, from its own store", "L1Cache 1 (M, Inv) → I at tick 20: the core is not notified")
}

// TestTorn has a store of another core between the two accesses of an atomic operation, as
// where a forward does not respect the lock of a line.
func TestTorn(t *testing.T) {
	p := &gen.Program{Locations: []string{"x"}}
	w := &Witness{Operations: []Operation{
		{Letter: "a", Thread: 1, Loc: 0, Reads: true, Writes: true, Written: 1, Text: "{ M[x] == 0; M[x] := 1 }"},
		{Letter: "b", Thread: 0, Loc: 0, Writes: true, Written: 8, Text: "M[x] := 8"},
	}}
	second := load(60, 0, 8, 0) // what it replaces is not what it read
	second.Reads, second.Writes, second.Written = false, true, 1
	events := []trace.Event{
		transition(20, reader, "I", "Store", "IM", true), transition(30, reader, "IM", "Data", "M", false), load(30, 0, 0, 0),
		transition(35, reader, "M", "Fwd_GETX", "I", false), transition(40, writer, "IM", "Data", "M", false), store(40, 8, 0),
		transition(60, reader, "IM", "Data", "M", false), second,
	}
	c := Find(p, w, lineOf, events, nil)
	requireTexts(t, c, "(a) of thread 1 is not atomic: it reads x = 0 at tick 30 in L1Cache 1 (IM, Data) → M, thread 0 writes x = 8 at tick 40, and then it writes x = 1 at tick 60",
		"the line is taken between the two accesses in L1Cache 1 (M, Fwd_GETX) → I at tick 35")
	if len(c.Faults) > 0 {
		t.Errorf("its read is wrong: %+v", c.Faults)
	}
	// The other write precedes both accesses: the read is stale.
	events[5], events[2] = events[2], events[5]
	if c := Find(p, w, lineOf, events, nil); len(c.Torn) > 0 {
		t.Errorf("a write before the read separates it: %+v", c.Torn)
	}
}

// TestUnexplained has reads that are right when they perform: accesses that pass others, which
// is said of loads that pass stores only where there is nothing else, and none of them.
func TestUnexplained(t *testing.T) {
	p := &gen.Program{Locations: []string{"x", "y"}}
	w := &Witness{Operations: []Operation{
		{Letter: "a", Thread: 0, Number: 0, Loc: 0, Writes: true, Written: 1}, {Letter: "b", Thread: 1, Number: 1, Loc: 0, Reads: true},
		{Letter: "c", Thread: 1, Number: 0, Loc: 1, Writes: true, Written: 2},
	}}
	other := func(at int64) trace.Event {
		e := load(at, 1, 0, 0)
		e.Reads, e.Writes, e.Written = false, true, 2
		return e
	}
	early := []trace.Event{load(10, 0, 0, 1), store(20, 1, 0), other(30)}
	requireTexts(t, Find(p, w, lineOf, early, nil), "the order of the accesses is not that of the program", "(b) of thread 1 performs at tick 10, before (c)")
	ordered := []trace.Event{other(5), load(10, 0, 0, 1), store(20, 1, 0)}
	requireTexts(t, Find(p, w, lineOf, ordered, nil), "the trace does not show the cause")
}
