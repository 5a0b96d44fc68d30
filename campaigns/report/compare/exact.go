package compare

import "math"

// Significant is the probability of chance below which a difference of rates is
// reported.
const Significant = 0.01

// Stratum is a table of two by two: of the runs of one configuration in the old
// and in the new campaign, how many there are and how many did something.
type Stratum struct{ OldDid, OldRuns, NewDid, NewRuns int }

// negligible bounds the probability that Exact ignores on each side of each
// stratum.
const negligible = 1e-18

// Exact is the probability that the old and the new rate differ by chance at
// least as much as they do, if they are the same within each stratum: Fisher's exact test, two-sided, for one stratum; its exact
// conditional form for several (Gart, Biometrika 1970), whose rates may well
// differ from stratum to stratum. Given how many did in each stratum, how many
// of those are old is hypergeometric; the statistic is their sum. All values of
// it that are at most as probable as the observed one count as extreme.
func Exact(strata []Stratum) float64 {
	sum := distribution{p: []float64{1}}
	seen := 0
	for _, s := range strata {
		sum = sum.plus(hypergeometric(s))
		seen += s.OldDid
	}
	at := sum.at(seen) * (1 + 1e-7) // of rounding
	total := 0.0
	for _, p := range sum.p {
		if p <= at {
			total += p
		}
	}
	return min(total, 1)
}

// distribution is one of integers: p[i] is the probability of low+i.
type distribution struct {
	low int
	p   []float64
}

func (d distribution) at(n int) float64 {
	if i := n - d.low; i >= 0 && i < len(d.p) {
		return d.p[i]
	}
	return 0
}

// trim cuts negligible ends.
func (d distribution) trim() distribution {
	for len(d.p) > 1 && d.p[0] < negligible {
		d.low, d.p = d.low+1, d.p[1:]
	}
	for len(d.p) > 1 && d.p[len(d.p)-1] < negligible {
		d.p = d.p[:len(d.p)-1]
	}
	return d
}

// plus is the distribution of the sum of two independent variables.
func (d distribution) plus(e distribution) distribution {
	sum := distribution{d.low + e.low, make([]float64, len(d.p)+len(e.p)-1)}
	for i, p := range d.p {
		for j, q := range e.p {
			sum.p[i+j] += p * q
		}
	}
	return sum.trim()
}

// hypergeometric is the distribution of OldDid, given the sums of the table.
func hypergeometric(s Stratum) distribution {
	did := s.OldDid + s.NewDid
	d := distribution{low: max(0, did-s.NewRuns)}
	all := choose(s.OldRuns+s.NewRuns, did)
	for a := d.low; a <= min(did, s.OldRuns); a++ {
		d.p = append(d.p, math.Exp(choose(s.OldRuns, a)+choose(s.NewRuns, did-a)-all))
	}
	return d.trim()
}

// choose is the logarithm of the binomial coefficient.
func choose(n, k int) float64 {
	lg := func(n int) float64 { v, _ := math.Lgamma(float64(n) + 1); return v }
	return lg(n) - lg(k) - lg(n-k)
}
