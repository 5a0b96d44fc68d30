package search

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// At every cut, the history is allowed just if both sides are.
func TestCuts(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 1))
	places, forbidden := 0, 0
	for range 600 {
		m := model.SC
		if rng.IntN(2) == 0 {
			m = model.TSO
		}
		p := histgen.Params{Threads: 2 + rng.IntN(2), Ops: 7 + rng.IntN(3), Locations: 1 + rng.IntN(3), RMWs: 0.1, Fences: 0.1}
		run := histgen.Machine(rng, m, p)
		h := run.History
		if rng.IntN(3) > 0 {
			h = histgen.Mutate(rng, run, 1)
		}
		g, err := saturate.Build(h, m)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := g.Saturate(context.Background()); err != nil || !ok {
			continue // nothing is left to cut
		}
		nodes := swept(g)
		want := brute.Allowed(h, m)
		for _, n := range cuts(g, nodes, 1) {
			places++
			before, after := windowOf(g, nodes, 0, n), windowOf(g, nodes, n, len(nodes))
			got := brute.Allowed(before.History(), m) && brute.Allowed(after.History(), m)
			if got != want {
				t.Fatalf("%s: cut at %d of %d: sides allowed %v, whole %v\n%v", m.Name, n, len(nodes), got, want, h.Ops)
			}
		}
		if !want {
			forbidden++
		}
	}
	if places < 500 {
		t.Errorf("only %d cuts were found", places)
	}
	t.Logf("%d cuts, %d histories that only search forbids", places, forbidden)
}

// A value that only the writes of one side can hide forces nothing on the
// other: in the reduction of a formula that one variable satisfies, a prefix
// could end in the value that must come last, and the rest begin with it.
func TestPitfallCutHidesWrites(t *testing.T) {
	for _, f := range []histgen.CNF{{{1, 1, 1}}, {{-1, -1, -1}}} {
		h := histgen.FromCNF(f, false)
		g := graphOf(t, h, model.SC)
		if g == nil {
			t.Fatalf("%v: saturation refutes a satisfiable formula", f)
		}
		nodes := swept(g)
		for _, n := range cuts(g, nodes, 1) {
			for _, part := range []saturate.Part{windowOf(g, nodes, 0, n), windowOf(g, nodes, n, len(nodes))} {
				if v, err := Auto.Run(t.Context(), part.History(), model.SC, Limits{}); err != nil || v.Answer != witness.Allowed {
					t.Errorf("%v: cut at %d of %d: a side is %v (%v)", f, n, len(nodes), v.Answer, err)
				}
			}
		}
	}
}

// What is hard lies in a window of its own, whether it can be done or not,
// and whatever random operations are around it.
func TestDecompose(t *testing.T) {
	for seed := range uint64(6) {
		rng := rand.New(rand.NewPCG(seed, 2))
		f := histgen.RandomCNF(rng, 8, []int{24, 40}[seed%2])
		for _, m := range []model.Model{model.SC, model.TSO} {
			h, _ := histgen.Embed(rng, histgen.FromCNF(f, m.Name != model.SC.Name), m,
				histgen.Params{Threads: 4, Ops: 4000, Locations: 8})
			v := witness.Verdict{Model: m.Name}
			g, err := saturated(t.Context(), h, m, Limits{}, nil, &v)
			if err != nil {
				t.Fatal(err)
			}
			if g != nil {
				if len(cuts(g, swept(g), minWindow)) == 0 {
					t.Errorf("seed %d, %s: no cut", seed, m.Name)
				}
				if err = decompose(t.Context(), g, nil, Limits{}, &v); err != nil {
					t.Fatal(err)
				}
			}
			want := witness.Forbidden
			if f.Satisfiable() {
				want = witness.Allowed
			}
			if v.Answer != want {
				t.Fatalf("seed %d, %s: %v (%s), want %v", seed, m.Name, v.Answer, v.Reason, want)
			}
			if v.Answer == witness.Allowed {
				err = witness.Replay(h, m, v.Order)
			} else {
				err = witness.Verify(h, m, v.Refutation)
			}
			if err != nil {
				t.Errorf("seed %d, %s: %v", seed, m.Name, err)
			}
		}
	}
}

// A refutation of a window becomes one of the whole, also where its tree has
// the same leaf in several places.
func TestDecomposeLiftsSharedLeaves(t *testing.T) {
	core, _ := histgen.Kernel{Pairs: 2, Conflicts: 5, Forbid: true}.History()
	h, _ := histgen.Embed(rand.New(rand.NewPCG(1, 3)), core, model.SC, histgen.Params{Threads: 8, Ops: 4000, Locations: 8})
	g := graphOf(t, h, model.SC)
	v := witness.Verdict{Model: model.SC.Name}
	if err := decompose(t.Context(), g, nil, Limits{}, &v); err != nil || v.Answer != witness.Forbidden {
		t.Fatal(err, v.Answer)
	}
	if len(cuts(g, swept(g), minWindow)) == 0 || v.Refutation.Root.First == nil {
		t.Error("the history has no cut, or needs no case splits")
	}
	accepted(t, h, model.SC, v)
}
