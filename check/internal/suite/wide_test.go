package suite_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/parse"
)

// Histories of more threads than a machine word has bits: saturation refutes
// what TSOtool's rules refute, whose clocks know nothing of words; and with
// the store order known the default pipeline agrees with A1 to A7, which need
// no clocks.
func TestWide(t *testing.T) {
	saturate, ok1 := check.Procedure("saturate")
	vc, ok2 := check.Procedure("vc")
	conflict, ok3 := check.Procedure("conflict")
	if !(ok1 && ok2 && ok3) {
		t.Fatal("a procedure is not listed")
	}
	n := 60
	if testing.Short() {
		n = 12
	}
	answers := map[check.Answer]int{}
	for seed := range uint64(n) {
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
				s, v := judge(t, saturate, h, m, 0), judge(t, vc, h, m, 0)
				answers[s.Answer]++
				if s.Answer != v.Answer {
					t.Fatalf("%s, seed %d: saturate says %v, vc %v\n%s", m.Name, seed, s.Answer, v.Answer, text(h))
				}
			}
			h.StoreOrder = histgen.StoreOrder(h, run.Order)
			a, c := judge(t, auto(t), h, m, 0), judge(t, conflict, h, m, 0)
			if a.Answer != c.Answer {
				t.Fatalf("%s, seed %d: auto says %v, conflict %v\n%s", m.Name, seed, a.Answer, c.Answer, text(h))
			}
		}
	}
	if answers[check.Forbidden] == 0 || answers[check.Unknown] == 0 {
		t.Errorf("saturation's answers: %v", answers)
	}
}
