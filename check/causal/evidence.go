package causal

import "ordeal/check/witness"

// closure is the evidence that CCM or wCCM allows the history: what convergent
// inferred, by kind. Of the read-write edges, those that precedence without
// conflicts (whb) shows already are left out.
func (g *graph) closure(p *partial) *witness.Closure {
	c := &witness.Closure{}
	for i := range g.edges {
		e := &g.edges[i]
		arc := witness.Arc{From: e.from, To: e.to}
		switch {
		case e.thread >= 0:
			if c.Local == nil {
				c.Local = make([][]witness.Arc, g.h.Threads())
			}
			c.Local[e.thread] = append(c.Local[e.thread], arc)
		case e.thread == conflictThread:
			c.Conflicts = append(c.Conflicts, arc)
		case e.thread == otherThread && !p.whb.before(e.from, e.to):
			c.Arcs = append(c.Arcs, arc)
		}
	}
	return c
}
