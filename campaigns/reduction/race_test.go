package reduction

import (
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/rundir"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/gen/wire"
	"ordeal/parse"
)

// TestViolatedRounds counts the rounds in which a thread reads a location backwards,
// however often it does so in a round, and those whose refutation has no load that could
// be left out as one.
func TestViolatedRounds(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x y\nthread 0\nstore x 1\nthread 1\nload x\nload x\nload x\nload x\nthread 2\nexchange y 2\nthread 3\nexchange y 3\n"))
	must.Succeed(t, err)
	stored := func(round int) gen.Value { // by the store to x
		if round < 0 {
			return 0
		}
		return gen.Value(round)*p.Stride() + 1
	}
	for _, test := range []struct {
		name   string
		rounds []bool // which are violated
		atomic bool   // both exchanges of the first round read the initial value
		want   int
	}{
		{"first", []bool{true, false, false}, false, 1},
		{"last", []bool{false, false, true}, false, 1},
		{"all", []bool{true, true, true, true}, false, 4},
		{"some", []bool{false, true, false, true, true}, false, 3},
		{"no load", []bool{false}, true, 1},
	} {
		var x, first, second []gen.Value
		last := gen.Value(0)
		for round, violated := range test.rounds {
			before, now := stored(round-1), stored(round)
			if violated {
				x = append(x, now, before, now, before)
			} else {
				x = append(x, before, before, now, now)
			}
			first, second = append(first, last), append(second, gen.Value(round)*p.Stride()+2)
			last = gen.Value(round)*p.Stride() + 3
		}
		if test.atomic {
			second[0] = 0
		}
		w := wire.NewWriter(p, len(test.rounds))
		log := w.AppendThread(nil, 0, nil)
		for thread, values := range [][]gen.Value{x, first, second} {
			log = w.AppendThread(log, gen.ThreadID(thread+1), values)
		}
		h, err := parse.Native(p, len(test.rounds), w.AppendFinal(log, []gen.Value{stored(len(test.rounds) - 1), last}))
		must.Succeed(t, err)
		v, err := check.Check(t.Context(), h, model.TSO, check.Options{})
		must.Succeed(t, err)
		if v.Answer != check.Forbidden {
			t.Fatalf("%s: %v", test.name, v.Answer)
		}
		var s reducer
		got, err := s.violatedRounds(t.Context(), p, &rundir.Result{History: h, Verdicts: []check.Verdict{v}, Models: []model.Model{model.TSO}})
		must.Succeed(t, err)
		if got != test.want {
			t.Errorf("%s: %d rounds, want %d", test.name, got, test.want)
		}
	}
}

// TestLikely orders settings: what failed in more of its rounds comes first, of equal
// shares that of more rounds, and a shape of which more rounds fit.
func TestLikely(t *testing.T) {
	p, err := gen.Parse("p", []byte("ordeal-program 1\nlayout spread\nlocations x\nthread 0\nstore x 1\nthread 1\nload x\nload x\n"))
	must.Succeed(t, err)
	long := *p
	for range 5 {
		long.Threads = append(long.Threads, p.Threads[1])
	}
	last := 0.0
	for i, s := range []*setting{
		{shape: &long, violated: 0, rounds: 25}, {shape: &long, violated: 0, rounds: 5}, {shape: &long, violated: 1, rounds: 5},
		{shape: &long, violated: 3, rounds: 5}, {shape: &long, violated: 15, rounds: 25}, {shape: p, violated: 15, rounds: 25},
	} {
		if l := s.likely(); l <= last || l >= 1 {
			t.Errorf("setting %d: %g, that before it %g", i, l, last)
		} else {
			last = l
		}
	}
}
