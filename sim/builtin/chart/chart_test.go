package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
)

// draw draws a chart, requires it to be well-formed, and counts its elements by
// class.
func draw(t *testing.T, r *Recorder) (string, map[string]int) {
	t.Helper()
	var out bytes.Buffer
	if err := r.WriteSVG(&out, `x < y & "z"`); err != nil {
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

func step(at event.Tick, machine string, line memory.Addr) ruby.Step {
	return ruby.Step{At: at, Machine: machine, Event: "Load", State: "I", Next: "IS", Line: line}
}

func message(at, arrives event.Tick, from, to, typ string, line memory.Addr) ruby.Message {
	return ruby.Message{At: at, Arrives: arrives, Buffer: from + " requestOut", To: to + " requestIn", Type: typ, Line: line}
}

// TestChart draws two controllers that exchange a line, and nothing of
// another one.
func TestChart(t *testing.T) {
	r := &Recorder{Lines: map[memory.Addr]string{64: "x"}}
	r.Step(step(1, "L1Cache", 64))
	r.Message(message(1, 9, "L1Cache 0", "Directory 0", "GETS", 64))
	r.Message(message(2, 3, "L1Cache 0", "Directory 0", "GETM", 128))
	r.Message(ruby.Message{At: 9, Buffer: "Directory 0 requestIn", Type: "GETS", Line: 64}) // taken out, not sent
	r.Step(step(9, "Directory", 64))
	r.Step(step(9, "L2Cache", 128))
	r.Message(message(10, 20, "Directory 0", "L1Cache 0", "DATA", 64))
	svg, count := draw(t, r)
	for class, want := range map[string]int{"lane": 2, "head": 2, "box": 2, "arrow": 2, "label": 2} {
		if count[class] != want {
			t.Errorf("%d elements of class %s, want %d", count[class], class, want)
		}
	}
	for _, text := range []string{">GETS<", ">DATA<", "Load: I → IS", "x &lt; y &amp; &#34;z&#34;"} {
		if !strings.Contains(svg, text) {
			t.Errorf("no %q in the chart", text)
		}
	}
	if strings.Contains(svg, "GETM") || strings.Index(svg, ">L1Cache 0<") > strings.Index(svg, ">Directory 0<") {
		t.Errorf("another line is drawn, or the lanes are in another order:\n%s", svg)
	}
	r.Lines[128] = "y"
	if svg, _ := draw(t, r); !strings.Contains(svg, ">GETS x<") {
		t.Error("several lines have no labels")
	}
}

// TestCut draws the end of a long run, the messages whose start is cut off
// included.
func TestCut(t *testing.T) {
	r := &Recorder{}
	r.Message(message(1, 5000, "L1Cache 0", "L1Cache 1", "LATE", 64))
	for i := range 400 {
		r.Step(step(event.Tick(10+i), fmt.Sprintf("L1Cache%d", i%2), 64))
	}
	svg, count := draw(t, r)
	if count["box"] != MaxEvents-1 || count["arrow"] != 1 {
		t.Errorf("%d transitions and %d messages are left, want %d and 1", count["box"], count["arrow"], MaxEvents-1)
	}
	if !strings.Contains(svg, "LATE") {
		t.Error("the message whose start is cut off is not drawn")
	}
	if !strings.Contains(svg, "282 earlier events are left out") {
		t.Error("the chart does not say what it leaves out")
	}
}
