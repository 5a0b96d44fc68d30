package saturate

import "ordeal/check/witness"

// Assume adds an edge to the saturated graph and closes it under the rules. It
// returns false on a contradiction; the caller then calls Undo. The rule is
// Assumed for a decision, and DerivedB from a reader of the first of two writes
// whose order was decided. via is the read for DerivedA, else unused.
func (g *Graph) Assume(u, v Node, rule witness.Rule, via Node) bool {
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
	return g.repair()
}

// trail records changes for Undo.
type trail struct {
	rows    []savedComponent
	first   int    // number of inferred edges when it began
	sources []Node // of those since
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
	return Mark{len(g.trail.rows), g.inferred.count}
}

// EachSince calls f for every inferred edge since a mark, in order.
func (g *Graph) EachSince(m Mark, f func(from, to Node)) {
	for i := m.edges; i < g.inferred.count; i++ {
		f(g.trail.sources[i-g.trail.first], g.target(g.inferred.at(int32(i))))
	}
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
	g.conflict = conflict{}
}
