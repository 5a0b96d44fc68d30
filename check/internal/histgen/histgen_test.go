package histgen_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// Generating twice gives the same history and leaves the same random state.
func TestDeterminism(t *testing.T) {
	make2 := func() (histgen.Run, *parse.History, uint64) {
		rng := rand.New(rand.NewPCG(5, 5))
		p := histgen.Params{Ops: 500, RMWs: 0.1, Fences: 0.1, Deps: 0.2, Burst: 3, Stagger: 50}
		run := histgen.Machine(rng, model.RMO, p)
		return run, histgen.Mutate(rng, run, 5), rng.Uint64()
	}
	run1, mut1, s1 := make2()
	run2, mut2, s2 := make2()
	ignore := cmpopts.IgnoreUnexported(parse.History{})
	if d := cmp.Diff(run1, run2, ignore); d != "" || s1 != s2 {
		t.Error(d, s1, s2)
	}
	if d := cmp.Diff(mut1, mut2, ignore); d != "" {
		t.Error(d)
	}
}

// The number of histories with two operations, counted by hand: on one
// location, threads {ab} and {a b} with a, b of R W; R reads Init or any
// write. One thread: RR 1, RW 2, WR 2, WW 1. Two threads, unordered: RR 1,
// RW 2, WW 1.
func TestAllCounts(t *testing.T) {
	n := 0
	for range histgen.All(histgen.Bound{Threads: 2, Locations: 1, Ops: 2, Exact: true}) {
		n++
	}
	if n != 10 {
		t.Errorf("%d histories, want 10", n)
	}
}

func BenchmarkMachine(b *testing.B) {
	for _, m := range []model.Model{model.SC, model.TSO, model.PSO, model.RMO} {
		b.Run(m.Name, func(b *testing.B) {
			p := histgen.Params{Threads: 8, Ops: 1 << 20, Locations: 64}
			for b.Loop() {
				histgen.Machine(rand.New(rand.NewPCG(1, 1)), m, p)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*p.Ops), "ns/access")
		})
	}
}

func ExampleAll() {
	bound := histgen.Bound{Threads: 2, Locations: 1, Ops: 2, Exact: true}
	n := 0
	for h := range histgen.All(bound) {
		if h.Threads() == 1 {
			n++
		}
	}
	fmt.Println(n)
	// Output: 6
}
