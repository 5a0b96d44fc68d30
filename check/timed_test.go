package check_test

import (
	"bytes"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Linearizability against enumeration, on runs with times and mutants of them.
func TestLinearizable(t *testing.T) {
	runs := scale.Of(1500, 1500, 30_000)
	seen := map[check.Answer]int{}
	timeMatters := 0
	for seed := range uint64(runs) {
		rng := rand.New(rand.NewPCG(seed, 17))
		run := histgen.Machine(rng, model.SC, histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 2 + rng.IntN(5), Locations: 1 + rng.IntN(3), RMWs: float64(rng.IntN(3)) * 0.2,
		})
		h := histgen.Timed(rng, run, rng.Int64N(30), rng.IntN(2) == 0)
		if rng.IntN(4) > 0 {
			run.History = h
			mutant := histgen.Mutate(rng, run, 1+rng.IntN(2))
			mutant.Times = h.Times
			h = mutant
		}
		v, err := check.Check(t.Context(), h, model.Linearizable, check.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if want := brute.Allowed(h, model.Linearizable); want != (v.Answer == check.Allowed) || v.Answer == check.Unknown {
			t.Fatalf("seed %d: %v %s, brute force %v\n%v\n%v", seed, v.Answer, v.Reason, want, h.Ops, h.Times)
		}
		seen[v.Answer]++
		if v.Answer == check.Forbidden && brute.Allowed(h, model.SC) {
			timeMatters++
		}
	}
	if seen[check.Allowed] < runs/4 || seen[check.Forbidden] < runs/10 || timeMatters < runs/20 {
		t.Errorf("answers %v, %d because of real time only", seen, timeMatters)
	}
}

// The first examples of Porcupine's register test: a read overlaps the write of
// 100 and returns 0, after another has returned 100, in the second one not.
func TestLinearizableRegister(t *testing.T) {
	register := func(times ...parse.Interval) *parse.History {
		return &parse.History{
			Ops: []parse.Op{
				{Kind: parse.Write, RF: parse.NoOp, Write: 100},
				{Kind: parse.Read, RF: 0, Read: 100},
				{Kind: parse.Read, RF: parse.Init},
			},
			Start: []parse.OpID{0, 1, 2, 3}, ThreadNames: []string{"0", "1", "2"}, Locations: []string{"x"}, Times: times,
		}
	}
	for _, c := range []struct {
		h    *parse.History
		want check.Answer
	}{
		{register(parse.Interval{Call: 0, Return: 100}, parse.Interval{Call: 25, Return: 75}, parse.Interval{Call: 30, Return: 60}), check.Allowed},
		{register(parse.Interval{Call: 0, Return: 100}, parse.Interval{Call: 10, Return: 30}, parse.Interval{Call: 40, Return: 90}), check.Forbidden},
		{register(parse.Interval{Call: 0, Return: 100}, parse.Interval{Call: 10, Return: 40}, parse.Interval{Call: 40, Return: 90}), check.Allowed}, // closed intervals
		{register(parse.Interval{Call: 0, Return: parse.Pending}, parse.Interval{Call: 10, Return: 39}, parse.Interval{Call: 40, Return: 90}), check.Forbidden},
		{register(), check.Unknown},
	} {
		v, err := check.Check(t.Context(), c.h, model.Linearizable, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Answer != c.want {
			t.Errorf("%v: %v %s, want %v", c.h.Times, v.Answer, v.Reason, c.want)
		}
		var b bytes.Buffer
		if err := check.Explain(&b, c.h, model.Linearizable, &v); err != nil {
			t.Fatal(err)
		}
		if c.want == check.Forbidden && !strings.Contains(b.String(), "is called at 40") {
			t.Errorf("explanation:\n%s", b.String())
		}
	}
}

// What the two checkers of evidence refuse under real time.
func TestTimedEvidence(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, RF: parse.NoOp, Write: 1},
			{Kind: parse.Read, RF: parse.Init},
		},
		Start: []parse.OpID{0, 1, 2}, ThreadNames: []string{"0", "1"}, Locations: []string{"x"},
		Times: []parse.Interval{{Call: 1, Return: 2}, {Call: 3, Return: 4}},
	}
	if witness.Replay(h, model.Linearizable, &witness.Order{Ops: []parse.OpID{1, 0}}) == nil {
		t.Error("an order against real time is accepted")
	}
	edge := func(from, to parse.OpID, rule witness.Rule) witness.Edge {
		return witness.Edge{From: from, To: to, Rule: rule, Via: parse.NoOp, Lemma: -1}
	}
	ref := &witness.Refutation{Root: &witness.Node{Cycle: []witness.Edge{edge(0, 1, witness.RealTime), edge(1, 0, witness.FromRead)}}}
	if err := witness.Verify(h, model.Linearizable, ref); err != nil {
		t.Error(err)
	}
	if witness.Verify(h, model.SC, ref) == nil {
		t.Error("SC has no real time")
	}
	h.Times[1].Call = 2 // now they overlap
	if witness.Verify(h, model.Linearizable, ref) == nil {
		t.Error("overlapping operations are not ordered")
	}
	h.Times = nil
	if witness.Verify(h, model.Linearizable, ref) == nil || witness.Replay(h, model.Linearizable, &witness.Order{Ops: []parse.OpID{1, 0}}) == nil {
		t.Error("a history without times has evidence")
	}
}
