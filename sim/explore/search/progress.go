package search

import "math"

// estimateLevels is the number of levels that an estimate is made from.
const estimateLevels = 8

// estimate is the number of states that the growth of the levels lets expect, 0
// if it does not slow down yet. The quotients of the sizes of neighbouring
// levels fall roughly exponentially once a search is past its beginning, as
// those of binomial coefficients do; they are continued until the levels are
// empty.
func estimate(levels []uint64) uint64 {
	if len(levels) <= estimateLevels {
		return 0
	}
	// The line of least squares through the logarithms of the last quotients.
	var sx, sy, sxx, sxy float64
	last := levels[len(levels)-estimateLevels-1:]
	for i := range estimateLevels {
		x, y := float64(i), math.Log(float64(last[i+1])/float64(last[i]))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	const n = float64(estimateLevels)
	slope := (n*sxy - sx*sy) / (n*sxx - sx*sx)
	start := (sy - slope*sx) / n
	if slope >= 0 {
		return 0
	}
	total := 0.0
	for _, l := range levels {
		total += float64(l)
	}
	level := float64(last[estimateLevels])
	for x := n; level >= 1; x++ {
		level *= math.Exp(start + slope*x)
		total += level
	}
	return uint64(total)
}
