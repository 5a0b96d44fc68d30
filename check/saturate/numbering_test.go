package saturate_test

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/saturate"
	"ordeal/parse"
)

// Chains are walked in program order, forwards and backwards, and hold every node once.
func TestChains(t *testing.T) {
	for seed := range many(60) {
		rng := rand.New(rand.NewPCG(seed, 17))
		h := draw(rng, small(rng))
		for _, m := range totals {
			g, err := saturate.Build(h, m)
			if err != nil {
				t.Fatal(err)
			}
			seen := 0
			for c := range int32(g.Chains()) {
				last := saturate.NoNode
				for v := g.First(c); v != g.End(); v = g.After(v) {
					seen++
					if g.Chain(v) != c || v <= last || g.Before(v) != last {
						t.Fatalf("seed %d %s: chain %d: node %d of chain %d follows %d, before it is %d\n%s",
							seed, m.Name, c, v, g.Chain(v), last, g.Before(v), dump(h))
					}
					if last != saturate.NoNode && g.Op(last) > g.Op(v) {
						t.Fatalf("seed %d %s: operation %d follows %d in chain %d\n%s", seed, m.Name, g.Op(v), g.Op(last), c, dump(h))
					}
					last = v
				}
			}
			if seen != g.Nodes() {
				t.Fatalf("seed %d %s: chains hold %d of %d nodes\n%s", seed, m.Name, seen, g.Nodes(), dump(h))
			}
			for id := range h.Ops {
				if v := g.Node(parse.OpID(id)); v != saturate.NoNode && g.Op(v) != parse.OpID(id) {
					t.Fatalf("seed %d %s: node %d of operation %d is of %d", seed, m.Name, v, id, g.Op(v))
				}
			}
		}
	}
}
