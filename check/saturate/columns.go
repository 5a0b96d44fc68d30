package saturate

// columns says where a clock row holds what. Under SC and TSO a row has a
// component for every chain. Other models have a chain for each thread and
// location, whose writes mostly precede others of their own location only: a
// row begins with a component for each chain that has a column (see
// planRelaxed), and the row of a write goes on with one for each lane of its
// location. Which writes to another location precede a node is looked up (see
// gates.go).
type columns struct {
	// columns is the number of chains that have one; width is that of the
	// widest row.
	columns, width int
	column         []int32 // node → its chain's column, or -1
	columnChain    []int32 // column → chain; nil where they are the same
	rowStart       []int64 // node → offset of its row; one entry more; nil if all have one width
	lane           []int32 // slot → lane; nil if all rows have one width
}

// byLocation reports whether rows have components for lanes.
func (g *Graph) byLocation() bool { return g.columnChain != nil }

// layOut lays out the clock rows.
func (g *Graph) layOut(plan chainPlan) {
	if plan.columns == nil {
		g.columns = columns{columns: g.chains, width: g.chains, column: g.chain}
		return
	}
	of := make([]int32, g.chains)
	g.columnChain = make([]int32, 0, len(plan.columns))
	for c := range of {
		of[c] = -1
		if plan.columns[int32(c)] {
			of[c] = int32(len(g.columnChain))
			g.columnChain = append(g.columnChain, int32(c))
		}
	}
	g.columns.columns = len(g.columnChain)
	g.column = make([]int32, g.n)
	g.rowStart = make([]int64, g.n+1)
	for v := range Node(g.n) {
		g.column[v] = of[g.chain[v]]
		n := g.columns.columns
		if g.kind[v]&bitWrite != 0 {
			lo, hi := g.lanes(g.loc[v])
			n += int(hi - lo)
		}
		g.width = max(g.width, n)
		g.rowStart[v+1] = g.rowStart[v] + int64(n)
	}
	g.lane = make([]int32, len(g.writePos))
	for l := range g.laneChain {
		for s := g.laneWrite[l]; s < g.laneWrite[l+1]; s++ {
			g.lane[s] = int32(l)
		}
	}
}

// row is the clock row of v.
func (g *Graph) row(v Node) []int32 {
	if g.rowStart != nil {
		lo, hi := g.rowStart[v], g.rowStart[v+1]
		return g.rows[lo:hi:hi]
	}
	s, lo := g.slabs[uint32(v)/slabRows], int(uint32(v)%slabRows)*g.width
	if s == nil {
		s = g.slab(v)
	}
	return s[lo : lo+g.width : lo+g.width]
}

// cell is one component of the row of v.
func (g *Graph) cell(v Node, c int32) int32 {
	if g.rowStart != nil {
		return g.rows[g.rowStart[v]+int64(c)]
	}
	if s := g.slabs[uint32(v)/slabRows]; s != nil {
		return s[int(uint32(v)%slabRows)*g.width+int(c)]
	}
	return 0
}

// put sets one component of the row of v.
func (g *Graph) put(v Node, c, p int32) {
	g.row(v)[c] = p
	g.nonZero(v, int(c))
}

// laneComponent is the index of a lane in the rows of writes to its location,
// given the location's first lane.
func (g *Graph) laneComponent(first, lane int32) int32 {
	return int32(g.columns.columns) + lane - first
}

// component is the index in the row of v of the component that u is counted
// in, or -1 if there is none. For a write in a chain with a column, and another
// to its location, it is that of the lane.
func (g *Graph) component(u, v Node) int32 {
	if g.byLocation() && g.kind[u]&g.kind[v]&bitWrite != 0 && g.loc[u] == g.loc[v] {
		return g.laneComponent(g.laneStart[g.loc[u]], g.lane[g.slot[u]])
	}
	return g.column[u]
}

// known reports whether the edge from u to v, a write, adds nothing to the row
// of v: where both write to one location, it hands on also what precedes u in
// that location.
func (g *Graph) known(u, v Node) bool {
	if c := g.component(u, v); c >= 0 {
		return g.cell(v, c) >= g.pos(u)
	}
	return g.HB(u, v)
}

// follows reports whether the rows show that v, a write, precedes u, when an edge
// from u to v is to be added. For a read they do by what it returned, which v then
// precedes by rule A: a look at the gates would show no more in the end.
func (g *Graph) follows(u, v Node) bool {
	if !g.byLocation() {
		return g.cell(u, g.chain[v]) >= g.pos(v)
	}
	if g.order[v] == 0 {
		return false // the sweep has not come to v
	}
	if g.kind[u]&bitWrite == 0 {
		w := g.writeBehind(u)
		if w == NoNode {
			return false
		}
		u = w
	}
	return g.before(v, u)
}

// shared is the number of components that an edge from u to v hands on.
func (g *Graph) shared(u, v Node) int {
	if g.byLocation() && (g.kind[u]&g.kind[v]&bitWrite == 0 || g.loc[u] != g.loc[v]) {
		return g.columns.columns
	}
	return int(g.rowWidth(v))
}

func (g *Graph) rowWidth(v Node) int64 {
	if g.rowStart != nil {
		return g.rowStart[v+1] - g.rowStart[v]
	}
	return int64(g.width)
}
