package precedence

// Reach is the reachability relation of a graph as a bit matrix: for graphs
// of a few thousand nodes.
type Reach struct {
	words int
	bits  []uint64
}

// Reach computes which nodes lead to which, in time nodes·arcs/64, or returns
// nil when the arcs have a cycle.
func (g *Graph) Reach() *Reach {
	order := g.sortAll()
	if len(order) < g.nodes {
		return nil
	}
	r := &Reach{words: (g.nodes + 63) / 64}
	r.bits = make([]uint64, g.nodes*r.words)
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		row := r.row(v)
		for _, a := range g.Out(v) {
			row[a.To/64] |= 1 << (a.To % 64)
			for w, b := range r.row(a.To) {
				row[w] |= b
			}
		}
	}
	return r
}

// ReachBytes is the size of the matrix.
func (g *Graph) ReachBytes() int64 { return int64(g.nodes) * int64((g.nodes+63)/64) * 8 }

func (r *Reach) row(v Node) []uint64 { return r.bits[int(v)*r.words : (int(v)+1)*r.words] }

// Has reports whether a path of at least one arc leads from u to v.
func (r *Reach) Has(u, v Node) bool { return r.bits[int(u)*r.words+int(v/64)]>>(v%64)&1 != 0 }
