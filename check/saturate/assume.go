package saturate

import "ordeal/check/witness"

// Assume adds an edge to the saturated graph and closes it under the rules
// again. It returns false when that leads to a contradiction; the caller then
// calls Undo. The rule says why: Assumed for a decision, DerivedB for the
// reader of the first of two writes whose order was decided. Of DerivedA via
// is the read; the other rules do without.
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
