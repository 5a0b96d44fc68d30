package search

import (
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
)

// cuts finds places where a saturated graph under SC or TSO falls into
// independent parts: a prefix D of the order of the sweep that nothing outside
// precedes, such that, for each location with a read outside D from a write
// inside D, that write follows all others of D to the location (or is the
// initial write, and D has none) and precedes all those outside, and no read
// of D is forwarded from a write outside. Then the history is allowed exactly if
// D is, with those values final, and the rest, started from them: orders of the
// two, concatenated, are an order of the whole, and the restrictions of an order
// of the whole are orders of the two. (If some order had a write from
// outside before that of D, its restriction to the rest would begin with a
// write that hides the value which the rest is started from.)
// The result are lengths of such prefixes, ascending, at least window apart,
// without 0 and the whole. Other models have none: their graphs hold nodes
// that are no operations.
func cuts(g *saturate.Graph, swept []saturate.Node, window int) []int {
	if m := g.Model(); m != model.SC && m != model.TSO {
		return nil
	}
	c := newCutter(g)
	var found []int
	last := 0
	for i, v := range swept {
		c.take(v)
		n := i + 1
		c.crossing += c.cross[n]
		if c.crossing == 0 && c.bad == 0 && c.early == 0 && n-last >= window && len(swept)-n >= window {
			found = append(found, n)
			last = n
		}
	}
	return found
}

// cutter follows a prefix of the sweep order as it grows.
type cutter struct {
	g       *saturate.Graph
	taken   []bool
	pending []int32 // writer → its readers that are not taken
	// open sums up, for each location, the taken writers with pending
	// readers: how many, and the sum of their numbers.
	open []struct{ count, sum int32 }
	last [][]saturate.Node // location → the last taken write of each chain
	// heads holds for each chain its first node that is not taken; hint is
	// for saturate.Graph.NextWrites.
	heads []saturate.Node
	hint  []int32
	cuts  []bool // location → whether it allows a cut here
	bad   int    // locations that do not
	// early counts taken reads whose writer is not taken.
	early int
	// cross says by how much the number of edges that lead from outside into
	// the prefix changes when it reaches a length. The sweep may infer an
	// edge between nodes that it has visited in the other order.
	cross    []int32
	crossing int32
}

func newCutter(g *saturate.Graph) *cutter {
	n, locs := g.Nodes(), len(g.History().Locations)
	c := &cutter{
		g:       g,
		taken:   make([]bool, n),
		pending: make([]int32, n+locs),
		open:    make([]struct{ count, sum int32 }, locs),
		last:    make([][]saturate.Node, locs),
		heads:   make([]saturate.Node, g.Chains()),
		hint:    g.NewHint(),
		cuts:    make([]bool, locs),
		cross:   make([]int32, n+1),
	}
	for w := range c.pending {
		c.pending[w] = g.Readers(int32(w))
	}
	g.EachInferred(func(_ int, from, to saturate.Node, _ witness.Rule, _ saturate.Node) {
		if f, t := g.SweepOrder(from), g.SweepOrder(to); t < f {
			c.cross[t]++
			c.cross[f]--
		}
	})
	for x := range locs {
		c.cuts[x] = true
		if init := int32(n + x); c.pending[init] > 0 {
			c.open[x].count, c.open[x].sum = 1, init
		}
	}
	for i := range c.heads {
		c.heads[i] = g.First(int32(i))
	}
	return c
}

func (c *cutter) take(v saturate.Node) {
	g := c.g
	c.taken[v] = true
	c.heads[g.Chain(v)] = g.After(v)
	if g.IsFence(v) {
		return
	}
	x := g.Loc(v)
	if g.IsRead(v) {
		w := g.Writer(v)
		c.pending[w]--
		switch {
		case int(w) < g.Nodes() && !c.taken[w]:
			c.early++
		case c.pending[w] == 0:
			c.open[x].count--
			c.open[x].sum -= w
		}
	}
	if g.IsWrite(v) {
		c.latest(x, v)
		c.early -= int(g.Readers(int32(v)) - c.pending[v])
		if c.pending[v] > 0 {
			c.open[x].count++
			c.open[x].sum += int32(v)
		}
	}
	if ok := c.separates(x); ok != c.cuts[x] {
		c.cuts[x] = ok
		if ok {
			c.bad--
		} else {
			c.bad++
		}
	}
}

// latest notes the last taken write of a chain to a location.
func (c *cutter) latest(x int32, v saturate.Node) {
	for i, u := range c.last[x] {
		if c.g.Chain(u) == c.g.Chain(v) {
			c.last[x][i] = v
			return
		}
	}
	c.last[x] = append(c.last[x], v)
}

// separates reports whether the readers of a location that are not taken are
// independent of the order of the taken writes, and of whether a write that is
// not taken precedes these.
func (c *cutter) separates(x int32) bool {
	g := c.g
	if c.open[x].count == 0 {
		return true
	}
	if c.open[x].count > 1 {
		return false
	}
	w := c.open[x].sum
	for _, u := range c.last[x] {
		if int32(u) != w && (int(w) >= g.Nodes() || !g.HB(u, saturate.Node(w))) {
			return false
		}
	}
	ok := true
	if int(w) < g.Nodes() {
		g.NextWrites(x, c.heads, c.hint, func(u saturate.Node) {
			ok = ok && g.HB(saturate.Node(w), u)
		})
	}
	return ok
}

func swept(g *saturate.Graph) []saturate.Node {
	nodes := make([]saturate.Node, g.Nodes())
	for v := range saturate.Node(g.Nodes()) {
		nodes[g.SweepOrder(v)-1] = v
	}
	return nodes
}
