package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"ordeal/sim/trace"
)

// draw draws a chart, requires it to be well-formed, and counts its elements by
// class.
func draw(t *testing.T, c *Chart) (string, map[string]int) {
	t.Helper()
	var out bytes.Buffer
	c.Title = `x < y & "z"`
	if err := c.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	dec := xml.NewDecoder(bytes.NewReader(out.Bytes()))
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return out.String(), count
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, out.String())
		}
		if e, ok := token.(xml.StartElement); ok {
			for _, a := range e.Attr {
				if a.Name.Local == "class" {
					count[a.Value]++
				}
			}
		}
	}
}

func transitionAt(at int64, place string, line int64) trace.Event {
	return trace.Event{Kind: trace.Transition, At: at, Place: place, Name: "Load", State: "I", Next: "IS", Line: line}
}

func message(at, arrives int64, from, to, name string, line int64) trace.Event {
	return trace.Event{Kind: trace.Message, At: at, Arrives: arrives, Place: from, To: to, Name: name, Line: line}
}

// TestChart draws a core and two controllers that exchange a line.
func TestChart(t *testing.T) {
	c := &Chart{
		Notes: []string{"first note", "a < b"},
		Lines: map[int64]string{64: "x"},
		Events: []trace.Event{
			transitionAt(1, "L1Cache 0", 64),
			message(1, 9, "L1Cache 0", "Directory 0", "GETS", 64),
			transitionAt(9, "Directory 0", 64),
			message(10, 20, "Directory 0", "L1Cache 0", "DATA", 64),
			{Kind: trace.Notice, At: 20, Place: "L1Cache 0", Line: 64},
			{Kind: trace.Access, At: 21, Place: "core 0", Line: 64},
			{Kind: trace.Access, At: 22, Place: "core 0", Line: 64}, // without a text
			{Kind: trace.Commit, At: 23, Place: "core 0"},
		},
		Accesses: map[int]string{5: "load x = 1"},
		Marks:    map[int]Mark{0: {Class: Cause, Note: "here"}, 5: {Class: Fault}},
		Omitted:  3,
	}
	svg, count := draw(t, c)
	for class, want := range map[string]int{
		"lane": 3, "head": 3, "box": 1, "box cause": 1, "access fault": 1, "arrow": 2, "label": 2, "note": 2, "comment cause": 1, "comment fault": 0,
	} {
		if count[class] != want {
			t.Errorf("%d elements of class %s, want %d", count[class], class, want)
		}
	}
	for _, text := range []string{">GETS<", ">DATA<", "Load: I → IS", "x &lt; y &amp; &#34;z&#34;", ">a &lt; b<", ">here<", ">load x = 1<", "3 other events are left out"} {
		if !strings.Contains(svg, text) {
			t.Errorf("no %q in the chart", text)
		}
	}
	if at := func(lane string) int { return strings.Index(svg, ">"+lane+"<") }; at("core 0") > at("L1Cache 0") || at("L1Cache 0") > at("Directory 0") {
		t.Errorf("the lanes are in another order:\n%s", svg)
	}
	c.Lines[128] = "y"
	if svg, _ := draw(t, c); !strings.Contains(svg, ">GETS x<") {
		t.Error("several lines have no labels")
	}
}

// TestCut draws the end of a long run, and before it a message that ends there
// and what is marked.
func TestCut(t *testing.T) {
	c := &Chart{Marks: map[int]Mark{1: {Class: Cause}}}
	c.Events = append(c.Events, message(1, 5000, "L1Cache 0", "L1Cache 1", "LATE", 64))
	for i := range 400 {
		c.Events = append(c.Events, transitionAt(int64(10+i), fmt.Sprintf("L1Cache %d", i%2), 64))
	}
	svg, count := draw(t, c)
	if count["box"] != MaxEvents-1 || count["box cause"] != 1 || count["arrow"] != 1 {
		t.Errorf("%d and %d transitions and %d messages are left, want %d, 1 and 1", count["box"], count["box cause"], count["arrow"], MaxEvents-1)
	}
	if !strings.Contains(svg, "LATE") {
		t.Error("the message whose start is cut off is not drawn")
	}
	if !strings.Contains(svg, "280 other events are left out") { // 402 points, 119 + 1 boxes and 2 ends stay
		t.Error("the chart does not say what it leaves out")
	}
}

// TestRepeats draws an access that waits once, but acknowledgements each.
func TestRepeats(t *testing.T) {
	wait := func(at int64, state string) trace.Event {
		return trace.Event{Kind: trace.Transition, At: at, Place: "L1Cache 0", Name: "Load", State: state, Next: state, Line: 64}
	}
	c := &Chart{Lines: map[int64]string{64: "x"}, Events: []trace.Event{
		wait(1, "IS"), wait(2, "IS"), transitionAt(3, "L1Cache 1", 64), wait(4, "IS"),
		message(3, 5, "Directory 0", "L1Cache 0", "ACK", 64), wait(6, "IS"),
		wait(7, "M"), wait(8, "M"), wait(9, "IS"),
		transitionAt(10, "L1Cache 0", 64), transitionAt(11, "L1Cache 0", 64), // another state each time
	}, Marks: map[int]Mark{7: {Class: Fault}}}
	svg, count := draw(t, c)
	if !strings.Contains(svg, ">Load: IS → IS ×3<") || strings.Count(svg, "×") != 1 || count["box"] != 7 || count["box fault"] != 1 {
		t.Errorf("%d boxes in\n%s", count["box"], svg)
	}
	if !strings.Contains(svg, "2 other events are left out") {
		t.Error("the chart does not say that repeats are left out")
	}
}

// TestWrap breaks sentences where the picture ends, and gives arrows tips of their colour.
func TestWrap(t *testing.T) {
	c := &Chart{Notes: []string{strings.Repeat("word ", 100), "short"}, Lines: map[int64]string{64: "x"},
		Events: []trace.Event{message(1, 9, "L1Cache 0", "Directory 0", "GETS", 64)}, Marks: map[int]Mark{0: {Class: Cause}}}
	svg, count := draw(t, c)
	if count["note"] < 5 || !strings.Contains(svg, `class="arrow cause" marker-end="url(#tipcause)"`) {
		t.Errorf("%d lines of notes in\n%s", count["note"], svg)
	}
	var wide int
	if _, err := fmt.Sscanf(svg, `<svg xmlns="http://www.w3.org/2000/svg" width="%d"`, &wide); err != nil || wide > 700 {
		t.Errorf("the picture is %d wide: %v", wide, err)
	}
}

// TestLanes has the controllers of cores beside them, that of two after both, and what is
// shared at the right.
func TestLanes(t *testing.T) {
	want := []string{"core 0", "L1Cache 0", "core 1", "CorePair 0", "core 2", "L0Cache 2", "L1Cache 2", "core 10", "L1 10", "L2Cache 0", "Directory 0", "Directory 1"}
	var points []point
	for _, lane := range slices.Backward(want) {
		points = append(points, point{lane: lane})
	}
	if got := lanesOf(points); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
