package saturate_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

const assumed = witness.Assumed

var sprintf = fmt.Sprintf

// differences compares two graphs field by field, deeply, but for what an
// undo need not restore: the trail itself, the room of the repair queue, and
// the summaries of rows, which may say too much, and hints.
func differences(a, b *saturate.Graph) string {
	skip := map[string]bool{"coverage": true, "hist": true, "model": true, "trail": true, "repairQueue": true, "blocks": true, "near": true, "gateNear": true, "joined": true}
	return cmp.Diff(a, b,
		cmp.Exporter(func(reflect.Type) bool { return true }),
		cmp.FilterPath(func(p cmp.Path) bool {
			f, ok := p.Last().(cmp.StructField)
			return ok && skip[f.Name()]
		}, cmp.Ignore()),
		cmpopts.EquateEmpty(),
	)
}

// decisions are the pairs of writes to one location.
func decisions(g *saturate.Graph) [][2]saturate.Node {
	var out [][2]saturate.Node
	for u := range saturate.Node(g.Nodes()) {
		for v := range u {
			if g.IsWrite(u) && g.IsWrite(v) && g.Loc(u) == g.Loc(v) {
				out = append(out, [2]saturate.Node{u, v}, [2]saturate.Node{v, u})
			}
		}
	}
	return out
}

// contended has many pairs of writes that are left open.
func contended(rng *rand.Rand) histgen.Params {
	return histgen.Params{Threads: 2 + rng.IntN(5), Ops: 8 + rng.IntN(30), Locations: 1 + rng.IntN(3)}
}

// consistentGraph draws histories until saturation finds no contradiction.
func consistentGraph(t testing.TB, rng *rand.Rand, m model.Model) *saturate.Graph {
	t.Helper()
	for {
		h := draw(rng, contended(rng))
		g, ok := saturated(t, h, m)
		if ok && len(decisions(g)) > 1 {
			return g
		}
	}
}

// rebuilt builds and saturates the same graph again.
func rebuilt(t testing.TB, g *saturate.Graph, m model.Model) *saturate.Graph {
	t.Helper()
	h, ok := saturated(t, g.History(), m)
	if !ok {
		t.Fatal("a second saturation finds what the first did not")
	}
	return h
}

// Assume leads to the least fixpoint of the facts with the edge added, and
// fails just if that has a cycle.
func TestAssume(t *testing.T) {
	refused, taken := 0, 0
	for seed := range many(1500) {
		rng := rand.New(rand.NewPCG(seed, 41))
		m := totals[rng.IntN(len(totals))]
		g := consistentGraph(t, rng, m)
		g.Mark()
		var further [][2]parse.OpID
		for range 1 + rng.IntN(5) {
			all := decisions(g)
			d := all[rng.IntN(len(all))]
			further = append(further, [2]parse.OpID{g.Op(d[0]), g.Op(d[1])})
			mark := g.Mark()
			ok := g.Assume(d[0], d[1], assumed, saturate.NoNode)
			sameAsFixpoint(t, g.History(), m, g, ok, further...)
			if !ok {
				refused++
				g.Undo(mark)
				further = further[:len(further)-1]
				sameAsFixpoint(t, g.History(), m, g, true, further...)
				continue
			}
			taken++
		}
	}
	if refused == 0 || taken == 0 {
		t.Errorf("%d refused, %d taken", refused, taken)
	}
}

// Undo restores rows, edges, heads and the absence of a contradiction, after
// any nesting of assumptions, contradictions among them.
func TestUndo(t *testing.T) {
	edges, contradictions := 0, 0
	for seed := range many(150) {
		rng := rand.New(rand.NewPCG(seed, 42))
		m := totals[rng.IntN(len(totals))]
		g := consistentGraph(t, rng, m)
		all := decisions(g)
		type point struct {
			mark     saturate.Mark
			snapshot *saturate.Graph // made by the same assumptions
		}
		var stack []point
		var taken [][2]saturate.Node
		replay := func(n int) *saturate.Graph {
			other := rebuilt(t, g, m)
			other.Mark()
			for _, d := range taken[:n] {
				if !other.Assume(d[0], d[1], assumed, saturate.NoNode) {
					t.Fatalf("seed %d: an assumption holds once, and once not", seed)
				}
			}
			return other
		}
		for range 12 {
			if len(stack) > 0 && rng.IntN(3) == 0 {
				i := rng.IntN(len(stack))
				g.Undo(stack[i].mark)
				if d := differences(stack[i].snapshot, g); d != "" {
					t.Fatalf("seed %d %s: undo of %d assumptions (-want +got): %s\n%s", seed, m.Name, len(stack)-i, d, dump(g.History()))
				}
				stack, taken = stack[:i], taken[:i]
				continue
			}
			stack = append(stack, point{g.Mark(), replay(len(taken))})
			d := all[rng.IntN(len(all))]
			before := g.Inferred()
			if g.Assume(d[0], d[1], assumed, saturate.NoNode) {
				edges += g.Inferred() - before
				taken = append(taken, d)
				continue
			}
			contradictions++
			g.Undo(stack[len(stack)-1].mark)
			if d := differences(stack[len(stack)-1].snapshot, g); d != "" {
				t.Fatalf("seed %d %s: undo of a contradiction (-want +got): %s\n%s", seed, m.Name, d, dump(g.History()))
			}
			stack = stack[:len(stack)-1]
		}
	}
	if edges == 0 || contradictions == 0 {
		t.Errorf("%d edges, %d contradictions: nothing to undo", edges, contradictions)
	}
}
