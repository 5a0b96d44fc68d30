package guided

import (
	"bytes"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/gen"
)

func space() *Space {
	return &Space{
		Threads: []int{2, 4}, Ops: []int{20, 60}, Locations: []int{2, 5, 12}, Layouts: gen.Layouts(),
		Mixes:      []gen.Mix{{Load: 50, Store: 50}, {Load: 60, Store: 30, Exchange: 5, Add: 3, Fence: 2}},
		Localities: []float64{0, 0.5}, ShapeShares: []float64{0, 0.5}, Rounds: []int{1, 3}, Sizes: [][]int{{1, 8, 64}, {2, 4}},
	}
}

// ladder is an artificial memory system with 50 transitions that anything takes,
// and further ones that only certain machines and programs take, each on the
// way to the next. Taking the last one is the aim.
func ladder(c *Candidate) (Feedback, bool) {
	f := Feedback{Writers: make([]int, len(c.Program.Locations))}
	for row := range 50 {
		if row < c.Program.Ops() {
			f.Taken = append(f.Taken, row)
		}
	}
	atomics := 0
	for _, ops := range c.Program.Threads {
		for _, op := range ops {
			if op.Kind == gen.Exchange || op.Kind == gen.FetchAdd {
				atomics++
			}
		}
	}
	level := 0
	for _, ok := range []bool{
		c.Sizes[0] == 64, c.Sizes[1] == 2, c.Program.Layout == gen.Conflict, len(c.Program.Locations) == 12, len(c.Program.Threads) == 4,
		c.Rounds == 3, atomics >= 12,
	} {
		if !ok {
			break
		}
		level++
		f.Taken = append(f.Taken, 50+level)
	}
	return f, level == 7
}

// search counts operations until the aim is reached.
func search(t *testing.T, seed uint64, guided bool, most int) int {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 9))
	s, err := NewSearch(space(), rng)
	if err != nil {
		t.Fatal(err)
	}
	ops := 0
	for range most {
		c, err := s.Next()
		if !guided {
			c, err = space().Random(rng)
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := c.Program.ValidateRounds(c.Rounds); err != nil {
			t.Fatal(err)
		}
		ops += c.Ops()
		f, done := ladder(c)
		if done {
			return ops
		}
		if guided {
			s.Observe(c, f)
		}
	}
	return ops
}

// TestFeedbackHelps requires the aim to be reached with a fraction of the
// operations that chance needs: each step there is one transition more.
func TestFeedbackHelps(t *testing.T) {
	var with, without []int
	for seed := range uint64(15) {
		with = append(with, search(t, seed, true, 2000))
		without = append(without, search(t, seed, false, 2000))
	}
	slices.Sort(with)
	slices.Sort(without)
	t.Logf("operations: guided %v, random %v", with, without)
	if 3*with[7] > without[7] {
		t.Errorf("the median is %d operations with feedback, %d without", with[7], without[7])
	}
}

// TestSame requires a search to be a function of its seed and feedback.
func TestSame(t *testing.T) {
	run := func() []byte {
		s, err := NewSearch(space(), rand.New(rand.NewPCG(3, 3)))
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		for range 200 {
			c, err := s.Next()
			if err != nil {
				t.Fatal(err)
			}
			all = append(all, c.Program.Text()...)
			f, _ := ladder(c)
			s.Observe(c, f)
		}
		return all
	}
	if !bytes.Equal(run(), run()) {
		t.Error("two searches with one seed differ")
	}
}

// TestCross requires children whose operations are those of their parents, but
// for some, on the first parent's locations.
func TestCross(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	s, err := NewSearch(space(), rng)
	if err != nil {
		t.Fatal(err)
	}
	parents := make([]member, 2)
	for i := range parents {
		c, err := s.space.Random(rng)
		if err != nil {
			t.Fatal(err)
		}
		parents[i] = member{c, Feedback{Writers: make([]int, len(c.Program.Locations))}}
	}
	a, b := &parents[0], &parents[1]
	for l := range a.f.Writers {
		a.f.Writers[l] = len(a.f.Writers) - l // the first half raced
	}
	child := &Candidate{Program: a.c.Program, Rounds: 1, options: a.c.options}
	if err := s.cross(child, a, b); err != nil {
		t.Fatal(err)
	}
	kept, racing := 0, 0
	for thread, ops := range a.c.Program.Threads {
		for i, op := range ops {
			if op.Kind == gen.FullFence || op.Kind == gen.Delay || int(op.Loc) >= (len(a.f.Writers)+1)/2 {
				continue
			}
			racing++
			if got := child.Program.Threads[thread][i]; got.Kind == op.Kind && got.Loc == op.Loc {
				kept++
			}
		}
	}
	if racing < 10 || float64(kept) < 0.75*float64(racing) {
		t.Errorf("%d of %d operations on locations that raced are kept", kept, racing)
	}
}

func TestValidate(t *testing.T) {
	bad := space()
	bad.Layouts, bad.Sizes = nil, [][]int{{1}, {}}
	if err := bad.Validate(); err == nil || len(err.Error()) < 40 {
		t.Errorf("error is %v", err)
	}
	if _, err := NewSearch(bad, nil); err == nil {
		t.Error("a space with nothing to choose from is searched")
	}
}

// TestCrowd requires programs of many threads to be short, and others to be as long as drawn.
func TestCrowd(t *testing.T) {
	s := space()
	s.Threads, s.Ops, s.Rounds, s.Crowd, s.CrowdOps = []int{4, 16, 64}, []int{60}, []int{10}, 16, 1000
	rng, seen := rand.New(rand.NewPCG(1, 1)), map[int]int{}
	for range 60 {
		c, err := s.Random(rng)
		if err != nil {
			t.Fatal(err)
		}
		seen[len(c.Program.Threads)] = max(seen[len(c.Program.Threads)], c.Ops())
	}
	if seen[4] < 2000 || seen[16] > 1100 || seen[64] > 1100 || seen[16] < 700 || seen[64] < 700 {
		t.Errorf("most operations by threads: %v", seen)
	}
}
