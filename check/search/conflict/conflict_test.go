package conflict_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/conflict"
	"ordeal/check/search/proctest"
	"ordeal/check/witness"
	"ordeal/parse"
)

var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

func agree(t testing.TB, h *parse.History) {
	t.Helper()
	for _, m := range totals {
		v, err := conflict.Procedure.Run(context.Background(), h, m, search.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		want := witness.Forbidden
		if brute.Allowed(h, m) {
			want = witness.Allowed
		}
		if v.Answer != want {
			t.Fatalf("%s: %v, brute force: %v; %+v", m.Name, v.Answer, want, h)
		}
		if want == witness.Allowed {
			err = witness.Replay(h, m, v.Order)
		} else {
			err = witness.Verify(h, m, v.Refutation)
		}
		if err != nil {
			t.Fatalf("%s: %v; %+v; %+v", m.Name, err, v.Refutation, h)
		}
	}
}

// Every store order of every small history.
func TestAllSmall(t *testing.T) {
	bound := histgen.Bound{Threads: 3, Locations: 2, Ops: 5, Exact: true}
	atomic := histgen.Bound{Threads: 3, Locations: 2, Ops: 4, RMW: true}
	fenced := histgen.Bound{Threads: 2, Locations: 2, Ops: 4, RMW: true, Fences: []parse.FenceMask{
		parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
	}}
	if testing.Short() {
		bound.Ops, atomic.Ops, fenced.Ops = 4, 3, 3
	}
	rng := rand.New(rand.NewPCG(31, 0))
	for _, b := range []histgen.Bound{bound, atomic, fenced} {
		for h := range histgen.All(b) {
			histgen.AddStoreOrder(rng, h)
			h.Final = nil
			agree(t, h)
			h.StoreOrder = nil
		}
	}
}

func TestRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(32, 0))
	n := 2000
	if testing.Short() {
		n = 600
	}
	for i := range n {
		p := histgen.Params{
			Threads: 1 + rng.IntN(4), Ops: 4 + rng.IntN(8), Locations: 1 + rng.IntN(3),
			RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
			Deps: 0.5 * float64(rng.IntN(2)),
		}
		run := histgen.Machine(rng, totals[rng.IntN(4)], p)
		h := histgen.Mutate(rng, run, rng.IntN(3))
		h.StoreOrder = histgen.StoreOrder(h, run.Order)
		if i%3 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		if i%2 == 0 {
			h.Final = histgen.Final(h, run.Order)
		} else if i%5 == 0 {
			histgen.AddFinal(rng, h)
		}
		agree(t, h)
	}
}

// Under RMO no value may depend on itself, though no memory order is at fault.
func TestThinAir(t *testing.T) {
	h := proctest.History("x?1 y=1 y?1 z=1 | z?1 x=1")
	h.Deps = []parse.Dep{{From: 0, To: 1}, {From: 2, To: 3}, {From: 4, To: 5}}
	h.StoreOrder = make([][]parse.OpID, len(h.Locations))
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			h.StoreOrder[op.Loc] = append(h.StoreOrder[op.Loc], parse.OpID(i))
		}
	}
	agree(t, h)
}

func TestNeedsStoreOrder(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(33, 0)), model.SC, histgen.Params{}).History
	v, err := conflict.Procedure.Run(context.Background(), h, model.SC, search.Limits{})
	if err != nil || v.Answer != witness.Unknown || v.Reason == "" {
		t.Fatalf("%v %q %v", v.Answer, v.Reason, err)
	}
}

func BenchmarkConflict(b *testing.B) {
	for _, m := range totals {
		p := histgen.Params{Threads: 16, Ops: 1 << 17, Locations: 64}
		run := histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, p)
		run.History.StoreOrder = histgen.StoreOrder(run.History, run.Order)
		b.Run(fmt.Sprintf("%s/ops=%d", m.Name, p.Ops), func(b *testing.B) {
			for b.Loop() {
				v, err := conflict.Procedure.Run(context.Background(), run.History, m, search.Limits{})
				if err != nil || v.Answer != witness.Allowed {
					b.Fatal(v.Answer, err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Ops), "ns/access")
		})
	}
}
