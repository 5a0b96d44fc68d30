package html

import (
	"math"
	"strconv"
)

// scale maps values to places on an axis.
type scale struct {
	low, high float64 // values at the ends
	from, to  float64 // places of the ends, in pixels
	log       bool
}

// at is the place of a value; values beyond the ends are at them.
func (s *scale) at(v float64) float64 {
	v = min(max(v, s.low), s.high)
	low, high := s.low, s.high
	if s.log {
		v, low, high = math.Log(v), math.Log(low), math.Log(high)
	}
	if high == low {
		return s.from
	}
	return s.from + (v-low)/(high-low)*(s.to-s.from)
}

// tick is a mark on an axis.
type tick struct {
	value float64
	label string
}

// linear is a scale from 0 to at least high whose ticks are round numbers,
// about count of them.
func linear(high float64, count int, from, to float64) (scale, []tick) {
	if !(high > 0) {
		high = 1
	}
	step := roundStep(high / float64(count))
	top := math.Ceil(high/step-1e-9) * step
	var ticks []tick
	for i := 0; float64(i)*step <= top*(1+1e-9); i++ {
		ticks = append(ticks, tick{float64(i) * step, short(float64(i) * step)})
	}
	return scale{0, top, from, to, false}, ticks
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

// clock is a linear scale of seconds from 0 to high, with ticks that divide
// minutes and hours, and the name of its unit.
func clock(high float64, count int, from, to float64) (s scale, ticks []tick, unit string) {
	least, per := high/float64(count), 1.0
	switch {
	case high >= 3*3600:
		per, unit = 3600, "hours"
	case high >= 3*60:
		per, unit = 60, "minutes"
	case high > 0 && high < 0.5:
		per, unit = 1e-3, "milliseconds"
	default:
		unit = "seconds"
	}
	if !(high > 0) {
		high, least = 1, 0.25
	}
	step := per * roundStep(least/per)
	if per >= 60 {
		for _, nice := range []float64{60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400} {
			if nice >= least {
				step = nice
				break
			}
		}
	}
	for i := 0; float64(i)*step <= high*(1+1e-9); i++ {
		v := float64(i) * step
		ticks = append(ticks, tick{v, strconv.FormatFloat(v/per, 'g', 6, 64)})
	}
	return scale{0, high, from, to, false}, ticks, unit
}

// logarithmic is a scale whose ends are powers of ten around low and high,
// with a tick at each power.
func logarithmic(low, high float64, from, to float64) (scale, []tick) {
	low, high = max(low, 1), max(high, 1)
	first, last := math.Floor(math.Log10(low)+1e-9), math.Ceil(math.Log10(high)-1e-9)
	if last <= first {
		last = first + 1
	}
	var ticks []tick
	for e := first; e <= last; e++ {
		ticks = append(ticks, tick{math.Pow(10, e), short(math.Pow(10, e))})
	}
	return scale{math.Pow(10, first), math.Pow(10, last), from, to, true}, ticks
}
