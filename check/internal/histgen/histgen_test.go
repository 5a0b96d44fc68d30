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
	type generated struct {
		Run    histgen.Run
		Mutant *parse.History
		Random uint64
	}
	generate := func() generated {
		rng := rand.New(rand.NewPCG(5, 5))
		p := histgen.Params{Ops: 500, RMWs: 0.1, Fences: 0.1, Deps: 0.2, Burst: 3, Stagger: 50}
		run := histgen.Machine(rng, model.RMO, p)
		return generated{run, histgen.Mutate(rng, run, 5), rng.Uint64()}
	}
	if d := cmp.Diff(generate(), generate(), cmpopts.IgnoreUnexported(parse.History{})); d != "" {
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

// Whatever is made is well formed.
func TestValid(t *testing.T) {
	valid := func(what string, h *parse.History) {
		t.Helper()
		if err := h.Validate(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	rng := rand.New(rand.NewPCG(6, 6))
	p := histgen.Params{Threads: 5, Ops: 300, RMWs: 0.2, Fences: 0.1, Deps: 0.3, Mask: parse.LoadLoad}
	for _, m := range []model.Model{model.SC, model.TSO, model.PSO, model.RMO} {
		run := histgen.Machine(rng, m, p)
		valid("machine", run.History)
		h := histgen.Mutate(rng, run, 20)
		histgen.AddFinal(rng, h)
		histgen.AddStoreOrder(rng, h)
		valid("mutation", h)
		h, _ = histgen.Embed(rng, h, m, p)
		valid("embedding", h)
	}
	valid("random", histgen.Random(rng, p))
	f := histgen.RandomCNF(rng, 10, 42)
	valid("reduction", histgen.FromCNF(f, false))
	valid("relaxed reduction", histgen.FromCNF(f, true))
	h, _ := histgen.Kernel{Pairs: 3, Fences: true}.History()
	valid("kernel", h)
	valid("staircase", histgen.Staircase(20))
	for h := range histgen.Every(11, histgen.All(histgen.Bound{Threads: 3, Locations: 2, Ops: 4, RMW: true, Fences: []parse.FenceMask{parse.StoreStore}})) {
		valid("enumerated", h)
	}
}

// The sizes of the reduction: two operations to a variable, and to a clause
// eighteen of its literals and six of its own.
func TestReductionSize(t *testing.T) {
	f := histgen.RandomCNF(rand.New(rand.NewPCG(7, 7)), 50, 213)
	h := histgen.FromCNF(f, false)
	if d := cmp.Diff([]int{5212, 2017}, []int{len(h.Ops), h.Threads()}); d != "" {
		t.Errorf("operations and threads (-want +got):\n%s", d)
	}
}
