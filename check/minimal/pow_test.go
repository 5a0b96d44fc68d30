package minimal_test

import (
	"io"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/minimal"
	"ordeal/check/model"
	"ordeal/check/witness"
)

// Evidence of a model that splits accesses names events. What is left of it, in a part of the
// history and in its explanation, is about the same ones.
func TestSplitModel(t *testing.T) {
	refuted := 0
	for seed := range uint64(scale.Of(40, 100, 2000)) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := histgen.Params{Threads: 4, Ops: 60, Locations: 3, Writes: 0.5, RMWs: 0.1, Fences: 0.2}
		h := histgen.Mutate(rng, histgen.Machine(rng, model.SC, p), 2)
		v, err := check.Check(t.Context(), h, model.POW, check.Options{})
		if err != nil {
			t.Fatal(err)
		}
		if v.Refutation == nil {
			continue
		}
		refuted++
		if err := check.Explain(io.Discard, h, model.POW, &v); err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		least, err := minimal.Refuted(t.Context(), h, model.POW, v.Refutation, check.Options{})
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		if part, _ := h.Select(least.Ops); len(part.Ops) != len(least.History.Ops) || len(least.Ops) > 12 {
			t.Errorf("seed %d: %d operations are left, numbers of %d", seed, len(least.History.Ops), len(least.Ops))
		}
		v.Refutation = least.Refutation
		if err := witness.Verify(h, model.POW, v.Refutation); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if err := check.Explain(io.Discard, h, model.POW, &v); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
	}
	if t.Log(refuted); refuted < 10 {
		t.Error("nothing tested")
	}
}
