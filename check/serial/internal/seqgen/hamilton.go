package seqgen

import (
	"fmt"

	"ordeal/parse/formats/events"
)

// Hamilton makes a trace that is serializable under TSO if and only if a
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
func Hamilton(edges [][]bool) *events.Sequence {
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
