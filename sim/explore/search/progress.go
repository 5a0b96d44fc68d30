package search

import "math"

// An estimate is made from the later half of the levels, which are at least leastLevels and at most mostLevels.
// One of more than estimateMost times the states that were visited is none.
const (
	leastLevels  = 8
	mostLevels   = 24
	estimateMost = 100
)

// estimate is the number of states that the growth of the levels lets expect, 0
// if it does not slow down yet. The quotients of the sizes of neighbouring
// levels fall roughly exponentially once a search is past its beginning, as
// those of binomial coefficients do; they are continued until the levels are
// empty.
func estimate(levels []uint64) uint64 {
	n := min(max(len(levels)/2, leastLevels), mostLevels)
	if len(levels) <= n {
		return 0
	}
	// The line of least squares through the logarithms of the last quotients.
	var sx, sy, sxx, sxy float64
	last := levels[len(levels)-n-1:]
	for i := range n {
		x, y := float64(i), math.Log(float64(last[i+1])/float64(last[i]))
		sx, sy, sxx, sxy = sx+x, sy+y, sxx+x*x, sxy+x*y
	}
	count := float64(n)
	slope := (count*sxy - sx*sy) / (count*sxx - sx*sx)
	start := (sy - slope*sx) / count
	if slope >= 0 {
		return 0
	}
	total := 0.0
	for _, l := range levels {
		total += float64(l)
	}
	most := estimateMost * total
	level := float64(last[n])
	for x := count; level >= 1; x++ {
		level *= math.Exp(start + slope*x)
		if total += level; total > most {
			return 0
		}
	}
	return uint64(total)
}
