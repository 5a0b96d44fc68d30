package plot

import (
	"math"
)

// Scale maps the values of an axis to places; its zero value has no ticks.
type Scale struct {
	name      string
	low, high float64
	log       bool
	ticks     []tick
}

type tick struct {
	value float64
	label string
}

// at is the place of a value on an axis; values beyond its ends are at them.
func (s *Scale) at(v, from, to float64) float64 {
	v = min(max(v, s.low), s.high)
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high == low {
		return from
	}
	return from + (v-low)/(high-low)*(to-from)
}

// yTicks is about how many ticks a vertical axis has.
const yTicks = 5

// Linear is a scale from 0 to at least high, with ticks at round numbers.
func Linear(name string, high float64, label func(float64) string) Scale {
	if !(high > 0) {
		high = 1
	}
	return linear(name, high, roundStep(high/yTicks), label)
}

// Count is a scale as Linear of numbers of things, with ticks at whole numbers.
func Count(name string, high int, label func(float64) string) Scale {
	return linear(name, float64(max(high, 1)), max(1, roundStep(float64(max(high, 1))/yTicks)), label)
}

func linear(name string, high, step float64, label func(float64) string) Scale {
	s := Scale{name: name, high: math.Ceil(high/step-1e-9) * step}
	for i := 0; float64(i)*step <= s.high*(1+1e-9); i++ {
		s.ticks = append(s.ticks, tick{float64(i) * step, label(float64(i) * step)})
	}
	return s
}

// Percent is a scale of shares from 0 to 1.
func Percent() Scale {
	return Scale{high: 1, ticks: []tick{{0, "0 %"}, {0.25, "25 %"}, {0.5, "50 %"}, {0.75, "75 %"}, {1, "100 %"}}}
}

// roundStep is the least of 1, 2, 5 times a power of ten that is not below a
// number.
func roundStep(least float64) float64 {
	power := math.Pow(10, math.Floor(math.Log10(least)))
	for _, m := range []float64{1, 2, 5} {
		if m*power >= least*(1-1e-9) {
			return m * power
		}
	}
	return 10 * power
}

// Logarithmic is a scale whose ends are the powers of ten around low and high,
// both above 0, with a tick at each power.
func Logarithmic(name string, low, high float64, label func(float64) string) Scale {
	first, last := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(max(low, high))-1e-9)
	last = max(last, first+1)
	s := Scale{name: name, low: math.Pow(10, first), high: math.Pow(10, last), log: true}
	for e := first; e <= last; e++ {
		s.ticks = append(s.ticks, tick{math.Pow(10, e), label(math.Pow(10, e))})
	}
	return s
}
