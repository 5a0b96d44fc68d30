package witness

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/parse"
)

// What is left of a history refutes itself just as well, and is well formed.
func TestRestrict(t *testing.T) {
	rng := rand.New(rand.NewPCG(41, 0))
	smaller := 0
	for i := range 600 {
		h := smallRandom(rng, 6+rng.IntN(6))
		if i == 0 {
			h, _ = histgen.SplitNeeded()
		}
		for _, m := range totals {
			ref := newProver(rng, h, m).prove(true)
			if ref == nil {
				continue
			}
			sub, subRef, from := Restrict(h, ref)
			if err := sub.Validate(); err != nil {
				t.Fatalf("%v; %+v of %+v", err, sub, h)
			}
			if err := Verify(sub, m, subRef); err != nil {
				t.Fatalf("%s: %v; %+v of %+v", m.Name, err, sub, h)
			}
			if len(sub.Ops) <= 12 && brute.Allowed(sub, m) {
				t.Fatalf("%s: allows %+v", m.Name, sub)
			}
			for id, old := range from {
				if got, want := name(sub, parse.OpID(id), -1), name(h, old, -1); got != want {
					t.Fatalf("operation %d is %s, want %s", id, got, want)
				}
			}
			if len(sub.Ops) < len(h.Ops) {
				smaller++
			}
		}
	}
	if smaller < 100 {
		t.Errorf("only %d histories lost anything", smaller)
	}
}
