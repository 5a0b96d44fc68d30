package html

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"
)

// TestDetectedBy compares curves with the product over all trials, one by one,
// that the estimate is defined by; without censoring it is plain counting.
func TestDetectedBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var trials []trial
		censoring := rng.IntN(2) == 0
		for range 1 + rng.IntN(12) {
			trials = append(trials, trial{1 + rng.IntN(6), !censoring || rng.IntN(3) > 0})
		}
		curve := detectedBy(trials)
		for at := range 8 {
			survive := 1.0
			for ops := 1; ops <= at; ops++ {
				risk, caught := 0, 0
				for _, x := range trials {
					risk += btoi(x.ops >= ops)
					caught += btoi(x.ops == ops && x.detected)
				}
				if risk > 0 {
					survive *= float64(risk-caught) / float64(risk)
				}
			}
			share := 0.0
			for _, s := range curve {
				if s.ops <= at {
					share = s.share
				}
			}
			if math.Abs(share-(1-survive)) > 1e-9 {
				t.Fatalf("%v: within %d operations %g, want %g", trials, at, share, 1-survive)
			}
			if plain := plainShare(trials, at); !censoring && math.Abs(share-plain) > 1e-9 {
				t.Fatalf("%v: within %d operations %g, counted are %g", trials, at, share, plain)
			}
		}
	}
}

func plainShare(trials []trial, at int) float64 {
	n := 0
	for _, x := range trials {
		n += btoi(x.ops <= at)
	}
	return float64(n) / float64(len(trials))
}

// TestNumbers checks how numbers are written.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percent(1, 3), "33.3 %"}, {percent(2, 3), "66.7 %"}, {percent(99_999, 100_000), "99.9 %"}, {percent(5, 5), "100.0 %"}, {percent(0, 0), "–"},
		{span(1500 * time.Microsecond), "1.5 ms"}, {span(900 * time.Millisecond), "0.9 s"}, {span(61 * time.Second), "1 min 01 s"}, {span(8*time.Hour + 2*time.Minute), "8 h 02 min"}, {span(59960 * time.Millisecond), "1 min 00 s"},
		{clip("äöü", 3), "äöü"}, {clip("äöüx", 3), "äöü …"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
