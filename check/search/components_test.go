package search

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// beside puts histories side by side, with threads and locations of their own
// and a thread that does nothing but wait at a fence.
func beside(parts ...*parse.History) *parse.History {
	h := &parse.History{
		Start: []parse.OpID{0, 1},
		Ops:   []parse.Op{{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}},
	}
	for _, p := range parts {
		first, locs := parse.OpID(len(h.Ops)), int32(len(h.Locations))
		for _, op := range p.Ops {
			if op.Loc >= 0 {
				op.Loc += locs
			}
			if op.RF >= 0 {
				op.RF += first
			}
			h.Ops = append(h.Ops, op)
		}
		for _, s := range p.Start[1:] {
			h.Start = append(h.Start, first+s)
		}
		for _, x := range p.Locations {
			h.Locations = append(h.Locations, x+"'")
		}
	}
	return h
}

// Histories side by side are allowed just if each is, with evidence of the
// whole.
func TestComponents(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 5))
	answers := map[witness.Answer]int{}
	for range many(400) {
		for _, m := range []model.Model{model.SC, model.TSO, model.PSO, model.RMO} {
			var parts []*parse.History
			want := true
			for range 2 + rng.IntN(2) {
				run := histgen.Machine(rng, m, histgen.Params{Threads: 2, Ops: 7, Locations: 2, RMWs: 0.1, Fences: 0.1})
				h := run.History
				if rng.IntN(3) == 0 {
					h = histgen.Mutate(rng, run, 1)
				}
				parts = append(parts, h)
				want = want && brute.Allowed(h, m)
			}
			h := beside(parts...)
			if err := h.Validate(); err != nil {
				t.Fatal(err)
			}
			if n := len(Components(h)); n < len(parts) {
				t.Fatalf("%d components of %d", n, len(parts))
			}
			v, err := Auto.Run(context.Background(), h, m, Limits{})
			if err != nil {
				t.Fatal(err)
			}
			answers[v.Answer]++
			if (v.Answer == witness.Allowed) != want {
				t.Fatalf("%s: %v, want allowed: %v", m.Name, v.Answer, want)
			}
			if want {
				err = witness.Replay(h, m, v.Order)
			} else {
				err = witness.Verify(h, m, v.Refutation)
			}
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
		}
	}
	if answers[witness.Allowed] < 20 || answers[witness.Forbidden] < 20 {
		t.Errorf("answers %v: too few of a kind", answers)
	}
}
