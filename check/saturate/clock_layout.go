package saturate

// clockLayout says where a clock row holds what. Under SC and TSO a row has a
// component for every chain. Other models have a chain for each thread and
// location, whose writes mostly precede others of their own location only: a
// row begins with a component for each chain that has a clock entry (see
// planRelaxed), and the row of a write goes on with one for each write chain of its
// location. Which writes to another location precede a node is looked up (see
// gates.go).
type clockLayout struct {
	// entries is the number of chains that have one; width is that of the
	// widest row.
	entries, width int
	entry          []int32 // node → its chain's clock entry, or -1
	entryChain     []int32 // clock entry → chain; nil where they are the same
	rowStart       []int64 // node → offset of its row; one entry more; nil if all have one width
	writeChain     []int32 // slot → write chain; nil if all rows have one width
}

// byLocation reports whether rows have components for write chains.
func (g *Graph) byLocation() bool { return g.entryChain != nil }

// layOut lays out the clock rows.
func (g *Graph) layOut(plan chainPlan) {
	if plan.entries == nil {
		g.clockLayout = clockLayout{entries: g.chains, width: g.chains, entry: g.chain}
		return
	}
	of := make([]int32, g.chains)
	g.entryChain = make([]int32, 0, len(plan.entries))
	for c := range of {
		of[c] = -1
		if plan.entries[int32(c)] {
			of[c] = int32(len(g.entryChain))
			g.entryChain = append(g.entryChain, int32(c))
		}
	}
	g.entries = len(g.entryChain)
	g.entry = make([]int32, g.n)
	g.rowStart = make([]int64, g.n+1)
	for v := range Node(g.n) {
		g.entry[v] = of[g.chain[v]]
		n := g.entries
		if g.kind[v]&bitWrite != 0 {
			lo, hi := g.writeChains(g.loc[v])
			n += int(hi - lo)
		}
		g.width = max(g.width, n)
		g.rowStart[v+1] = g.rowStart[v] + int64(n)
	}
	g.writeChain = make([]int32, len(g.writePos))
	for l := range g.chainOfWrites {
		for s := g.firstSlot[l]; s < g.firstSlot[l+1]; s++ {
			g.writeChain[s] = int32(l)
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

// writeChainComponent is the index of a write chain in the rows of writes to its location,
// given the location's first write chain.
func (g *Graph) writeChainComponent(first, writeChain int32) int32 {
	return int32(g.entries) + writeChain - first
}

// component is the index in the row of v of the component that u is counted
// in, or -1 if there is none. For a write in a chain with a clock entry, and another
// to its location, it is that of the write chain.
func (g *Graph) component(u, v Node) int32 {
	if g.byLocation() && g.kind[u]&g.kind[v]&bitWrite != 0 && g.loc[u] == g.loc[v] {
		return g.writeChainComponent(g.writeChainStart[g.loc[u]], g.writeChain[g.slot[u]])
	}
	return g.entry[u]
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
		return g.entries
	}
	return int(g.rowWidth(v))
}

func (g *Graph) rowWidth(v Node) int64 {
	if g.rowStart != nil {
		return g.rowStart[v+1] - g.rowStart[v]
	}
	return int64(g.width)
}
