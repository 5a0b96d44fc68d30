package saturate

import "ordeal/check/witness"

// trail records what assumptions change, to take it back.
type trail struct {
	rows []savedComponent
}

type savedComponent struct {
	node  Node
	chain int32
	old   int32
}

// Mark is a point to which Undo returns.
type Mark struct{ rows, edges int }

// Edges is the number of inferred edges at the mark.
func (m Mark) Edges() int { return m.edges }

// Mark starts recording and returns the present point.
func (g *Graph) Mark() Mark {
	if g.trail == nil {
		g.trail = &trail{}
	}
	return Mark{len(g.trail.rows), len(g.inferred)}
}

// Undo takes back every change since a mark, latest first.
func (g *Graph) Undo(m Mark) {
	t := g.trail
	for i := len(t.rows) - 1; i >= m.rows; i-- {
		s := &t.rows[i]
		g.rows[int(s.node)*g.chains+int(s.chain)] = s.old
	}
	t.rows = t.rows[:m.rows]
	for i := len(g.inferred) - 1; i >= m.edges; i-- {
		g.head[g.inferred[i].from] = g.inferred[i].next
	}
	g.inferred = g.inferred[:m.edges]
	g.conflict = conflict{}
}

// Assume adds an edge to the saturated graph and closes it under the rules
// again. It returns false when that leads to a contradiction; the caller then
// calls Undo. The rule and via say why: Assumed for a decision, DerivedB for
// the reader of the first of two writes whose order was decided.
func (g *Graph) Assume(u, v Node, rule witness.Rule, via Node) bool {
	return g.Add(u, v, rule, via) && g.Close()
}

// Add is the first half of Assume: it adds the edge.
func (g *Graph) Add(u, v Node, rule witness.Rule, via Node) bool {
	if !g.derive(u, v, rule, via) {
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

// SetHorizon limits what Assume works out to nodes that the sweep met at or
// before a number; 0 means no limit. What is derived stays sound, but
// contradictions further on go unnoticed.
func (g *Graph) SetHorizon(order int) { g.horizon = int32(order) }

// beyond reports whether v lies behind the horizon.
func (g *Graph) beyond(v Node) bool { return g.horizon != 0 && g.order[v] > g.horizon }

// SetPlaced tells the graph which nodes a search has put into the order
// already; nil for none. An edge out of a placed node says nothing new, and
// an edge into one from a node not placed is a contradiction. The caller
// keeps the slice up to date.
func (g *Graph) SetPlaced(placed []bool) { g.placed = placed }

func (g *Graph) isPlaced(v Node) bool { return g.placed != nil && g.placed[v] }
