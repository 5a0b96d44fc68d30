package html

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
)

// TestWilson compares intervals with those that Newcombe (Statistics in
// Medicine 1998, Table I, method 3) prints.
func TestWilson(t *testing.T) {
	for _, c := range []struct {
		k, n      int
		low, high float64
	}{{81, 263, 0.2553, 0.3662}, {15, 148, 0.0624, 0.1605}, {0, 20, 0, 0.1611}, {1, 29, 0.0061, 0.1718}} {
		low, high := wilson(c.k, c.n)
		if math.Abs(low-c.low) > 5e-5 || math.Abs(high-c.high) > 5e-5 {
			t.Errorf("wilson(%d, %d) = %.4f, %.4f, want %.4f, %.4f", c.k, c.n, low, high, c.low, c.high)
		}
	}
}

// TestCaughtBy compares curves with the product over all trials, one by one,
// that the estimate is defined by; without censoring it is plain counting.
func TestCaughtBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for range 300 {
		var trials []trial
		censoring := rng.IntN(2) == 0
		for range 1 + rng.IntN(12) {
			trials = append(trials, trial{1 + rng.IntN(6), !censoring || rng.IntN(3) > 0})
		}
		curve := caughtBy(trials)
		for at := range 8 {
			survive := 1.0
			for ops := 1; ops <= at; ops++ {
				risk, caught := 0, 0
				for _, x := range trials {
					risk += btoi(x.ops >= ops)
					caught += btoi(x.ops == ops && x.caught)
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
			line.add(&journal.Run{At: end, Case: &rundir.Case{Result: rundir.Result{Operations: 10}}})
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

// TestScales checks ticks: round, distinct, few, and within the scale.
func TestScales(t *testing.T) {
	for _, high := range []float64{0, 0.003, 0.4, 1, 7, 59, 61, 200, 4000, 12_345, 100_000, 3e6, 8.1e9} {
		check := func(kind string, s scale, ticks []tick) {
			t.Helper()
			if len(ticks) < 2 || len(ticks) > 14 {
				t.Errorf("%s to %g: %d ticks", kind, high, len(ticks))
			}
			labels := map[string]bool{}
			for i, x := range ticks {
				if labels[x.label] || len(x.label) > 6 {
					t.Errorf("%s to %g: label %q", kind, high, x.label)
				}
				labels[x.label] = true
				if at := s.at(x.value); at < s.from-1e-9 || at > s.to+1e-9 || i > 0 && at <= s.at(ticks[i-1].value) {
					t.Errorf("%s to %g: tick %g at %g", kind, high, x.value, at)
				}
			}
			if s.high < high {
				t.Errorf("%s to %g ends at %g", kind, high, s.high)
			}
		}
		s, ticks := linear(high, 4, 50, 950)
		check("linear", s, ticks)
		if high < 1e9 { // a century
			s, ticks, unit := clock(high, 8, 50, 950)
			check("clock", s, ticks)
			if !strings.HasSuffix(unit, "s") {
				t.Errorf("clock to %g: unit %q", high, unit)
			}
		}
		s, ticks = logarithmic(3, high, 50, 950)
		check("logarithmic", s, ticks)
	}
}

// TestNumbers checks how numbers are written.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{short(0), "0"}, {short(7), "7"}, {short(0.5), "0.5"}, {short(999), "999"}, {short(1000), "1k"}, {short(1234), "1.2k"}, {short(12_345), "12k"}, {short(999_499), "999k"}, {short(999_600), "1.0M"}, {short(5.12e9), "5.1G"},
		{messages.Comma(0), "0"}, {messages.Comma(999), "999"}, {messages.Comma(1_234_567), "1,234,567"}, {messages.Comma(-1234), "-1,234"},
		{percent(1, 3), "33.3 %"}, {percent(2, 3), "66.7 %"}, {percent(99_999, 100_000), "99.9 %"}, {percent(5, 5), "100.0 %"}, {percent(0, 0), "–"},
		{messages.Plural(1, "run"), "1 run"}, {messages.Plural(2000, "run"), "2,000 runs"}, {messages.Plural(2, "canary"), "2 canaries"},
		{span(1500 * time.Microsecond), "1.5 ms"}, {span(900 * time.Millisecond), "0.9 s"}, {span(61 * time.Second), "1 min 01 s"}, {span(8*time.Hour + 2*time.Minute), "8 h 02 min"}, {span(59960 * time.Millisecond), "1 min 00 s"},
		{clip("äöü", 3), "äöü"}, {clip("äöüx", 3), "äöü …"},
		{rate(0.25), "0.2"}, {rate(12.34), "12.3"}, {rate(12345.6), "12,346"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
