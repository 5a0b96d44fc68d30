package closure

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// warshall is the reference implementation: which nodes lead to which.
func warshall(g *Graph[int]) [][]bool {
	reach := make([][]bool, g.Nodes)
	for v := range reach {
		reach[v] = make([]bool, g.Nodes)
	}
	for _, a := range g.Arcs() {
		reach[a.From][a.To] = true
	}
	for k := range reach {
		for i := range reach {
			for j := range reach {
				reach[i][j] = reach[i][j] || reach[i][k] && reach[k][j]
			}
		}
	}
	return reach
}

// checkPath fails unless the arcs lead from u to v.
func checkPath(t *testing.T, path []Arc[int], u, v int32) {
	t.Helper()
	for _, a := range path {
		if a.From != u {
			t.Fatalf("path %v has a gap", path)
		}
		u = a.To
	}
	if u != v {
		t.Fatalf("path %v ends in %d, want %d", path, u, v)
	}
}

func TestAgainstWarshall(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	cyclic := 0
	for range 3000 {
		n := 1 + rng.IntN(7)
		g := &Graph[int]{Nodes: n}
		for i := range rng.IntN(12) {
			if u, v := rng.Int32N(int32(n)), rng.Int32N(int32(n)); u != v {
				g.Add(u, v, i)
			}
		}
		reach := warshall(g)
		component, _ := g.Components()
		matrix, order, cycle := g.Matrix(), g.Sort(), g.Cycle()
		if len(cycle) > 0 {
			cyclic++
			checkPath(t, cycle, cycle[0].From, cycle[0].From)
		}
		if diff := cmp.Diff(len(order) < n, len(cycle) > 0); diff != "" {
			t.Fatalf("sorting and finding a cycle disagree:\n%s", diff)
		}
		for u := range int32(n) {
			for v := range int32(n) {
				path := g.Path(u, v, nil)
				if diff := cmp.Diff(reach[u][v], path != nil); diff != "" {
					t.Fatalf("path from %d to %d of %v:\n%s", u, v, g.Arcs(), diff)
				}
				if path != nil {
					checkPath(t, path, u, v)
				}
				if diff := cmp.Diff(u == v || reach[u][v] && reach[v][u], component[u] == component[v]); diff != "" {
					t.Fatalf("components of %d and %d of %v:\n%s", u, v, g.Arcs(), diff)
				}
				if reach[u][v] && component[u] < component[v] {
					t.Fatalf("components %v are in no reverse topological order of %v", component, g.Arcs())
				}
				if len(cycle) == 0 && matrix.Has(u, v) != reach[u][v] {
					t.Fatalf("matrix says %d leads to %d: %v", u, v, matrix.Has(u, v))
				}
				if len(cycle) == 0 && reach[u][v] && slices.Index(order, u) > slices.Index(order, v) {
					t.Fatalf("order %v does not respect %v", order, g.Arcs())
				}
			}
		}
	}
	if cyclic == 0 {
		t.Error("no graph has a cycle")
	}
}

// Pushed arcs lead on as ordinary ones do, until they are popped.
func TestPush(t *testing.T) {
	g := &Graph[int]{Nodes: 3}
	g.Add(0, 1, 1)
	g.Push(Arc[int]{1, 2, 2})
	n := g.Pushed()
	g.Push(Arc[int]{2, 0, 3})
	if diff := cmp.Diff([]Arc[int]{{2, 0, 3}, {0, 1, 1}, {1, 2, 2}}, g.Path(2, 2, nil)); diff != "" {
		t.Errorf("path along pushed arcs:\n%s", diff)
	}
	g.Pop(n)
	if path := g.Path(2, 2, nil); path != nil {
		t.Errorf("path %v along a popped arc", path)
	}
	g.AddPushed()
	if diff := cmp.Diff([]int32{0, 1, 2}, g.Sort()); diff != "" {
		t.Errorf("order of pushed arcs made ordinary:\n%s", diff)
	}
}
