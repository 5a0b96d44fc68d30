package trace

import (
	"math/rand/v2"
	"testing"
	"time"

	"ordeal/check/serial/internal/seqgen"
)

// hamiltonian looks for a Hamiltonian path by trying them all.
func hamiltonian(edges [][]bool) bool {
	used := make([]bool, len(edges))
	var extend func(last, length int) bool
	extend = func(last, length int) bool {
		if length == len(edges) {
			return true
		}
		for v := range edges {
			if used[v] || last >= 0 && !edges[last][v] {
				continue
			}
			used[v] = true
			found := extend(v, length+1)
			used[v] = false
			if found {
				return true
			}
		}
		return false
	}
	return extend(-1, 0)
}

// TestHamilton is Theorem 6: the reduction is right on all graphs of up to
// three vertices and on random ones of four and five.
func TestHamilton(t *testing.T) {
	count := map[bool]int{}
	try := func(edges [][]bool, procedures ...Procedure) {
		s := seqgen.Hamilton(edges)
		if err := s.Validate(); err != nil {
			t.Fatal(err)
		}
		want := !hamiltonian(edges)
		count[want]++
		for _, p := range procedures {
			if got := judge(t, s, p); got != want {
				t.Fatalf("procedure %d says %v, there is a path: %v, in %v", p, got, !want, edges)
			}
		}
	}
	for n := 1; n <= 3; n++ {
		for bits := range 1 << (n * n) {
			edges, self := matrix(n, bits)
			if !self && (n < 3 || !testing.Short() || bits%5 == 0) {
				try(edges, Profiles, SAT)
			}
		}
	}
	rng := rand.New(rand.NewPCG(3, 0))
	for i := range 12 {
		if testing.Short() {
			break
		}
		n := 4 + i%2
		edges, _ := matrix(n, 0)
		for v := range n {
			for w := range n {
				edges[v][w] = v != w && rng.IntN(10) < 3
			}
		}
		try(edges, SAT)
	}
	t.Logf("serializable: %d, not: %d", count[true], count[false])
}

// matrix is a graph of n vertices by the bits of a number.
func matrix(n, bits int) (edges [][]bool, self bool) {
	edges = make([][]bool, n)
	for v := range n {
		edges[v] = make([]bool, n)
		for w := range n {
			edges[v][w] = bits>>(v*n+w)&1 != 0
			self = self || v == w && edges[v][w]
		}
	}
	return edges, self
}

// BenchmarkHamilton is the worst case: the number of threads grows with the
// square of the graph, which is a star and has no Hamiltonian path.
func BenchmarkHamilton(b *testing.B) {
	for _, c := range []struct {
		name      string
		procedure Procedure
		n         int
	}{{"profiles-3", Profiles, 3}, {"sat-3", SAT, 3}, {"sat-4", SAT, 4}, {"sat-5", SAT, 5}, {"sat-6", SAT, 6}} {
		b.Run(c.name, func(b *testing.B) {
			edges, _ := matrix(c.n, 0)
			for v := 1; v < c.n; v++ {
				edges[0][v], edges[v][0] = true, true
			}
			if c.n == 3 {
				edges[0][1] = false // a star of three has a path
			}
			s := seqgen.Hamilton(edges)
			want := !hamiltonian(edges)
			start := time.Now()
			for range b.N {
				v, err := Judge(b.Context(), s, c.procedure)
				if err != nil || v.Serializable != want {
					b.Fatalf("serializable: %v, %v", v.Serializable, err)
				}
			}
			b.ReportMetric(time.Since(start).Seconds()/float64(b.N), "s/trace")
			b.ReportMetric(float64(len(s.Threads)), "threads")
		})
	}
}
