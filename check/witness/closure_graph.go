package witness

import (
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// closureGraph is a graph of operations, numbered by a topological order.
// Writes are divided into rows that program order keeps: those of a thread,
// or, by location, those of a thread to it.
type closureGraph struct {
	h     *parse.History
	order []parse.OpID // vertex → operation
	place []int32      // operation → vertex
	at    []vertex
	rows  int     // number of rows of writes
	long  []int32 // row → number of its writes
	first []int32 // location → its first entry in parts; one entry more
	parts []rowPart
	preds incoming
}

// vertex is what the rules need to know of an operation.
type vertex struct {
	loc, rf   int32 // rf is the vertex read from, initial or noRead
	row, rank int32 // of a write: its row, -1 otherwise, and its rank there from 1
}

const (
	noRead  int32 = -1
	initial int32 = -2
)

// rowPart is the writes of a row to one location: their ranks, ascending.
type rowPart struct {
	row   int32
	ranks []int32
	found int // where they were last searched
}

// incoming lists the sources of the edges into each of some numbers.
type incoming struct {
	start []int32
	from  []int32
}

func (e *incoming) into(v int32) []int32 { return e.from[e.start[v]:e.start[v+1]] }

// collect lists arcs by their ends; place renumbers them, nil being the
// identity.
func collect(n int, arcs []Arc, place []int32) incoming {
	e := incoming{start: make([]int32, n+1), from: make([]int32, len(arcs))}
	number := func(id parse.OpID) int32 {
		if place == nil {
			return int32(id)
		}
		return place[id]
	}
	for _, a := range arcs {
		e.start[number(a.To)]++
	}
	sum := int32(0)
	for i, c := range e.start {
		sum += c
		e.start[i] = sum
	}
	for _, a := range arcs {
		to := number(a.To)
		e.start[to]--
		e.from[e.start[to]] = number(a.From)
	}
	return e
}

// newClosureGraph sorts the operations, or fails with one that a cycle leads
// through. Edges are linked later.
func newClosureGraph(h *parse.History, m model.Model, arcs []Arc) (*closureGraph, error) {
	g := &closureGraph{h: h}
	if err := g.sort(collect(len(h.Ops), arcs, nil)); err != nil {
		return nil, err
	}
	g.at = make([]vertex, len(h.Ops))
	for v, id := range g.order {
		op := &h.Ops[id]
		at := &g.at[v]
		*at = vertex{loc: op.Loc, rf: noRead, row: -1}
		if op.Reads() && op.RF == parse.Init {
			at.rf = initial
		} else if op.Reads() {
			at.rf = g.place[op.RF]
		}
	}
	g.divide(m.PPO&parse.StoreStore == 0)
	return g, nil
}

// link makes arcs, which must go along with the order, the edges.
func (g *closureGraph) link(arcs []Arc) { g.preds = collect(len(g.order), arcs, g.place) }

// sort puts each operation after all that lead to it, and as little as
// possible between.
func (g *closureGraph) sort(preds incoming) error {
	const new, open = -1, -2
	n := len(g.h.Ops)
	g.order = make([]parse.OpID, 0, n)
	g.place = make([]int32, n)
	for v := range g.place {
		g.place[v] = new
	}
	next := slices.Clone(preds.start[:n])
	var path []int32
	for root := range int32(n) {
		if g.place[root] != new {
			continue
		}
		g.place[root] = open
		path = append(path, root)
		for len(path) > 0 {
			v := path[len(path)-1]
			if next[v] == preds.start[v+1] {
				path = path[:len(path)-1]
				g.place[v] = int32(len(g.order))
				g.order = append(g.order, parse.OpID(v))
				continue
			}
			u := preds.from[next[v]]
			next[v]++
			switch g.place[u] {
			case new:
				g.place[u] = open
				path = append(path, u)
			case open:
				return fmt.Errorf("a cycle leads through %s", name(g.h, parse.OpID(u), -1))
			}
		}
	}
	return nil
}

func (g *closureGraph) divide(byLocation bool) {
	type part struct{ thread, loc, writes int32 }
	var list []part                             // in the order of threads
	of := make([]int32, len(g.h.Ops))           // write → its part
	latest := make([]int32, len(g.h.Locations)) // location → its latest part, from 1
	writes := 0
	for t := range int32(g.h.Threads()) {
		for id := g.h.Start[t]; id < g.h.Start[t+1]; id++ {
			op := &g.h.Ops[id]
			if !op.Writes() {
				continue
			}
			if at := latest[op.Loc]; at == 0 || list[at-1].thread != t {
				list = append(list, part{thread: t, loc: op.Loc})
				latest[op.Loc] = int32(len(list))
			}
			of[id] = latest[op.Loc] - 1
			list[of[id]].writes++
			writes++
		}
	}
	g.first = make([]int32, len(latest)+1)
	for _, p := range list {
		g.first[p.loc+1]++
	}
	for x := range latest {
		g.first[x+1] += g.first[x]
	}
	next := slices.Clone(g.first)
	place := make([]int32, len(list)) // part → its place in g.parts
	ranks := make([]int32, writes)
	g.parts = make([]rowPart, len(list))
	for i, p := range list {
		place[i] = next[p.loc]
		next[p.loc]++
		if !byLocation && (i == 0 || list[i-1].thread != p.thread) {
			g.rows++
		}
		at := &g.parts[place[i]]
		at.row, at.ranks = int32(g.rows)-1, ranks[:0:p.writes]
		ranks = ranks[p.writes:]
		if byLocation {
			at.row = place[i]
		}
	}
	if byLocation {
		g.rows = len(list)
	}
	g.long = make([]int32, g.rows)
	for id := range g.h.Ops {
		if g.h.Ops[id].Writes() {
			p, at := &g.parts[place[of[id]]], &g.at[g.place[id]]
			g.long[p.row]++
			at.row, at.rank = p.row, g.long[p.row]
			p.ranks = append(p.ranks, at.rank)
		}
	}
}

// upTo is the number of the part's writes of at most this rank. It is quick
// where it is asked about nearby ranks in turn.
func (p *rowPart) upTo(rank int32) int {
	i, ranks := p.found, p.ranks
	for steps := 0; ; steps++ {
		switch {
		case steps == 8:
			i, _ = slices.BinarySearch(ranks, rank+1)
			p.found = i
			return i
		case i < len(ranks) && ranks[i] <= rank:
			i++
		case i > 0 && ranks[i-1] > rank:
			i--
		default:
			p.found = i
			return i
		}
	}
}

// reverse turns ranks around: the last write of a row gets rank 1.
func (g *closureGraph) reverse() {
	for v := range g.at {
		if at := &g.at[v]; at.row >= 0 {
			at.rank = g.long[at.row] + 1 - at.rank
		}
	}
	for i := range g.parts {
		p := &g.parts[i]
		slices.Reverse(p.ranks)
		for j := range p.ranks {
			p.ranks[j] = g.long[p.row] + 1 - p.ranks[j]
		}
	}
}

// write finds the write of a row with a rank.
func (g *closureGraph) write(row, rank int32) parse.OpID {
	for v := range g.at {
		if g.at[v].row == row && g.at[v].rank == rank {
			return g.order[v]
		}
	}
	return parse.NoOp
}
