package closure

// Matrix is the transitive closure of a graph as a bit matrix: for graphs of a
// few thousand nodes.
type Matrix struct {
	words int
	bits  []uint64
}

// Matrix computes which nodes lead to which, in time nodes·arcs/64, or returns
// nil when the graph has a cycle.
func (g *Graph[L]) Matrix() *Matrix {
	order := g.Sort()
	if len(order) < g.Nodes {
		return nil
	}
	m := &Matrix{words: (g.Nodes + 63) / 64}
	m.bits = make([]uint64, g.Nodes*m.words)
	for i := len(order) - 1; i >= 0; i-- {
		v := order[i]
		row := m.row(v)
		for _, a := range g.Out(v) {
			row[a.To/64] |= 1 << (a.To % 64)
			for w, b := range m.row(a.To) {
				row[w] |= b
			}
		}
	}
	return m
}

// MatrixBytes is the size of the matrix.
func (g *Graph[L]) MatrixBytes() int64 { return int64(g.Nodes) * int64((g.Nodes+63)/64) * 8 }

func (m *Matrix) row(v int32) []uint64 { return m.bits[int(v)*m.words : (int(v)+1)*m.words] }

// Has reports whether a path of at least one arc leads from u to v.
func (m *Matrix) Has(u, v int32) bool { return m.bits[int(u)*m.words+int(v/64)]>>(v%64)&1 != 0 }
