package diagnose

import (
	"bytes"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/check/picture/chart"
	"ordeal/gen"
	"ordeal/sim"
	"ordeal/sim/builtin"
	"ordeal/sim/builtin/core"
	"ordeal/sim/trace"
)

// The read before the wrong one in the program is marked where it performs after it, and
// only there.
func TestMarkedBefore(t *testing.T) {
	const note = "before d in the program, performed after it"
	marked := func(c *Cause) (events []int) {
		for i, m := range c.marks() {
			if m == (chart.Mark{Class: chart.Witness, Note: note}) {
				events = append(events, i)
			}
		}
		return events
	}
	early := []trace.Event{
		transition(10, reader, "S", "Load", "S", true), load(10, 0, 0, 1),
		transition(20, reader, "S", "Inv", "I", false), transition(30, writer, "SM", "Ack_all", "M", false), store(30, 1, 0),
		load(50, 1, 2, 0),
	}
	c := find(early)
	if got := marked(c); !slices.Equal(got, []int{5}) {
		t.Errorf("events %v are marked, want 5", got)
	}
	var picture bytes.Buffer
	must.Succeed(t, c.WriteSVG(&picture, "title"))
	for _, part := range []string{"before d in the program,", "performed after it"} { // in two lines
		if !strings.Contains(picture.String(), ">"+part+"<") {
			t.Errorf("no %q in the picture", part)
		}
	}
	first := load(5, 1, 2, 0)
	if got := marked(find(append([]trace.Event{first}, early[:5]...))); got != nil {
		t.Errorf("events %v are marked where the loads perform in order", got)
	}
}

// The picture of a crash has the line of the transition that failed, that of a deadlock
// all lines.
func TestLastOfOneLine(t *testing.T) {
	other := transition(25, "L1Cache 2", "I", "Fetch_of_another_line", "IS", false)
	other.Line = lineY
	l := &Last{
		Events: []trace.Event{transition(10, reader, "I", "Load", "IS", true), other, transition(30, reader, "IS", "Inv", "IS_I", false)},
		cause:  Cause{Witness: new(Witness), program: &gen.Program{Locations: []string{"x", "y"}}, lineOf: lineOf, names: map[int64]string{lineX: "x", lineY: "y"}},
	}
	draw := func() string {
		var picture bytes.Buffer
		must.Succeed(t, l.WriteSVG(&picture, "title"))
		return picture.String()
	}
	const omitted = "1 other event is left out"
	if text := draw(); !strings.Contains(text, "Fetch_of_another_line") || strings.Contains(text, omitted) || strings.Contains(text, ">The line") {
		t.Errorf("a deadlock: the event of the other line is not in\n%s", text)
	}
	l.crashed = true
	if text := draw(); strings.Contains(text, "Fetch_of_another_line") || !strings.Contains(text, omitted) || !strings.Contains(text, "Inv: IS") {
		t.Errorf("a crash at another place: the line of the last transition is not alone in\n%s", text)
	}
	l.fail(&sim.Failure{Kind: sim.KindInvalidTransition, At: sim.Place{Controller: "L1Cache 2", Tick: 40, Row: sim.Row{Machine: "L1Cache", State: "IS", Event: "Data"}, Address: 0x80}})
	if text := draw(); !strings.Contains(text, "Fetch_of_another_line") || strings.Contains(text, "Inv: IS") || !strings.Contains(text, "Data: IS → failed<") || !strings.Contains(text, ">The line 0x80 of y.<") {
		t.Errorf("a crash: the line of the failed transition is not alone in\n%s", text)
	}
	l.cause.table = func(machine, state, event string) (string, []string) { return "a.sm:7", []string{"pop", state + event} }
	if text := draw(); !strings.Contains(text, "a.sm:7<") || !strings.Contains(text, "failed: pop, ISData.<") {
		t.Errorf("a crash: no place and actions of the failed transition in\n%s", text)
	}
}

// The picture of a crash has no hits, and the last events alone.
func TestLastWithoutHits(t *testing.T) {
	l := &Last{crashed: true, cause: Cause{Witness: new(Witness), program: &gen.Program{Locations: []string{"x", "y"}}, lineOf: lineOf, names: map[int64]string{lineX: "x"}}}
	l.Events = append(l.Events, transition(1, reader, "I", "First", "IS", false))
	for i := range int64(crashEvents) {
		l.Events = append(l.Events, transition(10+2*i, writer, "M", "Store_hit", "M", true), store(10+2*i, gen.Value(100+i), 0), transition(11+2*i, reader, "IS", "Wait", "IM", false))
	}
	l.Events = append(l.Events, transition(200, writer, "IM", "Data", "M", false), store(200, 7, 1))
	var picture bytes.Buffer
	must.Succeed(t, l.WriteSVG(&picture, "title"))
	for text, want := range map[string]bool{"Store_hit": false, "M[x] := 100": false, "First": false, "M[x] := 7": true, "Data: IM → M": true, "Wait: IS → IM": true} {
		if strings.Contains(picture.String(), text) != want {
			t.Errorf("%q is in the picture: %v, want %v", text, !want, want)
		}
	}
}

// Messages of the embedded simulator have the values of the lines that they carry.
func TestEmbeddedData(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 7\nthread 1\nload x\nload x\nload x\nload x\nload x\nload x\nload x\nload x\n"))
	must.Succeed(t, err)
	runner, err := builtin.New(builtin.Options{Protocol: "mi", Core: core.InOrder})
	must.Succeed(t, err)
	w := &Witness{Operations: []Operation{
		{Letter: "a", Thread: 0, Number: 0, Loc: 0, Writes: true, Written: 7, Text: "M[x] := 7"},
		{Letter: "b", Thread: 1, Number: 7, Index: 7, Loc: 0, Reads: true, Read: 7, Text: "M[x] == 7"},
	}}
	c, err := Record(t.Context(), runner, sim.Job{Program: p, Rounds: 1, Seed: 1}, w, Filter{})
	must.Succeed(t, err)
	var picture bytes.Buffer
	must.Succeed(t, c.WriteSVG(&picture, "title"))
	if want := ">ResponseMsg x = 7<"; !strings.Contains(picture.String(), want) {
		t.Errorf("no message %q in\n%s", want, picture.String())
	}
}

// lossEvents are those of a store in one controller and of a load in another, to which a
// message brings a value.
func lossEvents(data gen.Value) []trace.Event {
	block := new([gen.LineBytes / gen.WordBytes]gen.Value)
	block[0] = data
	return []trace.Event{
		transition(10, writer, "I", "Store", "IM", true), transition(30, writer, "IM", "Data", "M", false), store(30, 1, 0),
		transition(40, reader, "I", "Load", "IS", true),
		{Kind: trace.Message, At: 51, Arrives: 60, Place: writer, To: reader, Line: lineX, Name: "DATA", Data: block},
		transition(50, writer, "M", "Fwd_GETS", "S", false),
		transition(60, reader, "IS", "DataS", "S", false),
	}
}

// The picture has the transition in which a value is lost: one that got it, for a final
// value and for the next one that reads, one that sends an older value after the store,
// and one that gives up the line.
func TestLoss(t *testing.T) {
	final := func(events []trace.Event) *Cause {
		p, w := messagePassing()
		w.Operations, w.Finals = w.Operations[:1], []Final{{Loc: 0}}
		return Find(p, w, lineOf, events, nil)
	}
	const lost = "the new value is lost here"
	require := func(c *Cause, at int, want ...string) {
		t.Helper()
		if m := c.marks()[at]; m != (chart.Mark{Class: chart.Cause, Note: lost}) {
			t.Errorf("the mark of event %d is %+v", at, m)
		}
		requireTexts(t, c, want...)
	}
	asked := transition(62, reader, "S", "Load", "S", true) // for the final values
	require(final(append(lossEvents(1), asked)), 6, "the final value of x is 0, which is older than 1, written at tick 30 by thread 0",
		"the value is lost in L1Cache 1 (IS, DataS) → S at tick 60: DATA from L1Cache 0 brings x = 1")
	require(final(append(lossEvents(0), asked)), 1, "the value is lost after L1Cache 0 (IM, Data) → M at tick 30, which serves the store")
	given := []trace.Event{transition(70, writer, "M", "Replacement", "I", false)}
	require(final(append(lossEvents(1)[:3], given...)), 3, "the value is lost in L1Cache 0 (M, Replacement) → I at tick 70: it gives up the line, and no message carries x = 1 after that")

	stale := find(append(lossEvents(0), load(60, 0, 0, 1), load(90, 1, 2, 0)))
	if m := stale.marks()[4]; m.Class != chart.Fault {
		t.Errorf("the message with the older value has mark %+v", m)
	}
	requireTexts(t, stale, "(d) thread 1 reads x = 0 at tick 60", "the value is lost after L1Cache 0 (IM, Data) → M at tick 30")
	early := lossEvents(0) // the data left before the store: no value is lost
	early[4].At = 20
	if c := find(append(early, load(60, 0, 0, 1), load(90, 1, 2, 0))); len(c.Losses) != 0 {
		t.Errorf("a loss of what was on its way before the store: %+v", c.Losses)
	}
}
