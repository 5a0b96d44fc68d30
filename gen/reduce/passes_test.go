package reduce

import (
	"math"
	"slices"
	"strings"
	"testing"

	"ordeal/gen"
)

// parsed is a program whose text lacks its first line.
func parsed(t *testing.T, text string) *gen.Program {
	t.Helper()
	p, err := gen.Parse("p", []byte("ordeal-program 1\n"+text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// some says whether an operation of a candidate has a property.
func some(property func(op gen.Op) bool) func(*Candidate) bool {
	return func(c *Candidate) bool {
		return slices.ContainsFunc(slices.Concat(c.Program.Threads...), property)
	}
}

// sequence gives the locations of a program's operations, in order.
func sequence(c *Candidate) []gen.LocID {
	var all []gen.LocID
	for _, op := range slices.Concat(c.Program.Threads...) {
		all = append(all, op.Loc)
	}
	return all
}

// distinct counts the locations that operations name.
func distinct(c *Candidate) int {
	all := sequence(c)
	slices.Sort(all)
	return len(slices.Compact(all))
}

// TestPasses has for each pass a failure that no other makes so small, and the smallest
// program that fails so. The start stays as it is.
func TestPasses(t *testing.T) {
	dozen := "layout spread\nlocations a1 a2 a3 a4 a5 a6 a7 a8 a9 a10 a11 a12\nthread 0\n"
	named := "layout spread\nlocations x y z w u v a b c d e f\nthread 0\n"
	for i := range 12 {
		location := string(rune('1' + i))
		if i >= 9 {
			location = "1" + string(rune('0'+i-9))
		}
		dozen += "load a" + location + "\n"
		named += "load " + letters[i] + "\n"
	}
	for _, c := range []struct {
		name   string
		rounds int
		start  string
		fails  func(*Candidate) bool
		want   string
		left   int // rounds
		most   int // candidates; a search that tries each number of rounds needs more
	}{
		{"rounds", 400, "layout spread\nlocations x\nthread 0\nload x\n",
			func(c *Candidate) bool { return c.Rounds >= 7 },
			"layout spread\nlocations x\nthread 0\nload x\n", 7, 40},
		{"two rounds", 2, "layout spread\nlocations x\nthread 0\nload x\n",
			func(c *Candidate) bool { return c.Program.Ops() == 1 },
			"layout spread\nlocations x\nthread 0\nload x\n", 1, 10},
		{"delay", 1, "layout spread\nlocations x\nthread 0\ndelay 200\nload x\n",
			func(c *Candidate) bool {
				return some(func(op gen.Op) bool { return op.Kind == gen.Delay && op.Value >= 5 })(c) && some(func(op gen.Op) bool { return op.Kind == gen.Load })(c)
			},
			"layout spread\nlocations x\nthread 0\ndelay 6\nload x\n", 1, math.MaxInt},
		{"short delay", 1, "layout spread\nlocations x\nthread 0\ndelay 2\nload x\n",
			func(c *Candidate) bool { return c.Program.Ops() == 2 && c.Program.Threads[0][0].Kind == gen.Delay },
			"layout spread\nlocations x\nthread 0\ndelay 1\nload x\n", 1, math.MaxInt},
		{"load of an exchange", 1, "layout spread\nlocations x\nthread 0\nexchange x 4\n", some(func(op gen.Op) bool { return op.Kind.Reads() }),
			"layout spread\nlocations x\nthread 0\nload x\n", 1, math.MaxInt},
		{"store of an exchange", 1, "layout spread\nlocations x\nthread 0\nexchange x 4\n", some(func(op gen.Op) bool { return op.Kind.Writes() }),
			"layout spread\nlocations x\nthread 0\nstore x 1\n", 1, math.MaxInt},
		{"load of an addition", 1, "layout spread\nlocations x\nthread 0\nadd x 4\n", some(func(op gen.Op) bool { return op.Kind.Reads() }),
			"layout spread\nlocations x\nthread 0\nload x\n", 1, math.MaxInt},
		{"store of an addition", 1, "layout spread\nlocations x\nthread 0\nadd x 4\n", some(func(op gen.Op) bool { return op.Kind.Writes() }),
			"layout spread\nlocations x\nthread 0\nstore x 1\n", 1, math.MaxInt},
		{"a fence stays one", 1, "layout spread\nlocations x\nthread 0\nload x\nfence\nload x\n",
			func(c *Candidate) bool {
				return c.Program.Ops() == 3 && c.Program.Threads[0][1].Kind != gen.Load && c.Program.Threads[0][1].Kind != gen.Store
			},
			"layout spread\nlocations x\nthread 0\nload x\nfence\nload x\n", 1, math.MaxInt},
		{"one location", 1, "layout spread\nlocations x y z\nthread 0\nload x\nload y\nload z\n",
			func(c *Candidate) bool { return c.Program.Ops() == 3 },
			"layout spread\nlocations x\nthread 0\nload x\nload x\nload x\n", 1, math.MaxInt},
		{"the last two locations", 1, "layout spread\nlocations x y z\nthread 0\nload x\nload y\nload z\n",
			func(c *Candidate) bool { s := sequence(c); return len(s) == 3 && s[0] != s[2] },
			"layout spread\nlocations x y\nthread 0\nload x\nload y\nload y\n", 1, math.MaxInt},
		{"twelve names", 1, dozen, func(c *Candidate) bool { return distinct(c) == 12 }, named, 1, math.MaxInt},
		{"a device", 1, "layout spread\nlocations x\nthread 0\nload x\nthread 1 dma\nload x\nthread 2\nload x\n",
			func(c *Candidate) bool { return c.Program.CountAgents(gen.AgentDMA) == 1 },
			"layout spread\nlocations x\nthread 0 dma\nload x\n", 1, math.MaxInt},
		{"a dependency", 1, "isa aarch64\nlayout spread\nlocations x y\nthread 0\nload x\nstore y 1 data 1\n",
			some(func(op gen.Op) bool { return op.Kind == gen.Store }),
			"isa aarch64\nlayout spread\nlocations x\nthread 0\nstore x 1\n", 1, math.MaxInt},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := parsed(t, c.start)
			before := start.String()
			res, err := Run(t.Context(), Candidate{Program: start, Rounds: c.rounds}, predicate(c.fails))
			if err != nil || !res.Minimal {
				t.Fatal(err)
			}
			if got := strings.TrimPrefix(res.Best.Program.String(), "ordeal-program 1\n"); got != c.want || res.Best.Rounds != c.left {
				t.Errorf("%d rounds, want %d, of\n%s\nwant\n%s", res.Best.Rounds, c.left, got, c.want)
			}
			if got, want := res.Best.Ops(), res.Best.Program.Ops()*c.left; got != want {
				t.Errorf("%d operations of all rounds, want %d", got, want)
			}
			if res.Tried > c.most {
				t.Errorf("%d candidates, want at most %d", res.Tried, c.most)
			}
			if start.String() != before {
				t.Errorf("the start is changed to\n%s", start)
			}
		})
	}
}

// TestUnrollLimit requires that rounds are not written out into large programs.
func TestUnrollLimit(t *testing.T) {
	start := parsed(t, "layout spread\nlocations x y\nthread 0\nload x\nload y\n")
	_, err := Run(t.Context(), Candidate{Program: start, Rounds: maxUnrolled}, predicate(func(c *Candidate) bool {
		if c.Program.Ops() > maxUnrolled {
			t.Errorf("a program of %d operations is tried", c.Program.Ops())
		}
		return c.Rounds == maxUnrolled && c.Program.Ops() == 2
	}))
	if err != nil {
		t.Error(err)
	}
}

// TestLocations requires that the accesses to other locations go all at once: reduced
// operation by operation a program of 240 needs some hundred candidates.
func TestLocations(t *testing.T) {
	start := program(t, 5, 3, 80, 8)
	accesses := func(p *gen.Program, name string) (n int) {
		for _, op := range slices.Concat(p.Threads...) {
			if (op.Kind.Reads() || op.Kind.Writes()) && p.Locations[op.Loc] == name {
				n++
			}
		}
		return n
	}
	all, asked, alone := accesses(start, start.Locations[2]), 0, 0
	if _, err := Run(t.Context(), Candidate{Program: start, Rounds: 1}, predicate(func(c *Candidate) bool {
		if asked++; alone == 0 && distinct(c) == 1 {
			alone = asked
		}
		return accesses(c.Program, start.Locations[2]) == all
	})); err != nil || alone == 0 || alone > 20 {
		t.Errorf("%v: the location is alone after %d candidates, want 20 at most", err, alone)
	}
}

// TestExtract leaves out threads before and after those of a hint.
func TestExtract(t *testing.T) {
	p := parsed(t, "layout spread\nlocations x y\nthread 0\nload x\nthread 1\nstore y 7\nload x\nthread 2\nload y\n")
	want := "ordeal-program 1\nlayout spread\nlocations y\nthread 0\nstore y 1\n"
	if got := Extract(p, Hint{{}, {0}, {}}).String(); got != want {
		t.Errorf("extracted\n%s\nwant\n%s", got, want)
	}
}
