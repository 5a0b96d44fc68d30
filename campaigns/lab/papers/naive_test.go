package papers

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/campaigns/internal/must"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/gen"
	"ordeal/parse"
)

// atomics turns some writes into read-modify-writes of the same value, and
// puts a fence into each thread now and then.
func atomics(rng *rand.Rand, h *parse.History) {
	list := h.Writes(nil)
	for i := range h.Ops {
		op := &h.Ops[i]
		switch {
		case op.Kind == parse.Write && rng.IntN(4) == 0:
			writers := append([]parse.OpID{parse.Init}, list[op.Loc]...)
			if w := writers[rng.IntN(len(writers))]; w != parse.OpID(i) {
				op.Kind = parse.RMW
				returns(h, parse.OpID(i), w)
			}
		case op.Kind == parse.Read && rng.IntN(6) == 0:
			*op = parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
		}
	}
}

// The baseline refutes what the procedures with the same rules refute.
func TestBaselineRefutes(t *testing.T) {
	ctx := context.Background()
	rng := rand.New(rand.NewPCG(1, 3))
	refuted, n := 0, 0
	for range 3000 {
		h := anyReads(rng, 2+rng.IntN(3), 6+rng.IntN(14), 1+rng.IntN(3))
		if rng.IntN(2) == 0 {
			valid, order := executed(rng, 2+rng.IntN(3), 6+rng.IntN(14), 1+rng.IntN(3))
			h = rewire(rng, valid, order)
		}
		atomics(rng, h)
		if h.Validate() != nil {
			continue
		}
		got, err := refutes(ctx, h)
		must.Succeed(t, err)
		for _, procedure := range []string{"vc", "saturate"} {
			v, err := check.Check(ctx, h, model.TSO, check.Options{Procedure: procedure})
			must.Succeed(t, err)
			if want := v.Answer == check.Forbidden; got != want {
				t.Fatalf("refuted %v, by %s %v; %+v", got, procedure, want, h)
			}
		}
		if n++; got {
			refuted++
		}
	}
	if n < 1000 {
		t.Errorf("%d histories are valid, want 1000", n)
	}
	if refuted < n/5 || refuted > n*4/5 {
		t.Errorf("%d of %d refuted: too few or too many", refuted, n)
	}
}

func TestBaselineStops(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	h, _ := executed(rand.New(rand.NewPCG(1, 4)), 4, 400, 4)
	if _, err := refutes(ctx, h); !errors.Is(err, context.Canceled) {
		t.Errorf("%v, want %v", err, context.Canceled)
	}
}

// Violations differ from the valid history in a few reads, whose new writers
// are near the old ones.
func TestRewire(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 5))
	changes := map[int]int{}
	farthest := 0
	for n := range 200 {
		h, order := executed(rng, 3, 60, 3)
		before := append([]parse.Op(nil), h.Ops...)
		out := rewire(rng, h, order)
		must.Succeed(t, out.Validate())
		position := map[parse.OpID]int{parse.Init: 0}
		last := make([]int, len(h.Locations))
		for _, id := range order {
			if op := &h.Ops[id]; op.Kind == parse.Write {
				last[op.Loc]++
				position[id] = last[op.Loc]
			}
		}
		changed := 0
		for i := range h.Ops {
			if before[i] != h.Ops[i] {
				t.Fatalf("operation %d of the original has changed", i)
			}
			if out.Ops[i] == h.Ops[i] {
				continue
			}
			changed++
			far := position[out.Ops[i].RF] - position[h.Ops[i].RF]
			if far < 0 {
				far = -far
			}
			if farthest = max(farthest, far); far == 0 || h.Ops[i].Kind != parse.Read {
				t.Fatalf("operation %d: %+v became %+v", i, h.Ops[i], out.Ops[i])
			}
		}
		changes[changed]++
		r := sample{history: h, number: n}
		v, ok, err := violate(context.Background(), &r, order)
		if err != nil || !ok {
			t.Fatalf("no violation: %v", err)
		}
		if verdict, err := check.Check(context.Background(), v.history, model.SC, check.Options{}); err != nil || verdict.Answer != check.Forbidden {
			t.Fatalf("%v %v, want forbidden", verdict.Answer, err)
		}
	}
	if changes[rewiredReads] != 200 || farthest != rewiredDistance {
		t.Errorf("reads changed: %v, want %d in each; farthest %d, want %d", changes, rewiredReads, farthest, rewiredDistance)
	}
}

// A history that nothing can violate is left out.
func TestViolateInVain(t *testing.T) {
	h := &parse.History{
		Ops:   []parse.Op{{Kind: parse.Write, Write: gen.Value(1), RF: parse.NoOp}},
		Start: []parse.OpID{0, 1}, ThreadNames: []string{"0"}, Locations: []string{"x"},
	}
	r := sample{history: h}
	if _, ok, err := violate(context.Background(), &r, []parse.OpID{0}); ok || err != nil {
		t.Errorf("%v %v", ok, err)
	}
}
