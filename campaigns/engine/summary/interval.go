package summary

import "math"

// Wilson is the interval that holds a share of which k of n were seen, with a
// confidence of 95 % (Wilson, J. Am. Stat. Assoc. 1927). n is positive.
func Wilson(k, n int) (low, high float64) {
	const z = 1.959964
	p, m := float64(k)/float64(n), float64(n)
	centre := (p + z*z/(2*m)) / (1 + z*z/m)
	half := z / (1 + z*z/m) * math.Sqrt(p*(1-p)/m+z*z/(4*m*m))
	return max(centre-half, 0), min(centre+half, 1)
}
