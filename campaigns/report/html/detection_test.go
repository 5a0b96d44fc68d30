package html

import (
	"math"
	"math/rand/v2"
	"testing"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
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

// TestTimeline checks that no run is lost, however long the campaign, and that
// the area below the levels is all operations.
func TestTimeline(t *testing.T) {
	for _, every := range []time.Duration{time.Millisecond, time.Second, 7 * time.Minute} {
		var line timeline
		const runs = 1_000
		end := time.Duration(0)
		for n := range runs {
			end = time.Duration(n+1) * every
			line.add(&journal.Entry{At: end, Result: &run.Result{Operations: 10}})
		}
		if len(line.slots) > maxSlots {
			t.Errorf("every %v: %d slots", every, len(line.slots))
		}
		count, area := 0, 0.0
		for _, s := range line.slots {
			count += s.runs
		}
		// The last run ends when the campaign does.
		levels := line.levels(end.Seconds() + 1e-3)
		for i, l := range levels {
			area += l.rate * (l.to - l.from)
			if i > 0 && l.from != levels[i-1].to {
				t.Errorf("every %v: a gap between %v and %v", every, levels[i-1], l)
			}
		}
		if count != runs || math.Abs(area-10*runs) > 1 {
			t.Errorf("every %v: %d runs and %g operations, want %d and %d", every, count, area, runs, 10*runs)
		}
	}
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
