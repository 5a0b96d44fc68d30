package reduce

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/gen"
)

// program is a random program.
func program(t testing.TB, seed uint64, threads, ops, locations int) *gen.Program {
	t.Helper()
	o := gen.Defaults()
	o.Threads, o.Ops, o.Locations = threads, ops, locations
	o.Layout = gen.Conflict
	p, err := gen.Random(rand.New(rand.NewPCG(seed, 0)), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// passing says whether two threads pass a message: one stores to two
// different locations, another loads them in the opposite order.
func passing(c *Candidate) bool {
	for t, writer := range c.Program.Threads {
		for i, first := range writer {
			for _, second := range writer[i+1:] {
				if first.Kind != gen.Store || second.Kind != gen.Store || first.Loc == second.Loc {
					continue
				}
				for u, reader := range c.Program.Threads {
					if u != t && loads(reader, second.Loc, first.Loc) {
						return true
					}
				}
			}
		}
	}
	return false
}

// loads says whether a thread loads two locations in this order.
func loads(ops []gen.Op, first, second gen.LocID) bool {
	i := slices.IndexFunc(ops, func(op gen.Op) bool { return op.Kind == gen.Load && op.Loc == first })
	return i >= 0 && slices.ContainsFunc(ops[i:], func(op gen.Op) bool { return op.Kind == gen.Load && op.Loc == second })
}

// predicate makes options of a function that never errs.
func predicate(f func(*Candidate) bool) Options {
	return Options{Fails: func(_ context.Context, c *Candidate) (bool, error) { return f(c), nil }}
}

// TestRun reduces programs that pass messages, and requires the smallest such
// program whatever the start.
func TestRun(t *testing.T) {
	for seed := range uint64(20) {
		start := Candidate{Program: program(t, seed, 5, 60, 8), Rounds: 9, Sizes: []int{4}}
		before := string(start.Program.Text())
		o := predicate(passing)
		o.Sizes = []Size{{"ways", []int{1, 2, 4}}}
		res, err := Run(t.Context(), start, o)
		if err != nil || !res.Minimal {
			t.Fatalf("seed %d: %v", seed, err)
		}
		p := res.Best.Program
		if !passing(&res.Best) || p.Ops() != 4 || len(p.Threads) != 2 || len(p.Locations) != 2 ||
			res.Best.Rounds != 1 || res.Best.Sizes[0] != 1 || p.Layout != gen.Spread {
			t.Errorf("seed %d: reduced to %d rounds, ways %v of\n%s", seed, res.Best.Rounds, res.Best.Sizes, p.Text())
		}
		if p.Locations[0] != "x" || !strings.Contains(string(p.Text()), "store x 1") && !strings.Contains(string(p.Text()), "store y 1") {
			t.Errorf("seed %d: not for readers:\n%s", seed, p.Text())
		}
		if string(start.Program.Text()) != before {
			t.Fatalf("seed %d: the start was changed", seed)
		}
	}
}

// TestMinimal leaves out every single part of results of a predicate that
// only counts, and requires none of the rest to fail.
func TestMinimal(t *testing.T) {
	for seed := range uint64(10) {
		random := rand.New(rand.NewPCG(seed, 1))
		loads, stores := 1+random.IntN(4), 1+random.IntN(4)
		fails := func(c *Candidate) bool {
			n, m := 0, 0
			for _, ops := range c.Program.Threads {
				for _, op := range ops {
					if op.Kind == gen.Load {
						n++
					} else if op.Kind.Writes() {
						m++
					}
				}
			}
			return n >= loads && m >= stores
		}
		res, err := Run(t.Context(), Candidate{Program: program(t, seed, 4, 50, 6), Rounds: 2}, predicate(fails))
		if err != nil {
			t.Fatal(err)
		}
		if got := res.Best.Program.Ops(); got != loads+stores {
			t.Errorf("seed %d: %d operations left of %d", seed, got, loads+stores)
		}
	}
}

// TestUnroll requires operations of different rounds to be distinguished.
func TestUnroll(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nload y\n"))
	if err != nil {
		t.Fatal(err)
	}
	// A load, and behind it a store of the same thread.
	fails := func(c *Candidate) bool {
		for _, ops := range c.Program.Threads {
			for i := range len(ops) * c.Rounds {
				for j := i; j < len(ops)*c.Rounds; j++ {
					if ops[i%len(ops)].Kind == gen.Load && ops[j%len(ops)].Kind == gen.Store {
						return true
					}
				}
			}
		}
		return false
	}
	res, err := Run(t.Context(), Candidate{Program: p, Rounds: 5}, predicate(fails))
	if err != nil {
		t.Fatal(err)
	}
	if r, n := res.Best.Rounds, res.Best.Program.Ops(); r != 1 || n != 2 {
		t.Errorf("%d rounds of %d operations, want 1 of 2:\n%s", r, n, res.Best.Program.Text())
	}
}

// TestHints requires the first set of operations that fails to be taken.
func TestHints(t *testing.T) {
	start := Candidate{Program: program(t, 3, 3, 40, 4), Rounds: 3}
	var asked []int
	fails := func(c *Candidate) bool {
		asked = append(asked, c.Ops())
		return c.Ops() >= 7
	}
	o := predicate(fails)
	o.Hints = []Hint{{{0, 1}, {2}, {41}}, {{0, 1, 80}, {2, 3}, {41, 50}}, {{}, {}, {0, 1, 2, 3, 4, 5, 6, 7}}}
	res, err := Run(t.Context(), start, o)
	if err != nil || res.Best.Ops() != 7 {
		t.Errorf("%v: %d operations left", err, res.Best.Ops())
	}
	if slices.Contains(asked, 8) {
		t.Errorf("a set is tried after one that fails: %v", asked)
	}
	if diff := cmp.Diff([]int{4, 7}, asked[min(len(asked), 1):min(len(asked), 3)]); diff != "" {
		t.Errorf("operations of the programs asked for second and third (-want +got):\n%s", diff)
	}
}

// TestStops requires the best so far when the budget or the time is used up or
// the predicate fails.
func TestStops(t *testing.T) {
	start := Candidate{Program: program(t, 1, 4, 40, 6), Rounds: 4}
	broken := errors.New("broken")
	for _, stop := range []error{ErrBudget, broken, context.Canceled} {
		ctx, cancel := context.WithCancel(t.Context())
		asked := 0
		var best *Candidate
		res, err := Run(ctx, start, Options{
			Fails: func(ctx context.Context, c *Candidate) (bool, error) {
				if asked++; asked == 25 {
					if stop != context.Canceled {
						return false, stop
					}
					cancel()
				}
				return passing(c), nil
			},
			OnBest: func(b *Candidate) { best = b },
		})
		cancel()
		if stop == ErrBudget && err != nil || stop != ErrBudget && !errors.Is(err, stop) {
			t.Errorf("%v: ended with %v", stop, err)
		}
		if asked != 25 {
			t.Errorf("%v: asked %d times, want none after it", stop, asked)
		}
		if res.Minimal {
			t.Errorf("%v: the best is said to be minimal", stop)
		}
		if best == nil || res.Best.hash() != best.hash() {
			t.Errorf("%v: the best is not the last one reported", stop)
		}
		if !passing(&res.Best) {
			t.Errorf("%v: the best does not fail", stop)
		}
		if got := res.Best.Ops(); got >= start.Ops() {
			t.Errorf("%v: the best has %d operations, the start %d", stop, got, start.Ops())
		}
	}
	if _, err := Run(t.Context(), start, predicate(func(*Candidate) bool { return false })); err == nil {
		t.Error("a program that does not fail is reduced")
	}
}

// TestOnce requires no candidate to be asked about twice.
func TestOnce(t *testing.T) {
	seen := map[string]bool{}
	fails := func(c *Candidate) bool {
		key := string(c.Program.Text()) + string(rune(c.Rounds))
		if seen[key] {
			t.Errorf("asked twice about %d rounds of\n%s", c.Rounds, c.Program.Text())
		}
		seen[key] = true
		if err := c.Program.ValidateRounds(c.Rounds); err != nil {
			t.Error(err)
		}
		return passing(c)
	}
	res, err := Run(t.Context(), Candidate{Program: program(t, 7, 4, 40, 6), Rounds: 3}, predicate(fails))
	if err != nil {
		t.Fatal(err)
	}
	if res.Tried != len(seen) {
		t.Errorf("%d tried, %d seen", res.Tried, len(seen))
	}
	if res.Same < 1 {
		t.Error("no candidate was the same as another")
	}
}

// TestSubset reduces the parts of predicates drawn at random, and requires no
// single part of what is left to be superfluous.
func TestSubset(t *testing.T) {
	const n = 7
	for seed := range uint64(500) {
		random := rand.New(rand.NewPCG(seed, 2))
		fails := make([]bool, 1<<n)
		for set := range fails {
			fails[set] = random.IntN(3) == 0
		}
		left := 1<<n - 1
		Subset(n, func(keep []int) bool {
			if len(keep) == 0 {
				t.Error("no part at all is tried")
			}
			set := 0
			for _, part := range keep {
				set |= 1 << part
			}
			if fails[set] {
				left = set
			}
			return fails[set]
		})
		for part := range n {
			if rest := left &^ (1 << part); left>>part&1 == 1 && rest != 0 && fails[rest] {
				t.Errorf("seed %d: part %d of %b can go", seed, part, left)
			}
		}
	}
}
