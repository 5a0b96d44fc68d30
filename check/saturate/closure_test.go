package saturate_test

import (
	"math/rand/v2"
	"slices"
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

// exactRows checks that clock rows say what the edges say, fences included: a
// component is the last position of its chain from which edges lead to the
// node.
func exactRows(t testing.TB, g *saturate.Graph) {
	t.Helper()
	edges := reach(g)
	chain, pos := chains(g)
	for v := range g.Nodes() {
		want := make([]int32, g.Chains())
		for u := range g.Nodes() {
			if u == v || edges.has(u, v) {
				want[chain[u]] = max(want[chain[u]], pos[u])
			}
		}
		if got := g.Clock(saturate.Node(v)); !slices.Equal(got, want) {
			t.Fatalf("%s: row of node %d (operation %d): %v, want %v\n%s", "rows", v, g.Op(saturate.Node(v)), got, want, dump(g.History()))
		}
	}
}

// chains finds the chain and the position of each node, from its own row and
// its successor's.
func chains(g *saturate.Graph) (chain []int, pos []int32) {
	chain, pos = make([]int, g.Nodes()), make([]int32, g.Nodes())
	c := 0
	for v := range g.Nodes() {
		// A chain ends where its own component starts from 1 again.
		if v > 0 {
			pos[v] = pos[v-1] + 1
			if g.Clock(saturate.Node(v))[c] != pos[v] {
				c, pos[v] = c+1, 1
			}
		} else {
			pos[v] = 1
		}
		chain[v] = c
	}
	return chain, pos
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
