package saturate

import "ordeal/check/witness"

// Assume adds an edge to the saturated graph and closes it under the rules. It
// returns false on a contradiction; the caller then calls Undo. The rule is
// Assumed for a decision, and DerivedB from a reader of the first of two writes
// whose order was decided. via is the read for DerivedA, else unused.
func (g *Graph) Assume(u, v Node, rule witness.Rule, via Node) bool {
	return g.Add(u, v, rule, via) && g.Close()
}

// Add is the first half of Assume: it adds the edge.
func (g *Graph) Add(u, v Node, rule witness.Rule, via Node) bool {
	why, names := byCaller, v
	switch rule {
	case witness.DerivedA:
		why, names = byRuleA, via
	case witness.DerivedB, witness.FromRead:
		why = byRuleB
	}
	if !g.derive(u, v, why, names) {
		g.dropQueue()
		return false
	}
	return true
}

// Close is the second half of Assume: it closes all edges added under the
// rules.
func (g *Graph) Close() bool { return g.repair() }

// Contradiction returns the edge that made Assume fail: from would have to
// precede to.
func (g *Graph) Contradiction() (from, to Node) { return g.conflict.to, g.conflict.from }

// SetHorizon limits Assume to nodes that the sweep visited at or before a number; 0
// means no limit. What is derived stays sound, but later contradictions are
// missed.
func (g *Graph) SetHorizon(order int) { g.horizon = int32(order) }

func (g *Graph) beyond(v Node) bool { return g.horizon != 0 && g.order[v] > g.horizon }

// SetPlaced sets the nodes that a search has put into the order; nil for none.
// An edge out of a placed node adds nothing, and an edge into one from a node
// not placed is a contradiction. The caller updates the slice.
func (g *Graph) SetPlaced(placed []bool) { g.placed = placed }

func (g *Graph) isPlaced(v Node) bool { return g.placed != nil && g.placed[v] }

// trail records changes for Undo.
type trail struct {
	rows    []savedComponent
	first   int    // number of inferred edges when it began
	sources []Node // of those since
	held    heldRows
}

type savedComponent struct {
	node      Node
	component int32
	old       int32
}

// Mark is a point to which Undo returns.
type Mark struct{ rows, edges int }

// Mark starts recording and returns the present point.
func (g *Graph) Mark() Mark {
	if g.trail == nil {
		g.trail = &trail{first: g.inferred.count}
	}
	g.trail.held.marked = true
	return Mark{len(g.trail.rows), g.inferred.count}
}

// EachSince calls f for every inferred edge since a mark, in order.
func (g *Graph) EachSince(m Mark, f func(from, to Node)) {
	for i := m.edges; i < g.inferred.count; i++ {
		f(g.trail.sources[i-g.trail.first], g.target(g.inferred.at(int32(i))))
	}
}

// heldRows are rows as they were at a call of Hold, of nodes that changed
// since.
type heldRows struct {
	on     bool
	marked bool     // a Mark was made that was neither kept nor undone
	has    []uint64 // a bit for each node
	nodes  []Node
	rows   [][]int32 // of nodes, and unused ones of earlier holds
}

// maxHeld is the width beyond which rows are not copied: few
// components of very wide rows change.
const maxHeld = 1024

// Hold returns a point to which Release returns. It costs one copy of each row
// that changes, however often. Until then there may be one Mark at a time, which
// Undo or Keep ends; holds do not nest.
func (g *Graph) Hold() Mark {
	m := g.Mark()
	if g.width <= maxHeld {
		held := &g.trail.held
		held.on, held.marked = true, false
		if held.has == nil {
			held.has = make([]uint64, (g.n+63)/64)
		}
	}
	return m
}

// Keep makes the changes since a mark permanent until Release.
func (g *Graph) Keep(m Mark) {
	if held := &g.trail.held; held.on {
		held.marked = false
		g.trail.rows = g.trail.rows[:m.rows]
	}
}

// Release undoes every change since Hold returned m.
func (g *Graph) Release(m Mark) {
	g.Undo(m)
	held := &g.trail.held
	for i, v := range held.nodes {
		copy(g.row(v), held.rows[i])
		held.has[v>>6] &^= 1 << (v & 63)
	}
	held.on, held.nodes = false, held.nodes[:0]
}

// hold copies the row of v before its first change since Hold.
func (g *Graph) hold(v Node) {
	if g.trail == nil || !g.trail.held.on {
		return
	}
	h := &g.trail.held
	if h.has[v>>6]>>(v&63)&1 != 0 {
		return
	}
	h.has[v>>6] |= 1 << (v & 63)
	if len(h.nodes) == len(h.rows) {
		h.rows = append(h.rows, make([]int32, g.width))
	}
	copy(h.rows[len(h.nodes)], g.row(v))
	h.nodes = append(h.nodes, v)
}

// Undo undoes every change since a mark, latest first.
func (g *Graph) Undo(m Mark) {
	t := g.trail
	for i := len(t.rows) - 1; i >= m.rows; i-- {
		s := &t.rows[i]
		g.put(s.node, s.component, s.old)
	}
	t.rows = t.rows[:m.rows]
	for i := g.inferred.count - 1; i >= m.edges; i-- {
		e := g.inferred.at(int32(i))
		g.head[t.sources[i-t.first]] = e.next()
		if e.reason() == byPath {
			g.paths--
		}
	}
	t.sources = t.sources[:m.edges-t.first]
	g.inferred.truncate(m.edges)
	t.held.marked = false
	g.conflict = conflict{}
}
