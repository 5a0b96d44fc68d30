package check_test

import (
	"io"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/parse"
)

// Under the models of instruction sets every procedure agrees with relations
// written from their cat files, on random histories with all attributes, and
// check.Check has the evidence accepted.
func TestInstructionSets(t *testing.T) {
	procedures := named(t, "auto saturate greedy sat")
	decided := map[string]int{}
	answers := map[string]int{}
	for seed := range uint64(scale.Of(300, 1000, 200_000)) {
		rng := rand.New(rand.NewPCG(seed, 24))
		p := histgen.Params{
			Threads: 2 + rng.IntN(3), Ops: 4 + rng.IntN(scale.Of(6, 6, 9)), Locations: 1 + rng.IntN(3), Writes: 0.45,
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Burst: 1 + rng.IntN(4), Depth: 1 + rng.IntN(6),
		}
		var h *parse.History
		share := []float64{0, 0.2, 0.4, 0.7}[rng.IntN(4)]
		if rng.IntN(3) == 0 {
			h = histgen.Random(rng, p)
			histgen.Annotate(rng, h, share, true)
		} else {
			m := []model.Model{model.SC, model.PSO, model.RMO}[rng.IntN(3)]
			h = histgen.Mutate(rng, histgen.Machine(rng, m, p), rng.IntN(3))
			histgen.Annotate(rng, h, share, false)
		}
		if slices.ContainsFunc(h.Writes(nil), func(ws []parse.OpID) bool { return len(ws) > 6 }) {
			continue // too many coherence orders
		}
		switch rng.IntN(6) {
		case 0:
			histgen.AddFinal(rng, h)
		case 1:
			histgen.AddStoreOrder(rng, h)
		}
		for _, m := range model.OfInstructionSets() {
			want := check.Forbidden
			if brute.Allowed(m.View(h), m) {
				want = check.Allowed
			}
			answers[m.Name+" "+want.String()]++
			for _, p := range procedures {
				switch got := decide(t, p, h, m); {
				case got != check.Unknown && got != want:
					t.Fatalf("seed %d: %s under %s: %v, brute force: %v\n%s", seed, p.Name, m.Name, got, want, dump(h))
				case got != check.Unknown:
					decided[p.Name]++
				}
			}
		}
	}
	t.Log(decided, answers)
}

// A store follows the sources of all dependencies before it, whichever comes last:
// here y is read behind x, and a branch on x comes after the use of y. Load
// buffering through y is then forbidden.
func TestSourcesOutOfOrder(t *testing.T) {
	const x, y, z, w, a = 0, 1, 2, 3, 4
	read := func(loc int32, rf parse.OpID, value uint64) parse.Op {
		return parse.Op{Kind: parse.Read, Loc: loc, RF: rf, Read: gen.Value(value)}
	}
	h := &parse.History{
		Locations: []string{"x", "y", "z", "w", "a"}, ThreadNames: []string{"0", "1"}, Start: []parse.OpID{0, 5, 8},
		Ops: []parse.Op{
			read(x, parse.Init, 0), read(y, 7, 2), read(z, parse.Init, 0), read(w, parse.Init, 0),
			{Kind: parse.Write, Loc: a, RF: parse.NoOp, Write: 1},
			read(a, 4, 1), {Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp},
			{Kind: parse.Write, Loc: y, RF: parse.NoOp, Write: 2},
		},
		Deps: []parse.Dep{
			{From: 0, To: 1, Kind: parse.DepAddress}, {From: 0, To: 3, Kind: parse.DepControl}, {From: 1, To: 2, Kind: parse.DepAddress},
		},
	}
	forbidden(t, h)
}

func forbidden(t *testing.T, h *parse.History) {
	t.Helper()
	for _, m := range []model.Model{model.Armv8, model.RVWMO} {
		if got := decide(t, named(t, "auto")[0], h, m); got != check.Forbidden {
			t.Errorf("%s: %v, want forbidden", m.Name, got)
		}
	}
}

// A read follows what the own store that it returns was computed from, also where
// both reads are of one location: here message passing through a, whose second
// read acquires.
func TestComputedStoreRead(t *testing.T) {
	const a, y = 0, 1
	forbidden(t, &parse.History{
		Locations: []string{"a", "y"}, ThreadNames: []string{"0", "1"}, Start: []parse.OpID{0, 4, 7},
		Ops: []parse.Op{
			{Kind: parse.Read, Loc: a, RF: 6, Read: 1},
			{Kind: parse.Write, Loc: a, RF: parse.NoOp, Write: 2},
			{Kind: parse.Read, Loc: a, RF: 1, Read: 2, Attr: parse.Acquire},
			{Kind: parse.Read, Loc: y, RF: parse.Init},
			{Kind: parse.Write, Loc: y, RF: parse.NoOp, Write: 1},
			{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp},
			{Kind: parse.Write, Loc: a, RF: parse.NoOp, Write: 1},
		},
		Deps: []parse.Dep{{From: 0, To: 1, Kind: parse.DepData}},
	})
}

// An acquiring load of an own atomic store follows the load of that pair, but not
// the plain store of the thread that the pair's load returns: this may wait in the
// store buffer until another thread has written the location.
func TestPairOfBufferedStore(t *testing.T) {
	const a, y = 0, 1
	h := &parse.History{
		Locations: []string{"a", "y"}, ThreadNames: []string{"0", "1"}, Start: []parse.OpID{0, 5, 8},
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: a, RF: parse.NoOp, Write: 1},
			{Kind: parse.Read, Loc: a, RF: 0, Read: 1},
			{Kind: parse.RMW, Loc: a, RF: 0, Read: 1, Write: 2, Attr: parse.Conditional},
			{Kind: parse.Read, Loc: a, RF: 2, Read: 2, Attr: parse.Acquire},
			{Kind: parse.Read, Loc: y, RF: parse.Init},
			{Kind: parse.Write, Loc: y, RF: parse.NoOp, Write: 3},
			{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp},
			{Kind: parse.Write, Loc: a, RF: parse.NoOp, Write: 4},
		},
		Deps:       []parse.Dep{{From: 1, To: 2, Kind: parse.DepPair}},
		StoreOrder: [][]parse.OpID{{7, 0, 2}, {5}},
	}
	if !brute.Allowed(h, model.Armv8) {
		t.Fatal("the cat file forbids it")
	}
	for _, p := range named(t, "auto greedy sat") {
		if got := decide(t, p, h, model.Armv8); got != check.Allowed {
			t.Errorf("%s: %v, want allowed", p.Name, got)
		}
	}
}

// TestExplainsUnknown explains histories with attributes to every model that forbids them,
// also to those that do not know the attributes: a store-conditional is an atomic
// operation to TSO.
func TestExplainsUnknown(t *testing.T) {
	conditional := cases.Parse("0: { M[x] == 0; M[x] := 1 } conditional\n0: M[y] == 0\n1: { M[y] == 0; M[y] := 1 } conditional\n1: M[x] == 0\n")
	explained := 0
	for seed := range uint64(80) {
		h := conditional
		if rng := rand.New(rand.NewPCG(seed, 25)); seed > 0 {
			h = histgen.Random(rng, histgen.Params{Threads: 2, Ops: 8, Locations: 2, Writes: 0.45, RMWs: 0.4, Burst: 2, Depth: 3})
			histgen.Annotate(rng, h, 0.4, true)
		}
		for _, m := range []model.Model{model.SC, model.TSO, model.PSO, model.RMO, model.RVWMO} {
			v, err := check.Check(t.Context(), h, m, check.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if v.Answer == check.Forbidden {
				explained++
			} else if seed == 0 && m.Name == model.TSO.Name {
				t.Errorf("tso: %v", v.Answer)
			}
			if err := check.Explain(io.Discard, h, m, &v); err != nil {
				t.Fatalf("seed %d: %s: %v\n%s", seed, m.Name, err, dump(h))
			}
		}
	}
	if explained < 100 {
		t.Errorf("only %d answers are explained", explained)
	}
}

// TestRuledBeginning: a long history that violates a model all the time is refuted by
// its beginning, with evidence for the whole, and one that does so in one place is
// forbidden all the same.
func TestRuledBeginning(t *testing.T) {
	for seed := range uint64(scale.Of(2, 4, 100)) {
		rng := rand.New(rand.NewPCG(seed, 33))
		p := histgen.Params{Threads: 8, Ops: 9000, Locations: 16, Writes: 0.4, RMWs: 0.1, Fences: 0.05, Burst: 4, Depth: 6}
		h := histgen.Machine(rng, model.RMO, p).History
		histgen.Annotate(rng, h, 0.3, true)
		once := histgen.Mutate(rng, histgen.Machine(rng, model.SC, p), 1)
		histgen.Annotate(rng, once, 0.3, false)
		for _, m := range []model.Model{model.Armv8, model.RVWMO} {
			v, err := check.Check(t.Context(), h, m, check.Options{})
			if err != nil {
				t.Fatalf("seed %d: %v", seed, err)
			}
			ends := histOps(v.Refutation)
			if v.Answer != check.Forbidden || slices.ContainsFunc(ends, func(id parse.OpID) bool {
				lo, hi := h.Start[h.Thread(id)], h.Start[h.Thread(id)+1]
				return id >= lo+(hi-lo)/16
			}) {
				t.Errorf("seed %d: %s: %v, by operations %v, want forbidden by the first sixteenth of each thread", seed, m.Name, v.Answer, ends)
			}
			if auto, saturate := decide(t, named(t, "auto")[0], once, m), decide(t, named(t, "saturate")[0], once, m); saturate != check.Unknown && auto != saturate {
				t.Errorf("seed %d: %s of one mutation: auto %v, saturate %v", seed, m.Name, auto, saturate)
			}
		}
	}
}

// histOps are the operations that the edges of a refutation join.
func histOps(r *witness.Refutation) (ids []parse.OpID) {
	if r == nil {
		return nil
	}
	for e := range r.Edges() {
		for _, id := range []parse.OpID{e.From, e.To} {
			if id >= 0 {
				ids = append(ids, id)
			}
		}
	}
	return ids
}
