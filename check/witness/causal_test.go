package witness_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// ReplayCausal accepts some order exactly when brute force allows the
// history: for CM with two threads, all pairs of serializations are tried.
func TestReplayCausalOnSmall(t *testing.T) {
	bound := histgen.Bound{Threads: 2, Locations: 2, Ops: scale.Of(3, 3, 4), RMW: true}
	for h := range histgen.All(bound) {
		for _, m := range []model.Model{model.CC, model.CCv} {
			if got, want := anyOrder(h, func(o *witness.Order) bool { return witness.ReplayCausal(h, m, o) == nil }), brute.Allowed(h, m); got != want {
				t.Fatalf("%s: some order is accepted: %v; brute force allows: %v; %+v", m.Name, got, want, h)
			}
		}
	}
}

// No random list of operations makes CM allow what brute force forbids.
func TestReplayCausalMemory(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 0))
	accepted := 0
	for range 5000 {
		h := histgen.Random(rng, histgen.Params{Threads: 2, Ops: 4, Locations: 1})
		// A serialization of each thread: a random interleaving, cut behind
		// the thread's last operation.
		var ops []parse.OpID
		for t := range 2 {
			next := [2]parse.OpID{h.Start[0], h.Start[1]}
			for next[t] < h.Start[t+1] {
				s := rng.IntN(2)
				if next[s] < h.Start[s+1] {
					ops = append(ops, next[s])
					next[s]++
				}
			}
		}
		if witness.ReplayCausal(h, model.CM, &witness.Order{Ops: ops}) == nil {
			accepted++
			if !brute.Allowed(h, model.CM) {
				t.Fatalf("accepts %v; %+v", ops, h)
			}
		}
	}
	if accepted == 0 {
		t.Error("nothing was accepted")
	}
}
