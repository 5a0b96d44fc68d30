package witness_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/internal/scale"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

var totals = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

// someOrder reports whether Replay accepts any order of h's accesses.
func someOrder(h *parse.History, m model.Model) bool {
	return anyOrder(h, func(order *witness.Order) bool { return witness.Replay(h, m, order) == nil })
}

// anyOrder reports whether accept accepts some order of the accesses of h.
func anyOrder(h *parse.History, accept func(*witness.Order) bool) bool {
	var ids []parse.OpID
	for i := range h.Ops {
		if h.Ops[i].Kind != parse.Fence {
			ids = append(ids, parse.OpID(i))
		}
	}
	order := &witness.Order{Ops: ids}
	var rec func(k int) bool
	rec = func(k int) bool {
		if k == len(ids) {
			return accept(order)
		}
		for i := k; i < len(ids); i++ {
			ids[k], ids[i] = ids[i], ids[k]
			ok := rec(k + 1)
			ids[k], ids[i] = ids[i], ids[k]
			if ok {
				return true
			}
		}
		return false
	}
	return rec(0)
}

func checkAgainstBrute(t *testing.T, h *parse.History) {
	t.Helper()
	for _, m := range totals {
		if got, want := someOrder(h, m), brute.Allowed(h, m); got != want {
			t.Fatalf("%s: some order is accepted: %v; brute force allows: %v; %+v", m.Name, got, want, h)
		}
	}
}

// Replay accepts some order exactly when brute force allows the history.
func TestReplayOnAllSmall(t *testing.T) {
	bound := histgen.Bound{Threads: 3, Locations: 2, Ops: 3, RMW: true, Fences: []parse.FenceMask{
		parse.FullFence, parse.StoreStore, parse.StoreLoad, parse.LoadLoad, parse.LoadStore,
	}}
	for h := range histgen.All(bound) {
		checkAgainstBrute(t, h)
	}
	if testing.Short() {
		return
	}
	bound.Ops, bound.Exact = 4, true
	for h := range histgen.Every(scale.Of(0, 29, 3), histgen.All(bound)) {
		checkAgainstBrute(t, h)
	}
}

// The same with dependencies, final values and store orders, at random.
func TestReplayOnRandom(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 0))
	n := scale.Of(150, 150, 1000)
	for i := range n {
		p := histgen.Params{
			Threads: 2 + rng.IntN(2), Ops: 5 + rng.IntN(2), Locations: 1 + rng.IntN(2),
			RMWs: 0.1, Fences: 0.2, Mask: parse.FenceMask(1 + rng.IntN(15)), Deps: 0.5,
		}
		run := histgen.Machine(rng, totals[rng.IntN(4)], p)
		h := histgen.Mutate(rng, run, rng.IntN(3))
		if i%3 == 0 {
			histgen.AddFinal(rng, h)
		}
		if i%4 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		checkAgainstBrute(t, h)
	}
}

// And on the named cases that are small.
func TestReplayOnCases(t *testing.T) {
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range all {
		if len(c.History.Ops) <= 6 {
			checkAgainstBrute(t, c.History)
		}
	}
}

func randomParams(rng *rand.Rand) histgen.Params {
	return histgen.Params{
		Threads: 1 + rng.IntN(6), Ops: 200, Locations: 1 + rng.IntN(8), RMWs: 0.1 * float64(rng.IntN(2)),
		Fences: 0.1 * float64(rng.IntN(2)), Mask: parse.FenceMask(1 + rng.IntN(15)),
		Deps: 0.5 * float64(rng.IntN(2)), Burst: 1 + rng.IntN(20), Stagger: rng.IntN(2) * 40, Depth: 1 + rng.IntN(20),
	}
}

// Every machine's own order is accepted.
func TestReplayMachines(t *testing.T) {
	rng := rand.New(rand.NewPCG(12, 0))
	for range 400 {
		p := randomParams(rng)
		for _, m := range totals {
			run := histgen.Machine(rng, m, p)
			h := run.History
			h.Final = histgen.Final(h, run.Order)
			h.StoreOrder = h.Writes(run.Order)
			if err := witness.Replay(h, m, &witness.Order{Ops: run.Order}); err != nil {
				t.Fatalf("%s %+v: %v", m.Name, p, err)
			}
		}
	}
}

// Orders that are no orders of the operations are refused, by name.
func TestReplayMalformed(t *testing.T) {
	h := &parse.History{
		Ops: []parse.Op{
			{Kind: parse.Write, Loc: 0, RF: parse.NoOp, Write: 1},
			{Kind: parse.Fence, Loc: -1, RF: parse.NoOp, Mask: parse.FullFence},
			{Kind: parse.Read, Loc: 0, RF: 0, Read: 1},
		},
		Start: []parse.OpID{0, 3}, ThreadNames: []string{"0"}, Locations: []string{"x"},
	}
	for _, tc := range []struct {
		ops  []parse.OpID
		want string
	}{
		{[]parse.OpID{0, 2}, "<nil>"},
		{[]parse.OpID{2, 0}, "thread 0: M[x] == 1: overtakes the same thread's M[x] := 1"},
		{[]parse.OpID{0}, "thread 0: M[x] == 1: is missing"},
		{[]parse.OpID{0, 0, 2}, "thread 0: M[x] := 1: stands twice"},
		{[]parse.OpID{0, 1, 2}, "1 is no access"},
		{[]parse.OpID{0, 3}, "3 is no access"},
		{[]parse.OpID{-1}, "-1 is no access"},
	} {
		err := witness.Replay(h, model.TSO, &witness.Order{Ops: tc.ops})
		if !strings.Contains(fmt.Sprint(err), tc.want) {
			t.Errorf("order %v: %v, want %q", tc.ops, err, tc.want)
		}
	}
	if witness.Replay(h, model.CC, &witness.Order{}) == nil {
		t.Error("a causal model is accepted")
	}
	if witness.Replay(h, model.SC, nil) == nil {
		t.Error("no order is accepted")
	}
}

func BenchmarkReplay(b *testing.B) {
	for _, m := range totals {
		for _, p := range []histgen.Params{
			{Threads: 4, Ops: 1 << 20, Locations: 16},
			{Threads: 64, Ops: 1 << 20, Locations: 64, RMWs: 0.02, Fences: 0.02},
		} {
			run := histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, p)
			order := &witness.Order{Ops: run.Order}
			b.Run(fmt.Sprintf("%s/threads=%d", m.Name, p.Threads), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					if err := witness.Replay(run.History, m, order); err != nil {
						b.Fatal(err)
					}
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Ops), "ns/access")
			})
		}
	}
}
