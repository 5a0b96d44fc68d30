package trace

import (
	"fmt"
	"testing"

	"ordeal/parse/formats/events"
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
// three vertices.
func TestHamilton(t *testing.T) {
	count := map[bool]int{}
	try := func(edges [][]bool) {
		s := hamiltonTrace(edges)
		if _, err := events.Parse("", s.Text()); err != nil {
			t.Fatal(err)
		}
		want := !hamiltonian(edges)
		count[want]++
		if got := decide(t, s); got != want {
			t.Fatalf("%v, there is a path: %v, in %v", got, !want, edges)
		}
	}
	for n := 1; n <= 3; n++ {
		for bits := range 1 << (n * n) {
			edges, self := matrix(n, bits)
			if !self && (n < 3 || !testing.Short() || bits%5 == 0) {
				try(edges)
			}
		}
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
	const n = 3
	edges, _ := matrix(n, 0)
	for v := 1; v < n; v++ {
		edges[0][v], edges[v][0] = true, true
	}
	edges[0][1] = false // a star of three has a path
	s := hamiltonTrace(edges)
	want := !hamiltonian(edges)
	for b.Loop() {
		v, err := Decide(b.Context(), s)
		if err != nil || v.Serializable != want {
			b.Fatalf("serializable: %v, %v", v.Serializable, err)
		}
	}
	b.ReportMetric(float64(len(s.Threads)), "threads")
}

// hamiltonTrace makes a trace that is serializable under TSO if and only if a
// directed graph has no Hamiltonian path, which makes the problem hard for
// many threads (Enea and Farzan, TACAS 2016, Theorem 6; the paper leaves its
// own reduction to a longer version, this one is ours).
//
// For every vertex v and place i on the path, transaction W(v,i) is one write
// to its own variable, never fenced; thread v issues those of v in the order
// of i. I(v,i) reads the variable, and later O(v,i) does. The reads of all
// places form windows, those of the last place first:
//
//	I(·,n) O(·,n)  …  I(·,2) O(·,2)  I(·,1) O(·,1)
//
// A cycle through I(v,i), W(v,i), O(v,i) commits the write in window i. It
// cannot commit W(v,j) in window j besides: for i < j the store buffer asks
// for W(v,i) before W(v,j), and window j is over when window i begins. From
// O(v,i) a conflict that all executions have leads to I(w,i+1) for each edge
// from v to w: a variable that O(v,i) reads before and I(w,i+1) writes after
// all windows. In the same way one more transaction leads to every I(v,1), and
// every O(v,n) leads to it. So a cycle visits every place once, every vertex
// at most once, and all other ways are closed: of the conflicts within thread
// v, from W(v,i) to W(v,j), none fits windows i and j.
func hamiltonTrace(edges [][]bool) *events.Sequence {
	n := len(edges)
	var threads, variables []string
	name := func(list *[]string, format string, args ...any) int {
		*list = append(*list, fmt.Sprintf(format, args...))
		return len(*list) - 1
	}
	writer := make([]int, n)
	in, out, cell := grid(n), grid(n), grid(n)
	for v := range n {
		writer[v] = name(&threads, "W%d", v)
		for i := range n {
			in[v][i] = name(&threads, "I%d.%d", v, i)
			out[v][i] = name(&threads, "O%d.%d", v, i)
			cell[v][i] = name(&variables, "x%d.%d", v, i)
		}
	}
	home := name(&threads, "Z")
	// early reads before all windows what late writes after them
	type link struct{ early, late, variable int }
	var links []link
	for v := range n {
		links = append(links,
			link{home, in[v][0], name(&variables, "first%d", v)},
			link{out[v][n-1], home, name(&variables, "last%d", v)})
		for w := range n {
			for i := 0; edges[v][w] && i+1 < n; i++ {
				links = append(links, link{out[v][i], in[w][i+1], name(&variables, "e%d.%d.%d", v, w, i)})
			}
		}
	}
	b := events.NewBuilder(false, threads, variables)
	for v := range n {
		for i := range n {
			must(b.Add(writer[v], events.Write, cell[v][i]))
			must(b.Begin(in[v][i]))
			must(b.Begin(out[v][i]))
		}
	}
	must(b.Begin(home))
	for _, l := range links {
		must(b.Add(l.early, events.Read, l.variable))
	}
	for i := n - 1; i >= 0; i-- {
		for _, readers := range [][][]int{in, out} {
			for v := range n {
				must(b.Add(readers[v][i], events.Read, cell[v][i]))
			}
		}
	}
	for _, l := range links {
		must(b.Add(l.late, events.Write, l.variable))
	}
	return b.Sequence()
}

func grid(n int) [][]int {
	g := make([][]int, n)
	for i := range g {
		g[i] = make([]int, n)
	}
	return g
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}
