package causal_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

var models = []model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WCCM}

func decide(t testing.TB, h *parse.History, m model.Model) witness.Verdict {
	t.Helper()
	v, err := search.Auto.Run(context.Background(), h, m, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// agree decides h under all models and compares with brute force; refutations
// must be accepted.
func agree(t testing.TB, h *parse.History) {
	t.Helper()
	for _, m := range models {
		v := decide(t, h, m)
		if want := brute.Allowed(h, m); (v.Answer == witness.Allowed) != want {
			t.Fatalf("%s: %v; brute force allows: %v; %+v", m.Name, v.Answer, want, h)
		}
		if fixpoint := m.Name == model.CCM.Name || m.Name == model.WCCM.Name; v.Answer == witness.Allowed && !fixpoint {
			if err := witness.ReplayCausal(h, m, v.Order); err != nil {
				t.Fatalf("%s: %v; %+v; %+v", m.Name, err, v.Order, h)
			}
		}
		if v.Answer == witness.Forbidden {
			if err := witness.Verify(h, m, v.Refutation); err != nil {
				t.Fatalf("%s: %v; %+v; %+v", m.Name, err, v.Refutation, h)
			}
		}
	}
}

func TestAllSmall(t *testing.T) {
	fence := []parse.FenceMask{parse.FullFence}
	bounds := []histgen.Bound{{Threads: 3, Locations: 2, Ops: 4, RMW: true, Fences: fence}}
	if !testing.Short() {
		bounds = append(bounds,
			histgen.Bound{Threads: 3, Locations: 2, Ops: 5, Exact: true, Fences: fence},
			histgen.Bound{Threads: 3, Locations: 1, Ops: 5, Exact: true, RMW: true})
	}
	every := scale.Of(0, 47, 5) // of those with five operations
	for i, b := range bounds {
		n := 0
		for h := range histgen.All(b) {
			if n++; i == 0 || n%every == 0 {
				agree(t, h)
			}
		}
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 0))
	totals := []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	for i := range scale.Of(600, 1200, 6000) {
		p := histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 4 + rng.IntN(14), Locations: 1 + rng.IntN(3),
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		}
		if i%4 == 0 {
			agree(t, histgen.Random(rng, p))
			continue
		}
		agree(t, histgen.Mutate(rng, histgen.Machine(rng, totals[rng.IntN(4)], p), rng.IntN(4)))
	}
}

// Larger histories: evidence is accepted, and stronger criteria imply weaker
// ones.
func TestLadder(t *testing.T) {
	rng := rand.New(rand.NewPCG(22, 0))
	n := scale.Of(50, 75, 300)
	counts := map[string]int{}
	for range n {
		p := histgen.Params{Threads: 2 + rng.IntN(6), Ops: 300, Locations: 2 + rng.IntN(8), Burst: 1 + rng.IntN(5),
			RMWs: 0.1 * float64(rng.IntN(2)), Fences: 0.1 * float64(rng.IntN(2))}
		machine := []model.Model{model.SC, model.TSO, model.PSO}[rng.IntN(3)]
		h := histgen.Mutate(rng, histgen.Machine(rng, machine, p), rng.IntN(3))
		allowed := map[string]bool{}
		for _, m := range models {
			v := decide(t, h, m)
			allowed[m.Name] = v.Answer == witness.Allowed
			if allowed[m.Name] {
				counts[m.Name]++
			}
			var err error
			switch {
			case v.Answer == witness.Forbidden:
				err = witness.Verify(h, m, v.Refutation)
			case v.Order != nil:
				err = witness.ReplayCausal(h, m, v.Order)
			}
			if err != nil {
				t.Fatalf("%s: %v", m.Name, err)
			}
		}
		for _, m := range []model.Model{model.SC, model.TSO} {
			if v := decide(t, h, m); v.Answer == witness.Allowed {
				allowed[m.Name] = true
			}
		}
		for _, implies := range [][2]string{{"sc", "ccm"}, {"ccm", "ccv"}, {"ccm", "cm"}, {"ccv", "cc"}, {"cm", "cc"}, {"ccm", "wccm"}, {"tso", "wccm"}} {
			if allowed[implies[0]] && !allowed[implies[1]] {
				t.Fatalf("%s allows and %s forbids %+v", implies[0], implies[1], h)
			}
		}
	}
	for _, m := range models {
		if counts[m.Name] == 0 || counts[m.Name] == n {
			t.Errorf("%s allows %d of %d histories", m.Name, counts[m.Name], n)
		}
	}
}

func BenchmarkCausal(b *testing.B) {
	for _, m := range models {
		machine := model.SC
		if m.Name == model.WCCM.Name {
			machine = model.TSO
		}
		for _, p := range []histgen.Params{
			{Threads: 6, Ops: 800, Locations: 16}, {Threads: 16, Ops: 800, Locations: 16},
			{Threads: 8, Ops: 1 << 15, Locations: 64}, {Threads: 16, Ops: 1 << 15, Locations: 16},
		} {
			h := histgen.Machine(rand.New(rand.NewPCG(1, 1)), machine, p).History
			b.Run(fmt.Sprintf("%s/threads=%d/ops=%d/locations=%d", m.Name, p.Threads, p.Ops, p.Locations), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if v := decide(b, h, m); v.Answer != witness.Allowed {
						b.Fatal(v.Answer)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Ops), "ns/access")
			})
		}
	}
}
