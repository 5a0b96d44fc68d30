package saturate_test

import (
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/parse"
)

// reach is the transitive closure of the edges that a graph has at present.
func reach(g *saturate.Graph) *relation {
	r := newRelation(g.Nodes())
	for v := range g.Nodes() {
		g.Successors(saturate.Node(v), func(s saturate.Node) bool {
			r.add(v, int(s))
			return true
		})
	}
	r.transitive()
	return r
}

// What the static edges order is what the definitions order, pair by pair.
func TestStaticEdges(t *testing.T) {
	ordered := map[string]int{}
	for seed := range many(1500) {
		rng := rand.New(rand.NewPCG(seed, 11))
		h := draw(rng, small(rng))
		for _, m := range totals {
			g, err := saturate.Build(h, m)
			if err != nil {
				t.Fatal(err)
			}
			got := reach(g)
			want := newRelation(len(h.Ops))
			facts(h, m, func(a, b int) { want.add(a, b) })
			want.transitive()
			for a := range h.Ops {
				for b := range h.Ops {
					u, v := g.Node(parse.OpID(a)), g.Node(parse.OpID(b))
					if u == saturate.NoNode || v == saturate.NoNode || g.IsFence(u) || g.IsFence(v) {
						continue
					}
					if want.has(a, b) {
						ordered[m.Name]++
					}
					if got.has(int(u), int(v)) != want.has(a, b) {
						t.Fatalf("seed %d %s: operation %d before %d: %v, want %v\n%s",
							seed, m.Name, a, b, got.has(int(u), int(v)), want.has(a, b), dump(h))
					}
				}
			}
		}
	}
	for _, m := range totals {
		if ordered[m.Name] == 0 {
			t.Errorf("%s orders nothing", m.Name)
		}
	}
}

// Every access has a node, except reads that nothing can be learned from, and
// every node is found again.
func TestNumbering(t *testing.T) {
	for seed := range many(300) {
		rng := rand.New(rand.NewPCG(seed, 12))
		h := draw(rng, small(rng))
		for _, m := range totals {
			g, err := saturate.Build(h, m)
			if err != nil {
				t.Fatal(err)
			}
			without := map[parse.OpID]bool{}
			for _, id := range g.Isolated() {
				if m.Name != model.RMO.Name || h.Ops[id].Kind != parse.Read {
					t.Errorf("%s: operation %d has no node", m.Name, id)
				}
				without[id] = true
			}
			for i := range h.Ops {
				id, o := parse.OpID(i), &h.Ops[i]
				v := g.Node(id)
				if v == saturate.NoNode {
					if o.Kind != parse.Fence && !without[id] {
						t.Fatalf("%s: operation %d is lost\n%s", m.Name, id, dump(h))
					}
					continue
				}
				want, got := []any{id, o.Loc, o.Reads(), o.Writes()}, []any{g.Op(v), g.Loc(v), g.IsRead(v), g.IsWrite(v)}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("%s: operation %d is node %d:\n%s\n%s", m.Name, id, v, diff, dump(h))
				}
			}
			readers := map[int32]int32{}
			for v := range saturate.Node(g.Nodes()) {
				if !g.IsRead(v) {
					continue
				}
				w := g.Writer(v)
				readers[w]++
				rf := h.Ops[g.Op(v)].RF
				if rf == parse.Init && w != int32(g.Nodes())+g.Loc(v) || rf != parse.Init && w != int32(g.Node(rf)) {
					t.Fatalf("%s: node %d reads from writer %d, not %d\n%s", m.Name, v, w, rf, dump(h))
				}
			}
			for w, n := range readers {
				if g.Readers(w) != n {
					t.Fatalf("%s: writer %d has %d readers, want %d", m.Name, w, g.Readers(w), n)
				}
			}
		}
	}
}

// A model without a global memory order has no graph.
func TestBuildRefusesCausal(t *testing.T) {
	if _, err := saturate.Build(cases.Parse("0: M[x] := 1"), model.CC); err == nil {
		t.Error("built")
	}
}
