package suite_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/parse"
)

// Histories of more threads than a machine word has bits: saturation refutes
// what TSOtool's rules refute, whose clocks know nothing of words; and with
// the store order known the default pipeline agrees with A1 to A7, which need
// no clocks.
func TestWide(t *testing.T) {
	saturate, vc, conflict := procedure(t, "saturate"), procedure(t, "vc"), procedure(t, "conflict")
	answers := map[check.Answer]int{}
	for seed := range scale.Of[uint64](12, 16, 60) {
		rng := rand.New(rand.NewPCG(seed, 13))
		threads := 40 + rng.IntN(100)
		p := histgen.Params{
			Threads: threads, Ops: threads * (2 + rng.IntN(8)), Locations: 1 + rng.IntN(24),
			RMWs: 0.1 * float64(rng.IntN(2)), Fences: 0.1 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Writes: 0.2 + 0.3*rng.Float64(), Burst: 1 + rng.IntN(3),
		}
		for i, m := range totals {
			run := histgen.Machine(rng, m, p)
			h := histgen.Mutate(rng, run, rng.IntN(3))
			if i < 2 {
				s, v := decide(t, saturate, h, m, 0), decide(t, vc, h, m, 0)
				answers[s.Answer]++
				if s.Answer != v.Answer {
					t.Fatalf("%s, seed %d: saturate says %v, vc %v\n%s", m.Name, seed, s.Answer, v.Answer, text(h))
				}
			}
			h.StoreOrder = h.Writes(run.Order)
			a, c := auto(t, h, m), decide(t, conflict, h, m, 0)
			if a != c.Answer {
				t.Fatalf("%s, seed %d: auto says %v, conflict %v\n%s", m.Name, seed, a, c.Answer, text(h))
			}
		}
	}
	if answers[check.Forbidden] == 0 || answers[check.Unknown] == 0 {
		t.Errorf("saturation's answers: %v", answers)
	}
}
