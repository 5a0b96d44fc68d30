package plot

import (
	"encoding/xml"
	"errors"
	"io"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/messages"
)

// TestScales checks ticks: round, distinct, few, and within the scale.
func TestScales(t *testing.T) {
	for _, high := range []float64{0, 0.003, 0.4, 1, 7, 59, 61, 200, 4000, 12_345, 100_000, 3e6, 8.1e9} {
		check := func(kind string, s Scale) {
			t.Helper()
			if len(s.ticks) < 2 || len(s.ticks) > 14 {
				t.Errorf("%s to %g: %d ticks", kind, high, len(s.ticks))
			}
			labels := map[string]bool{}
			for i, x := range s.ticks {
				if labels[x.label] || len(x.label) > 6 {
					t.Errorf("%s to %g: label %q", kind, high, x.label)
				}
				labels[x.label] = true
				if x.value < s.low || x.value > s.high*(1+1e-9) {
					t.Errorf("%s to %g: tick %g, want %g to %g", kind, high, x.value, s.low, s.high)
				}
				if i > 0 && s.at(x.value, 50, 950) <= s.at(s.ticks[i-1].value, 50, 950) {
					t.Errorf("%s to %g: tick %g is not after %g", kind, high, x.value, s.ticks[i-1].value)
				}
			}
			if s.high < high {
				t.Errorf("%s to %g ends at %g", kind, high, s.high)
			}
		}
		check("linear", Linear("", high, messages.Short))
		if high < 1e9 { // a century
			s := new(Canvas).Clock("", high)
			check("clock", s)
			if !strings.HasSuffix(s.name, "s") {
				t.Errorf("clock to %g: unit %q", high, s.name)
			}
		}
		check("logarithmic", Logarithmic("", 3, high, messages.Short))
	}
}

// TestAt compares places with values, on a logarithmic scale with logarithms.
func TestAt(t *testing.T) {
	logs := Logarithmic("", 0.02, 3, messages.Short)
	linear := Linear("", 9, messages.Short)
	exact := values("", []float64{4, 16, 256}, true, (&Axis{}).tick)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"0.1 of 0.01 to 10", logs.at(0.1, 300, 0), 200},
		{"beyond the end", logs.at(100, 300, 0), 0},
		{"5 of 0 to 10", linear.at(5, 0, 100), 50},
		{"twice the logarithm", exact.at(256, 0, 100) - exact.at(16, 0, 100), 2 * (exact.at(16, 0, 100) - exact.at(4, 0, 100))},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}

func TestTicks(t *testing.T) {
	var got []string
	for _, v := range []float64{1e-6, 1e-5, 0.01, 10, 0} {
		got = append(got, (&Axis{Unit: "s"}).tick(v))
	}
	for _, v := range []float64{65536, 500} {
		got = append(got, (&Axis{}).tick(v))
	}
	if diff := cmp.Diff([]string{"1 µs", "10 µs", "10 ms", "10 s", "0 s", "64K", "500"}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// A chart is well-formed, has a mark for each point and an arrow for each
// lower bound, and names its lines and axes.
func TestChart(t *testing.T) {
	c := Chart{
		Title: "a < b", X: Axis{Label: "threads"}, Y: Axis{Label: "time", Unit: "s", Log: true},
		Series: []Series{
			{Name: "x & y", Points: []Value{{X: 2, Y: 0.001}, {X: 4, Y: 0.1}}},
			{Name: "zero", Points: []Value{{X: 2, Y: 0}, {X: 4, Y: 2, Bound: true}}},
			{Name: "none"},
		},
	}
	text := string(c.SVG())
	dec := xml.NewDecoder(strings.NewReader(text))
	for {
		if _, err := dec.Token(); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
	}
	for want, n := range map[string]int{
		"class=\"point s0": 2, "class=\"point s1": 1, Bound: 1, "a &lt; b": 1, ">x &amp; y<": 1, ">threads<": 1, ">time, logarithmic<": 1, ">1 ms<": 1, ">10 s<": 1, "NaN": 0,
	} {
		if got := strings.Count(text, want); got != n {
			t.Errorf("%q %d times, want %d\n%s", want, got, n, text)
		}
	}
	(&Chart{}).SVG() // no points at all
}
