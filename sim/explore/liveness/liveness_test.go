package liveness

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"ordeal/sim/explore/search"
)

type edge struct {
	from, to uint32
	class    uint16
}

func graph(waiting []uint64, edges []edge) *search.Graph {
	g := &search.Graph{Waiting: waiting, Starts: []uint64{0}}
	for s := range waiting {
		for _, e := range edges {
			if int(e.from) == s {
				g.Targets = append(g.Targets, e.to)
				g.Classes = append(g.Classes, e.class)
			}
		}
		g.Starts = append(g.Starts, uint64(len(g.Targets)))
	}
	return g
}

// fairSet reports by the definition whether a path may visit exactly the states
// of a set again and again.
func fairSet(g *search.Graph, set uint, fairness Fairness) bool {
	in := func(s uint32) bool { return set>>s&1 != 0 }
	possible, everywhere, taken := map[uint16]bool{}, map[uint16]int{}, map[uint16]bool{}
	size, steps := 0, 0
	for s := range uint32(len(g.Waiting)) {
		if !in(s) {
			continue
		}
		size++
		own := map[uint16]bool{}
		reached := uint(1) << s
		for before := uint(0); before != reached; {
			before = reached
			for t := range uint32(len(g.Waiting)) {
				for e := g.Starts[t]; reached>>t&1 != 0 && e < g.Starts[t+1]; e++ {
					if in(g.Targets[e]) {
						reached |= 1 << g.Targets[e]
					}
				}
			}
		}
		if reached != set {
			return false
		}
		for e := g.Starts[s]; e < g.Starts[s+1]; e++ {
			own[g.Classes[e]] = true
			if in(g.Targets[e]) {
				taken[g.Classes[e]] = true
				steps++
			}
		}
		for class := range own {
			possible[class] = true
			everywhere[class]++
		}
	}
	for class := range possible {
		if class != 0 && !taken[class] && (fairness == Strong || everywhere[class] == size) {
			return false
		}
	}
	return steps > 0 || len(possible) == 0 || len(possible) == 1 && possible[0]
}

// TestBruteForce compares the analysis with all sets of states, on random graphs.
func TestBruteForce(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	found := 0
	for range 4000 {
		n := 1 + random.IntN(6)
		waiting := make([]uint64, n)
		for i := range waiting {
			waiting[i] = random.Uint64N(4) | random.Uint64N(4)
		}
		var edges []edge
		for range random.IntN(3 * n) {
			edges = append(edges, edge{random.Uint32N(uint32(n)), random.Uint32N(uint32(n)), uint16(random.IntN(4))})
		}
		g := graph(waiting, edges)
		for _, fairness := range []Fairness{Weak, Strong} {
			name := fmt.Sprintf("%s: waiting %v, edges %v", fairness, waiting, edges)
			lassos, err := Find(t.Context(), g, fairness)
			if err != nil {
				t.Fatal(err)
			}
			for request := range 2 {
				// The earliest of all fair sets.
				start := -1
				for set := uint(1); set < 1<<n; set++ {
					all := true
					for s := range n {
						all = all && (set>>s&1 == 0 || waiting[s]>>request&1 != 0)
					}
					first := -1
					for s := n - 1; s >= 0; s-- {
						if set>>s&1 != 0 {
							first = s
						}
					}
					if all && fairSet(g, set, fairness) && (start < 0 || first < start) {
						start = first
					}
				}
				at := slices.IndexFunc(lassos, func(l Lasso) bool { return l.Request == request })
				if (at >= 0) != (start >= 0) {
					t.Fatalf("%s: request %d: found is %v, want %v", name, request, at >= 0, start >= 0)
				}
				if at < 0 {
					continue
				}
				found++
				if lassos[at].Start != uint64(start) {
					t.Fatalf("%s: request %d: begins in state %d, want %d", name, request, lassos[at].Start, start)
				}
				checkCycle(t, name, g, lassos[at], fairness)
			}
		}
	}
	if found < 500 {
		t.Errorf("only %d of the graphs had a fair component", found)
	}
}

// checkCycle follows a cycle, and holds what is owed on it.
func checkCycle(t *testing.T, name string, g *search.Graph, l Lasso, fairness Fairness) {
	t.Helper()
	visited := []uint64{l.Start}
	possible, taken := map[uint16]int{}, map[uint16]bool{}
	at := l.Start
	for _, next := range l.Cycle {
		step := false
		for e := g.Starts[at]; e < g.Starts[at+1]; e++ {
			if uint64(g.Targets[e]) == next {
				step = true
				taken[g.Classes[e]] = true
			}
		}
		if !step || g.Waiting[next]>>l.Request&1 == 0 {
			t.Fatalf("%s: the cycle %v has no step from %d to %d", name, l, at, next)
		}
		at = next
		if !slices.Contains(visited, at) {
			visited = append(visited, at)
		}
	}
	if at != l.Start {
		t.Fatalf("%s: the cycle %v does not end where it begins", name, l)
	}
	for _, s := range visited {
		own := map[uint16]bool{}
		for e := g.Starts[s]; e < g.Starts[s+1]; e++ {
			own[g.Classes[e]] = true
		}
		for class := range own {
			possible[class]++
		}
	}
	for class, times := range possible {
		if class != 0 && !taken[class] && (fairness == Strong || times == len(visited)) {
			t.Fatalf("%s: the cycle %v owes class %d", name, l, class)
		}
	}
}
