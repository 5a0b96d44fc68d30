package saturate_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// sameAsFixpoint compares a graph, closed or found contradictory, with the
// least fixpoint of the definitions.
func sameAsFixpoint(t testing.TB, h *parse.History, m model.Model, g *saturate.Graph, ok bool, further ...[2]parse.OpID) {
	t.Helper()
	want := fixpoint(h, m, further...)
	if consistent := want.acyclic() && !absurd(h, m); ok != consistent {
		t.Fatalf("%s: consistent: %v, want %v\n%s", m.Name, ok, consistent, dump(h))
	}
	if !ok {
		return
	}
	for a := range h.Ops {
		for b := range h.Ops {
			u, v := g.Node(parse.OpID(a)), g.Node(parse.OpID(b))
			if u == saturate.NoNode || v == saturate.NoNode || g.IsFence(u) || g.IsFence(v) {
				continue
			}
			if got, want := g.HB(u, v), a == b || want.has(a, b); got != want {
				t.Fatalf("%s: operation %d before %d: %v, want %v\n%s", m.Name, a, b, got, want, dump(h))
			}
		}
	}
	exactRows(t, g)
}

// exactRows checks that clock rows say what the edges say, fences included.
func exactRows(t testing.TB, g *saturate.Graph) {
	t.Helper()
	edges := reach(g)
	for v := range g.Nodes() {
		for u := range g.Nodes() {
			got, want := g.HB(saturate.Node(u), saturate.Node(v)), u == v || edges.has(u, v)
			if got != want {
				t.Fatalf("%s: node %d (operation %d) before node %d (operation %d): %v, want %v\n%s", g.Model().Name,
					u, g.Op(saturate.Node(u)), v, g.Op(saturate.Node(v)), got, want, dump(g.History()))
			}
		}
	}
}

// The rows after Saturate are the least fixpoint, under every model.
func TestClosure(t *testing.T) {
	answers := map[string]int{}
	derived := 0
	for seed := range many(3000) {
		rng := rand.New(rand.NewPCG(seed, 21))
		h := draw(rng, small(rng))
		for _, m := range totals {
			g, ok := saturated(t, h, m)
			sameAsFixpoint(t, h, m, g, ok)
			if ok {
				answers[m.Name+" consistent"]++
				derived += g.Inferred()
			} else {
				answers[m.Name+" contradictory"]++
			}
		}
	}
	if len(answers) != 2*len(totals) || derived == 0 {
		t.Errorf("one-sided: %v, %d edges derived", answers, derived)
	}
	t.Log(answers, derived)
}

// The same for histories of more operations, where clocks are repaired often.
func TestClosureLarger(t *testing.T) {
	for seed := range many(200) {
		rng := rand.New(rand.NewPCG(seed, 22))
		h := draw(rng, histgen.Params{Threads: 2 + rng.IntN(12), Ops: 60 + rng.IntN(120), Locations: 1 + rng.IntN(6), Stagger: 20 * rng.IntN(2)})
		for _, m := range totals {
			g, ok := saturated(t, h, m)
			sameAsFixpoint(t, h, m, g, ok)
		}
	}
}

// The same under the models of instruction sets, with attributes and dependencies
// of all kinds and many pairs.
func TestClosureInstructionSets(t *testing.T) {
	consistent := 0
	for seed := range many(3000) {
		rng := rand.New(rand.NewPCG(seed, 23))
		p := histgen.Params{
			Threads: 2 + rng.IntN(4), Ops: 6 + rng.IntN(30), Locations: 1 + rng.IntN(4),
			Writes: 0.4, RMWs: 0.3 * float64(rng.IntN(2)), Fences: 0.15, Burst: 1 + rng.IntN(4), Depth: 1 + rng.IntN(8),
			Mask: parse.FenceMask(1 + rng.IntN(15)),
		}
		h := histgen.Mutate(rng, histgen.Machine(rng, totals[rng.IntN(len(totals))], p), rng.IntN(2))
		histgen.Annotate(rng, h, 0.1+0.3*rng.Float64(), rng.IntN(2) == 0)
		if rng.IntN(4) == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		for _, m := range model.OfInstructionSets() {
			view := m.View(h)
			g, ok := saturated(t, view, m)
			sameAsFixpoint(t, view, m, g, ok)
			if ok {
				consistent++
			}
		}
	}
	if consistent == 0 {
		t.Error("no history is consistent")
	}
	t.Log(consistent)
}
