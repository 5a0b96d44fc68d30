// Package proctest holds the tests that every procedure must pass: it agrees
// with brute force on small histories, and with the default pipeline on larger
// ones, and its evidence is accepted.
package proctest

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Totals are the models with a global memory order.
var Totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

// Run judges h and has the evidence checked. A complete procedure must not
// answer Unknown; Forbidden without a refutation is a failure only where
// needsRefutation says so.
func Run(t testing.TB, p search.Procedure, h *parse.History, m model.Model) witness.Verdict {
	t.Helper()
	v, err := p.Run(context.Background(), h, m, search.Limits{})
	if err != nil {
		t.Fatalf("%s %s: %v; %+v", p.Name, m.Name, err, h)
	}
	switch {
	case v.Answer == witness.Allowed:
		err = witness.Replay(h, m, v.Order)
	case v.Answer == witness.Forbidden && v.Refutation != nil:
		err = witness.Verify(h, m, v.Refutation)
	case v.Answer == witness.Unknown && (p.Complete || v.Reason == ""):
		err = fmt.Errorf("unknown: %q", v.Reason)
	}
	if err != nil {
		t.Fatalf("%s %s: %v; %+v; %+v", p.Name, m.Name, err, v.Refutation, h)
	}
	return v
}

// Brute compares a verdict with brute force; it reports whether the
// procedure decided.
func Brute(t testing.TB, p search.Procedure, h *parse.History, m model.Model) bool {
	t.Helper()
	v := Run(t, p, h, m)
	if v.Answer == witness.Unknown {
		return false
	}
	if want := brute.Allowed(h, m); (v.Answer == witness.Allowed) != want {
		t.Fatalf("%s %s: %v; brute force allows: %v; %+v", p.Name, m.Name, v.Answer, want, h)
	}
	return true
}

// Small compares procedures with brute force on all histories up to a bound,
// and on random ones with dependencies, final values and store orders. It
// returns the shares of histories that each procedure decided.
func Small(t *testing.T, procedures ...search.Procedure) map[string]float64 {
	decided, judged := map[string]int{}, map[string]int{}
	judge := func(h *parse.History) {
		for _, p := range procedures {
			for _, m := range Totals {
				if p.Claims(m) {
					judged[p.Name]++
					if Brute(t, p, h, m) {
						decided[p.Name]++
					}
				}
			}
		}
	}
	full := []parse.FenceMask{parse.FullFence}
	bounds := []histgen.Bound{
		{Threads: 3, Locations: 2, Ops: 4, RMW: true},
		{Threads: 3, Locations: 2, Ops: 5, Exact: true, Fences: full},
		{Threads: 2, Locations: 2, Ops: 4, RMW: true, Fences: []parse.FenceMask{
			parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
		}},
	}
	random := 2000
	if testing.Short() {
		bounds, random = bounds[:1], 300
		bounds[0].Ops = 3
	}
	for _, b := range bounds {
		for h := range histgen.All(b) {
			judge(h)
		}
	}
	// There are 458,528 histories of five operations with RMWs and fences:
	// judge some of them.
	i := 0
	for h := range histgen.All(histgen.Bound{Threads: 3, Locations: 2, Ops: 5, Exact: true, RMW: true, Fences: full}) {
		if i++; i%97 == 0 && !testing.Short() {
			judge(h)
		}
	}
	rng := rand.New(rand.NewPCG(41, 0))
	for i := range random {
		p := histgen.Params{
			Threads: 2 + rng.IntN(3), Ops: 5 + rng.IntN(4), Locations: 2 + rng.IntN(2), Writes: 0.4,
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Deps: 0.5 * float64(rng.IntN(2)),
		}
		run := histgen.Machine(rng, Totals[rng.IntN(4)], p)
		h := histgen.Mutate(rng, run, rng.IntN(4))
		if i%4 == 0 {
			h = histgen.Random(rng, p)
		}
		if i%3 == 0 {
			histgen.AddFinal(rng, h)
		}
		if i%5 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		judge(h)
	}
	out := map[string]float64{}
	for _, p := range procedures {
		out[p.Name] = float64(decided[p.Name]) / float64(judged[p.Name])
	}
	return out
}

// Hard compares complete procedures with brute force on histories that
// saturation does not decide, and on one whose values come out of thin air.
func Hard(t *testing.T, procedures ...search.Procedure) {
	split, _ := histgen.SplitNeeded()
	thin := History("x?1 y=1 y?1 z=1 | z?1 x=1")
	thin.Deps = []parse.Dep{{From: 0, To: 1}, {From: 2, To: 3}, {From: 4, To: 5}}
	histories := []*parse.History{split, thin}
	for _, forbid := range []bool{false, true} {
		for _, fences := range []bool{false, true} {
			h, _ := histgen.Kernel{Pairs: 1, Conflicts: 2, Forbid: forbid, Fences: fences}.History()
			histories = append(histories, h)
		}
	}
	for _, h := range histories {
		for _, p := range procedures {
			for _, m := range Totals {
				if p.Claims(m) && !Brute(t, p, h, m) {
					t.Errorf("%s %s does not decide %+v", p.Name, m.Name, h)
				}
			}
		}
	}
}

// Large compares procedures with the default pipeline on n random histories
// of so many operations.
func Large(t *testing.T, n, ops int, procedures ...search.Procedure) {
	rng := rand.New(rand.NewPCG(42, 0))
	for range n {
		m := Totals[rng.IntN(4)]
		p := histgen.Params{
			Threads: 2 + rng.IntN(4), Ops: ops, Locations: 2 + rng.IntN(6),
			RMWs: 0.1 * float64(rng.IntN(2)), Fences: 0.1 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(4),
		}
		h := histgen.Mutate(rng, histgen.Machine(rng, m, p), rng.IntN(3))
		want := Run(t, search.Auto, h, m)
		for _, proc := range procedures {
			if !proc.Claims(m) {
				continue
			}
			if v := Run(t, proc, h, m); v.Answer != want.Answer && v.Answer != witness.Unknown && want.Answer != witness.Unknown {
				t.Fatalf("%s %s: %v, %s: %v; %+v", proc.Name, m.Name, v.Answer, search.Auto.Name, want.Answer, h)
			}
		}
	}
}

// Bench measures a procedure on consistent runs of the machine of m.
func Bench(b *testing.B, p search.Procedure, m model.Model, threads, ops, locations int) {
	run := histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, histgen.Params{Threads: threads, Ops: ops, Locations: locations})
	b.Run(fmt.Sprintf("%s/%s/threads=%d/ops=%d", p.Name, m.Name, threads, ops), func(b *testing.B) {
		for b.Loop() {
			v, err := p.Run(context.Background(), run.History, m, search.Limits{})
			if err != nil || v.Answer == witness.Forbidden {
				b.Fatal(v.Answer, err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*ops), "ns/access")
	})
}
