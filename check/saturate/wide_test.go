package saturate_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// Masks of more than 64 chains, and rows with summaries of one and of two
// words, lose nothing: a component beyond the first word that is not handed on
// is a silent loss.
func TestManyChains(t *testing.T) {
	for _, c := range []struct {
		m                       model.Model
		threads, ops, locations int
		chains                  int // at least
	}{
		{model.TSO, 40, 240, 3, 65},
		{model.TSO, 40, 160, 1, 65},
		{model.PSO, 40, 300, 4, 65},
		{model.PSO, 140, 400, 3, 129},
		{model.RMO, 70, 700, 2, 65},
		{model.TSO, 90, 400, 5, 150},
		{model.SC, 1100, 1500, 12, 1025},
	} {
		if testing.Short() && c.chains > 1000 {
			continue
		}
		beyond, derived := 0, 0
		for seed := range uint64(4) {
			rng := rand.New(rand.NewPCG(seed, 31))
			p := histgen.Params{Threads: c.threads, Ops: c.ops, Locations: c.locations, RMWs: 0.05, Writes: 0.3, Burst: 3}
			if c.m == model.RMO {
				p.Fences = 0.2
			}
			run := histgen.Machine(rng, c.m, p)
			h := run.History
			if seed > 0 {
				h = histgen.Mutate(rng, run, 1)
			}
			if c.chains > 1000 && seed > 1 {
				break
			}
			g, ok := saturated(t, h, c.m)
			if g.Chains() < c.chains {
				t.Fatalf("%d chains, want %d", g.Chains(), c.chains)
			}
			sameAsFixpoint(t, h, c.m, g, ok)
			if !ok {
				continue
			}
			derived += g.Inferred()
			for v := range saturate.Node(g.Nodes()) {
				for c, p := range g.Clock(v) {
					if c >= 64 && p > 0 {
						beyond++
					}
				}
			}
		}
		if beyond == 0 || derived == 0 {
			t.Errorf("%+v: %d components beyond the first word, %d derived edges", c, beyond, derived)
		}
	}
}

// The order of assumptions is handed on beyond the first word of a mask: a
// chain of assumptions leads through all threads.
func TestManyChainsAssumed(t *testing.T) {
	for _, threads := range []int{70, 140} {
		text := ""
		for i := range threads {
			text += sprintf("%d: M[x] := %d\n", i, i+1)
		}
		h := cases.Parse(text)
		g, ok := saturated(t, h, model.SC)
		if !ok {
			t.Fatal("contradictory")
		}
		// Backwards, so that each assumption changes the rows of all later ones.
		for i := threads - 1; i > 0; i-- {
			if !g.Assume(saturate.Node(i-1), saturate.Node(i), assumed, saturate.NoNode) {
				t.Fatal("refused", i)
			}
		}
		for i := range threads {
			for c, p := range g.Clock(saturate.Node(i)) {
				if want := int32(0); p != want && c > i || p != 1 && c <= i {
					t.Fatalf("%d threads: component %d of node %d is %d", threads, c, i, p)
				}
			}
		}
	}
}

// A history that is refuted by its beginning takes the memory of the rows of that.
func TestSlabs(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.PSO, histgen.Params{Threads: 8, Ops: 30000, Locations: 16}).History
	for _, c := range []struct {
		h    *parse.History
		want bool
	}{{h, false}, {histgen.Machine(rand.New(rand.NewPCG(1, 2)), model.TSO, histgen.Params{Threads: 8, Ops: 5000, Locations: 16}).History, true}} {
		g, err := saturate.Build(c.h, model.TSO)
		if err != nil {
			t.Fatal(err)
		}
		if ok, err := g.Saturate(t.Context()); ok != c.want || err != nil {
			t.Fatal(ok, err)
		}
		if made, all := g.Slabs(); c.want && made < all || !c.want && made > all/3 {
			t.Errorf("%d of %d slabs, saturated: %v", made, all, c.want)
		}
	}
}
