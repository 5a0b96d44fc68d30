package plot

import (
	"math"
	"testing"

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
		check("logarithmic", Logarithmic("", 3, high, messages.Short))
	}
}

// TestAt compares places with values, on a logarithmic scale with logarithms.
func TestAt(t *testing.T) {
	logs := Logarithmic("", 0.02, 3, messages.Short)
	linear := Linear("", 9, messages.Short)
	for _, c := range []struct {
		name      string
		got, want float64
	}{
		{"0.1 of 0.01 to 10", logs.at(0.1, 300, 0), 200},
		{"beyond the end", logs.at(100, 300, 0), 0},
		{"5 of 0 to 10", linear.at(5, 0, 100), 50},
	} {
		if math.Abs(c.got-c.want) > 1e-9 {
			t.Errorf("%s: %v, want %v", c.name, c.got, c.want)
		}
	}
}
