package compare

import (
	"math"
	"math/big"
	"testing"
)

// TestExactKnown compares with probabilities worked out by hand.
func TestExactKnown(t *testing.T) {
	for _, c := range []struct {
		strata []Stratum
		want   float64
	}{
		// Fisher's lady tasting tea, three of four cups right: 34/70.
		{[]Stratum{{3, 4, 1, 4}}, 34.0 / 70},
		// All four right: 2 of the 70 ways are as extreme.
		{[]Stratum{{4, 4, 0, 4}}, 2.0 / 70},
		// Two tables of one run each, which did in the new campaign both: the sum
		// is binomial, and 0 of 2 is as extreme as 2 of 2.
		{[]Stratum{{0, 1, 1, 1}, {0, 1, 1, 1}}, 0.5},
		{[]Stratum{{0, 0, 5, 10}}, 1},
		{[]Stratum{{0, 10, 0, 10}}, 1},
		{nil, 1},
	} {
		if got := Exact(c.strata); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("%v: %v, want %v", c.strata, got, c.want)
		}
	}
}

// TestExactReference compares with the same thing by counting all ways to choose
// which of the runs that did are old, in whole numbers.
func TestExactReference(t *testing.T) {
	tables := func(most int) (list []Stratum) {
		for oldRuns := 0; oldRuns <= most; oldRuns++ {
			for newRuns := 0; newRuns <= most; newRuns++ {
				for oldDid := 0; oldDid <= oldRuns; oldDid++ {
					for newDid := 0; newDid <= newRuns; newDid++ {
						list = append(list, Stratum{oldDid, oldRuns, newDid, newRuns})
					}
				}
			}
		}
		return list
	}
	check := func(strata []Stratum) {
		if got, want := Exact(strata), counted(strata); math.Abs(got-want) > 1e-9 {
			t.Errorf("%v: %v, want %v", strata, got, want)
		}
	}
	for _, s := range tables(6) {
		check([]Stratum{s})
	}
	few := tables(2)
	for _, a := range few {
		for _, b := range few {
			check([]Stratum{a, b})
		}
	}
	check([]Stratum{{3, 9, 1, 7}, {0, 4, 2, 5}, {5, 8, 1, 3}})
	// As extreme on the other side, but for rounding.
	for runs := 1; runs < 14; runs++ {
		for did := range runs + 1 {
			check([]Stratum{{did, runs, runs - did, runs}, {1, 3, 2, 3}, {runs - did, runs, did, runs}})
			check([]Stratum{{did, runs, runs - did, runs}, {1, 3, 3, 3}, {0, 3, 2, 3}})
		}
	}
}

// counted counts ways.
func counted(strata []Stratum) float64 {
	ways := map[int]*big.Int{0: big.NewInt(1)} // by the number of old ones
	seen := 0
	for _, s := range strata {
		next := make(map[int]*big.Int)
		did := s.OldDid + s.NewDid
		for n, w := range ways {
			for a := range did + 1 {
				if a > s.OldRuns || did-a > s.NewRuns {
					continue
				}
				x := new(big.Int).Mul(new(big.Int).Binomial(int64(s.OldRuns), int64(a)), new(big.Int).Binomial(int64(s.NewRuns), int64(did-a)))
				x.Mul(x, w)
				if next[n+a] == nil {
					next[n+a] = new(big.Int)
				}
				next[n+a].Add(next[n+a], x)
			}
		}
		ways, seen = next, seen+s.OldDid
	}
	all, extreme := new(big.Int), new(big.Int)
	for _, w := range ways {
		all.Add(all, w)
		if w.Cmp(ways[seen]) <= 0 {
			extreme.Add(extreme, w)
		}
	}
	p, _ := new(big.Rat).SetFrac(extreme, all).Float64()
	return p
}

// TestExactLarge requires sensible answers of a large campaign, quickly.
func TestExactLarge(t *testing.T) {
	if p := Exact([]Stratum{{5000, 100000, 5010, 100000}}); p < 0.9 || p > 1 {
		t.Errorf("5000 and 5010 of 100000: %v", p)
	}
	if p := Exact([]Stratum{{5000, 100000, 6000, 100000}, {1, 10, 2, 10}}); p > 1e-12 {
		t.Errorf("5000 and 6000 of 100000: %v", p)
	}
	if p := Exact([]Stratum{{100000, 100000, 0, 100000}}); p > 1e-12 || math.IsNaN(p) {
		t.Errorf("all and none: %v", p)
	}
}

func BenchmarkExact(b *testing.B) {
	for range b.N {
		Exact([]Stratum{{5000, 100000, 5010, 100000}, {300, 100000, 310, 100000}})
	}
}
