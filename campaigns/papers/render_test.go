package papers

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"
)

func TestTimes(t *testing.T) {
	for s, want := range map[Seconds]string{
		{}:                                        "–",
		{Mean: 1.5e-6, Histories: 1, Of: 1}:       "1.50 µs",
		{Mean: 0.99949e-3, Histories: 1, Of: 1}:   "999 µs",
		{Mean: 0.9996e-3, Histories: 1, Of: 1}:    "1.00 ms",
		{Mean: 0.0123, Histories: 2, Of: 4}:       "12.3 ms (2)",
		{Mean: 123.4, Histories: 1, Of: 1}:        "123 s",
		{Mean: 3, Histories: 2, Of: 2, GaveUp: 1}: "≥ 3.00 s",
	} {
		if got := s.String(); got != want {
			t.Errorf("%+v: %q, want %q", s, got, want)
		}
	}
	for v, want := range map[float64]string{0: "0", 9.994: "9.99", 9.996: "10.0", 99.96: "100"} {
		if got := significant(v); got != want {
			t.Errorf("%v: %q, want %q", v, got, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{Title: "T", Columns: []Column{{Name: "x"}, {Name: "share", Unit: "%", Digits: 1}}, Rows: [][]any{{100, 2.25}, {"all", nil}}, Note: "N"}
	want := "T\nx    share (%)\n──────────────\n100        2.2\nall\nN\n"
	if got := table.Text(); got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// Positions are proportional to values, on a logarithmic axis to their
// logarithms.
func TestScaled(t *testing.T) {
	log := newScaled(Axis{Log: true}, []float64{0.02, 3}, false, 300, 0)
	if got := log.at(0.1); math.Abs(got-200) > 1e-9 || len(log.ticks) != 4 || math.Abs(log.at(0.01)-300) > 1e-9 || math.Abs(log.at(10)) > 1e-9 {
		t.Errorf("0.1 at %v, ticks %v", got, log.ticks)
	}
	linear := newScaled(Axis{}, []float64{3, 9}, false, 0, 100)
	if got := linear.at(5); got != 50 || linear.to != 10 || linear.ticks[1] != 2 {
		t.Errorf("5 at %v, to %v, ticks %v", got, linear.to, linear.ticks)
	}
	exact := newScaled(Axis{Log: true, Base: 2}, []float64{4, 16, 256}, true, 0, 100)
	if near, far := exact.at(16)-exact.at(4), exact.at(256)-exact.at(16); math.Abs(2*near-far) > 1e-9 || len(exact.ticks) != 3 {
		t.Errorf("steps %v and %v, ticks %v", near, far, exact.ticks)
	}
	if a := (Axis{}); a.tick(65536) != "64K" || a.tick(500) != "500" {
		t.Errorf("%s %s", a.tick(65536), a.tick(500))
	}
	if a := (Axis{Unit: "s"}); a.tick(1e-5) != "10 µs" || a.tick(0.01) != "10 ms" || a.tick(10) != "10 s" || a.tick(0) != "0" {
		t.Errorf("%s %s %s", a.tick(1e-5), a.tick(0.01), a.tick(10))
	}
}

// A chart is well-formed, has a mark for each point and an arrow for each
// lower bound, and names its lines and axes.
func TestSVG(t *testing.T) {
	c := Chart{
		Title: "a < b", X: Axis{Label: "threads"}, Y: Axis{Label: "time", Unit: "s", Log: true},
		Series: []Series{
			{Name: "x & y", Points: []Point{{X: 2, Y: 0.001}, {X: 4, Y: 0.1}}},
			{Name: "zero", Points: []Point{{X: 2, Y: 0}, {X: 4, Y: 2, Bound: true}}},
			{Name: "none"},
		},
	}
	text := c.SVG()
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for want, n := range map[string]int{
		"<circle": 3, // two points and the legend
		"l4 5":    1, "a &lt; b": 1, "x &amp; y": 1, ">threads<": 1, ">time, logarithmic<": 1, ">1 ms<": 1, ">10 s<": 1, "NaN": 0,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q %d times, want %d\n%s", want, got, n, text)
		}
	}
}
