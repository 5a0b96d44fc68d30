package witness

import (
	"fmt"
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// closureGraph is a graph of operations without a cycle. Writes are divided into
// rows that program order keeps: those of a thread, or, by location, those of a
// thread to it.
type closureGraph struct {
	h     *parse.History
	order []parse.OpID // each after all that lead to it, and as little as possible between
	place []int32      // operation → its place in order
	row   []int32      // of a write: its row, -1 of other operations
	rank  []int32      // and its number there, from 1
	rows  int          // number of rows
	parts [][]*part    // location → rows with writes to it
}

// part is the writes of a row to one location, in order.
type part struct {
	row    int32
	writes []parse.OpID
	ranks  []int32
	near   int // where they were last searched
}

// newClosureGraph sorts the operations, or fails with one that a cycle leads
// through.
func newClosureGraph(h *parse.History, m model.Model, arcs []Arc) (*closureGraph, error) {
	g := &closureGraph{
		h: h, row: slices.Repeat([]int32{-1}, len(h.Ops)), rank: make([]int32, len(h.Ops)),
		parts: make([][]*part, len(h.Locations)),
	}
	if err := g.sort(incoming(h, nil, arcs)); err != nil {
		return nil, err
	}
	byLocation := m.PPO&parse.StoreStore == 0
	for t := range h.Threads() {
		of := map[int32]*part{} // the thread's
		row, rank := int32(-1), int32(0)
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			o := &h.Ops[id]
			if !o.Writes() {
				continue
			}
			p := of[o.Loc]
			if p == nil {
				if row < 0 || byLocation {
					row = int32(g.rows)
					g.rows++
				}
				p = &part{row: row}
				of[o.Loc] = p
				g.parts[o.Loc] = append(g.parts[o.Loc], p)
			}
			if rank++; byLocation {
				rank = int32(len(p.writes)) + 1
			}
			g.row[id], g.rank[id] = p.row, rank
			p.writes, p.ranks = append(p.writes, id), append(p.ranks, rank)
		}
	}
	return g, nil
}

// arcsInto are the sources of arcs by their targets. Both are numbered by place, or, where
// that is nil, as operations.
type arcsInto struct{ start, from []int32 }

func incoming(h *parse.History, place []int32, arcs []Arc) arcsInto {
	number := func(id parse.OpID) int32 {
		if place == nil {
			return int32(id)
		}
		return place[id]
	}
	start, grouped := closure.Group(len(h.Ops), arcs, func(a Arc) int32 { return number(a.To) })
	from := make([]int32, len(arcs))
	for i, a := range grouped {
		from[i] = number(a.From)
	}
	return arcsInto{start, from}
}

func (g *closureGraph) incoming(arcs []Arc) arcsInto { return incoming(g.h, g.place, arcs) }

func (in *arcsInto) of(v int32) []int32 { return in.from[in.start[v]:in.start[v+1]] }

// sort finds the order, depth first against the arcs.
func (g *closureGraph) sort(in arcsInto) error {
	const new, open = -1, -2
	n := len(g.h.Ops)
	g.order, g.place = make([]parse.OpID, 0, n), slices.Repeat([]int32{new}, n)
	next := slices.Clone(in.start[:n])
	var path []parse.OpID
	for root := range parse.OpID(n) {
		if g.place[root] != new {
			continue
		}
		g.place[root] = open
		for path = append(path, root); len(path) > 0; {
			v := path[len(path)-1]
			if next[v] == in.start[v+1] {
				path = path[:len(path)-1]
				g.place[v] = int32(len(g.order))
				g.order = append(g.order, v)
				continue
			}
			u := parse.OpID(in.from[next[v]])
			next[v]++
			switch g.place[u] {
			case new:
				g.place[u] = open
				path = append(path, u)
			case open:
				return fmt.Errorf("a cycle leads through %s", name(g.h, u, -1))
			}
		}
	}
	return nil
}

// upTo is the number of the part's writes of at most a rank. It begins where the
// last search ended.
func (p *part) upTo(rank int32) int {
	i := p.near
	for steps := 0; ; steps++ {
		switch {
		case steps == 8:
			i, _ = slices.BinarySearch(p.ranks, rank+1)
		case i < len(p.ranks) && p.ranks[i] <= rank:
			i++
			continue
		case i > 0 && p.ranks[i-1] > rank:
			i--
			continue
		}
		p.near = i
		return i
	}
}
