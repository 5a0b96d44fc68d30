package guided

import (
	"math/rand/v2"
	"testing"
)

// TestLearner requires values whose runs take rare transitions to be drawn more often, others
// still to be drawn, and the same draws for the same seed.
func TestLearner(t *testing.T) {
	count := func() (n [3]int) {
		s := space()
		s.Sizes = [][]int{{0, 1, 2}}
		l, err := NewLearner(s, rand.New(rand.NewPCG(1, 0)))
		if err != nil {
			t.Fatal(err)
		}
		for i := range 600 {
			c, err := l.Next()
			if err != nil {
				t.Fatal(err)
			}
			n[c.Sizes[0]]++
			taken := []int{0} // common
			if c.Sizes[0] == 1 {
				taken = append(taken, 1000+i) // always a new one
			}
			l.Observe(c, Feedback{Taken: taken})
		}
		return n
	}
	n := count()
	// A fifth is uniform, 40 of each value; of the others nearly all are of value 1.
	if n[1] < 450 || n[0] < 35 || n[2] < 35 {
		t.Errorf("draws of the three values: %v", n)
	}
	if again := count(); again != n {
		t.Errorf("the same seed draws %v and %v", n, again)
	}
}
