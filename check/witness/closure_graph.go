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
	if m.PPO&parse.StoreStore != 0 {
		g.rowsByThread()
	} else {
		g.rowsByLocation()
	}
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

// rowsByThread makes a row of each thread that writes.
func (g *closureGraph) rowsByThread() {
	g.eachThreadsWrites(func(writes []parse.OpID) {
		row, rank := g.openRow(), int32(0)
		for _, id := range writes {
			rank++
			g.put(id, row, rank)
		}
	})
	g.collectParts()
}

// rowsByLocation makes a row of the writes of each thread to each location.
// Rows of one location follow each other.
func (g *closureGraph) rowsByLocation() {
	count := make([]int32, len(g.h.Locations)) // rows of a location, then its next row
	met := make([]int, len(count))             // threads met, the latest
	each := func(f func(id parse.OpID, x int32, first bool)) {
		clear(met)
		t := 0
		g.eachThreadsWrites(func(writes []parse.OpID) {
			t++
			for _, id := range writes {
				x := g.h.Ops[id].Loc
				f(id, x, met[x] != t)
				met[x] = t
			}
		})
	}
	each(func(_ parse.OpID, x int32, first bool) {
		if first {
			count[x]++
		}
	})
	sum := int32(0)
	for x, c := range count {
		count[x] = sum
		sum += c
	}
	g.rows = int(sum)
	g.long = make([]int32, sum)
	each(func(id parse.OpID, x int32, first bool) {
		if first {
			count[x]++
		}
		row := count[x] - 1
		g.put(id, row, g.long[row]+1)
	})
	g.collectParts()
}

func (g *closureGraph) openRow() int32 {
	g.rows++
	g.long = append(g.long, 0)
	return int32(g.rows) - 1
}

func (g *closureGraph) put(id parse.OpID, row, rank int32) {
	at := &g.at[g.place[id]]
	at.row, at.rank = row, rank
	g.long[row] = rank
}

// eachThreadsWrites calls f for the writes of each thread that has some.
func (g *closureGraph) eachThreadsWrites(f func([]parse.OpID)) {
	var writes []parse.OpID
	for t := range g.h.Threads() {
		writes = writes[:0]
		for id := g.h.Start[t]; id < g.h.Start[t+1]; id++ {
			if g.h.Ops[id].Writes() {
				writes = append(writes, id)
			}
		}
		if len(writes) > 0 {
			f(writes)
		}
	}
}

// collectParts divides the rows by location. Each location's parts are listed
// by row.
func (g *closureGraph) collectParts() {
	open := make([]int32, len(g.h.Locations)) // location → one past its latest part, or 0
	g.first = make([]int32, len(open)+1)
	rowOf := make([]int32, len(open)) // location → row of its latest part + 1
	writes := 0
	each := func(f func(at *vertex, fresh bool)) {
		clear(rowOf)
		g.eachThreadsWrites(func(ids []parse.OpID) {
			for _, id := range ids {
				at := &g.at[g.place[id]]
				f(at, rowOf[at.loc] != at.row+1)
				rowOf[at.loc] = at.row + 1
			}
		})
	}
	each(func(at *vertex, fresh bool) {
		writes++
		if fresh {
			g.first[at.loc+1]++
		}
	})
	for x := range open {
		g.first[x+1] += g.first[x]
	}
	g.parts = make([]rowPart, g.first[len(open)])
	size := make([]int, len(g.parts))
	copy(open, g.first)
	each(func(at *vertex, fresh bool) {
		if fresh {
			open[at.loc]++
		}
		size[open[at.loc]-1]++
	})
	ranks := make([]int32, writes)
	for i, n := range size {
		g.parts[i].ranks, ranks = ranks[:0:n], ranks[n:]
	}
	copy(open, g.first)
	each(func(at *vertex, fresh bool) {
		if fresh {
			open[at.loc]++
		}
		p := &g.parts[open[at.loc]-1]
		p.row = at.row
		p.ranks = append(p.ranks, at.rank)
	})
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
