package saturate

import "slices"

// Costs of a path, in the reader's effort: an edge that is plain from the
// history, and one that needs a lemma.
const (
	costPlain = 1
	costLemma = 5
)

// pathEntry is a place where a search for a path entered a chain.
type pathEntry struct {
	node   Node
	parent int32   // the entry whose chain the search left, -1 at the start
	by     edgeRef // the edge that led here
	cost   int32
}

// nearby is how far along a chain a search for a path looks at first.
const nearby = 4096

// path finds a cheap path from src to dst that uses only inferred edges with
// numbers below bound; a move along a chain is one edge of any length. It
// returns nil if there is none. A cheaper path that leaves a chain far from where
// it entered may be missed: to search all of a history of a million operations
// takes a quarter of the time of its saturation, and rarely finds a better one.
func (g *Graph) path(src, dst Node, bound int32) []edgeRef {
	covered := g.reachable(dst)
	if p := g.pathWithin(src, dst, bound, nearby, covered); p != nil {
		return p
	}
	return g.pathWithin(src, dst, bound, g.n, covered)
}

// reachable returns the function from a chain to its first node that does not lead to
// dst, as far as that is known: if dst was processed, its row bounds the nodes that
// do, in chains that it has components for.
func (g *Graph) reachable(dst Node) func(chain int32) Node {
	if g.order[dst] == 0 {
		return func(int32) Node { return g.End() }
	}
	if !g.byLocation() {
		return func(c int32) Node { return g.at(c, g.cell(dst, c)+1) }
	}
	return func(c int32) Node {
		if i := g.entry[g.First(c)]; i >= 0 {
			return g.at(c, g.cell(dst, i)+1)
		}
		return g.End()
	}
}

// coverage says from which node on a search for a path need not look at a chain.
// One search sees few of many chains, so that what earlier ones left is replaced
// chain by chain. It also keeps the room of the entries.
type coverage struct {
	first     []Node  // chain → its first node covered
	search    []int32 // chain → the search that first is of
	searches  int32
	reachable func(int32) Node
	entries   []pathEntry
}

func (c *coverage) begin(chains int, reachable func(int32) Node) *coverage {
	if c.first == nil {
		c.first, c.search = make([]Node, chains), make([]int32, chains)
	}
	c.searches++
	c.reachable = reachable
	return c
}

func (c *coverage) from(chain int32) Node {
	if c.search[chain] != c.searches {
		c.search[chain], c.first[chain] = c.searches, c.reachable(chain)
	}
	return c.first[chain]
}

// pathWithin finds a path that leaves a chain within so many nodes from where
// it entered it.
//
// It is Dijkstra's algorithm over entries into chains. An entry covers the
// nodes of its chain up to the first one covered already, so that no node is
// scanned twice. Nodes of a chain from the one that reachable gives on need no
// look.
func (g *Graph) pathWithin(src, dst Node, bound int32, limit int, reachable func(int32) Node) []edgeRef {
	covered := g.coverage.begin(g.chains, reachable)
	entries := append(covered.entries[:0], pathEntry{node: src, parent: -1})
	defer func() { covered.entries = entries }()
	buckets := [][]int32{{0}}
	enter := func(parent int32, by edgeRef, cost int32) {
		if by.to >= covered.from(g.chain[by.to]) {
			return
		}
		for int(cost) >= len(buckets) {
			buckets = append(buckets, nil)
		}
		buckets[cost] = append(buckets[cost], int32(len(entries)))
		entries = append(entries, pathEntry{node: by.to, parent: parent, by: by, cost: cost})
	}
	for cost := int32(0); int(cost) < len(buckets); cost++ {
		for len(buckets[cost]) > 0 {
			last := len(buckets[cost]) - 1
			id := buckets[cost][last]
			buckets[cost] = buckets[cost][:last]
			e := entries[id]
			c := g.chain[e.node]
			if c == g.chain[dst] && e.node <= dst {
				return g.trace(entries, id, dst)
			}
			end := covered.from(c)
			covered.first[c] = min(end, e.node)
			for x, left := e.node, limit; x < end && left > 0; x, left = g.After(x), left-1 {
				here := cost
				if x > e.node {
					here += costPlain
				}
				for i := g.outStart[x]; i < g.outStart[x+1]; i++ {
					if t := g.outTo[i]; t < covered.from(g.chain[t]) {
						enter(id, edgeRef{from: x, to: t, static: i, inferred: -1}, here+costPlain)
					}
				}
				g.crossingInferred(x, func(ref edgeRef) {
					if ref.inferred < bound && !g.isPath(ref) {
						enter(id, ref, here+costLemma)
					}
				})
			}
		}
	}
	return nil
}

// trace is the path that led to an entry of dst's chain and on to dst.
func (g *Graph) trace(entries []pathEntry, id int32, dst Node) []edgeRef {
	var path []edgeRef
	for at := dst; id >= 0; id = entries[id].parent {
		e := &entries[id]
		if e.node != at {
			path = append(path, edgeRef{from: e.node, to: at, static: -1, inferred: -1})
		}
		if e.parent >= 0 {
			path = append(path, e.by)
		}
		at = e.by.from
	}
	slices.Reverse(path)
	return path
}
