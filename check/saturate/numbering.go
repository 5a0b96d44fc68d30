package saturate

// numbering says which nodes make up a chain. Under SC and TSO a chain is a range of
// nodes. Models that do not keep the order of stores have a chain for each thread
// and location: there nodes are numbered thread by thread in program order, so
// that what a search looks at together lies together in memory, and a chain
// has lists. In both cases a chain is ascending.
type numbering struct {
	chainStart []int32 // chain → what is in the chains before it; one entry more
	member     []Node  // the nodes of the chains, one after the other; nil if that is their order
	position   []int32 // node → its position in its chain, from 1; nil with member
	after      []Node  // node → the next of its chain, or the number of nodes; nil with member
}

// scatter makes the lists of chains, whose nodes are not numbered one after the other.
func (g *Graph) scatter() {
	g.member, g.position, g.after = make([]Node, g.n), make([]int32, g.n), make([]Node, g.n)
	filled := make([]int32, g.chains)
	for v, c := range g.chain {
		i := g.chainStart[c] + filled[c]
		filled[c]++
		g.member[i], g.position[v], g.after[v] = Node(v), filled[c], Node(g.n)
		if filled[c] > 1 {
			g.after[g.member[i-1]] = Node(v)
		}
	}
}

// length is the number of nodes of a chain.
func (g *Graph) length(chain int32) int32 { return g.chainStart[chain+1] - g.chainStart[chain] }

// pos is the position of v in its chain, from 1.
func (g *Graph) pos(v Node) int32 {
	if g.position != nil {
		return g.position[v]
	}
	return int32(v) - g.chainStart[g.chain[v]] + 1
}

// at is the node at a position of a chain; the end behind the last one.
func (g *Graph) at(chain, pos int32) Node {
	i := g.chainStart[chain] + pos - 1
	switch {
	case i >= g.chainStart[chain+1]:
		return g.End()
	case g.member != nil:
		return g.member[i]
	}
	return Node(i)
}

// Nth is the node at place i of the list of all chains, one after the other.
func (g *Graph) Nth(i int32) Node {
	if g.member != nil {
		return g.member[i]
	}
	return Node(i)
}

// Place is the place of v in that list.
func (g *Graph) Place(v Node) int32 {
	if g.position != nil {
		return g.chainStart[g.chain[v]] + g.position[v] - 1
	}
	return int32(v)
}

// End is what follows the last node of a chain: a number greater than all nodes.
func (g *Graph) End() Node { return Node(g.n) }

// First is the first node of a chain; no chain is empty.
func (g *Graph) First(chain int32) Node { return g.Nth(g.chainStart[chain]) }

// After is the next node of v's chain, or End.
func (g *Graph) After(v Node) Node {
	switch {
	case g.after != nil:
		return g.after[v]
	case int32(v)+1 < g.chainStart[g.chain[v]+1]:
		return v + 1
	}
	return g.End()
}

// Before is the node before v in its chain, or NoNode.
func (g *Graph) Before(v Node) Node {
	if p := g.pos(v); p > 1 {
		return g.at(g.chain[v], p-1)
	}
	return NoNode
}
