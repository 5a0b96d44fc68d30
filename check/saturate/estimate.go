package saturate

import (
	"math"
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// HeldNodes is the number of nodes that a search should change between Hold and
// Release, so that the copies are a small part of all rows.
func HeldNodes(nodes int) int { return min(max(512, nodes/128), 8192) }

// EstimateStaticBytes is about the most memory that the graph of the history takes
// before it is saturated, with a search on it that ends in an order. It takes no
// time to find.
func EstimateStaticBytes(h *parse.History, m model.Model) int64 {
	numbers := 0.0
	if m.PPO&parse.StoreStore == 0 {
		numbers = perEntry + perScattered
	}
	return int64(float64(len(h.Ops)) * (4 + numbers + perNode + perSearch + staticEdges(m)*(2*perEdge+perTemporary)))
}

// Bytes of a graph's parts.
const (
	perNode      = 21 + 4 + 8 + 4 + 8 + 21 // number, slot, readers, edges, sweep, search
	perSearch    = 4 + 4 + 4               // on the static graph besides: keys of decisions, sources, idle nodes
	perEntry     = 8 + 4                   // start of the row, clock entry
	perScattered = 12                      // lists of chains
	perEdge      = 4 + 1
	perTemporary = 12 // before edges are grouped
	perInferred  = 8
)

// EstimateBytes estimates the memory of a saturated graph of the history under
// the model and of a search on it that ends in an order. It is exact except for
// the numbers of edges.
func EstimateBytes(h *parse.History, m model.Model) int64 {
	plan := planChains(h, m)
	writeChains := newWriteChainCount(h)
	s := sizes{entries: int64(len(plan.thread)), chains: int64(len(plan.thread)), byLocation: plan.entries != nil}
	if s.byLocation {
		s.entries = int64(len(plan.entries))
	}
	s.nodes = int64(len(plan.second) + plan.time.ticks())
	for id, c := range plan.chain {
		o := &h.Ops[id]
		switch {
		case c >= 0:
			s.nodes++
			if o.Writes() {
				writeChains.add(o.Loc, c)
				s.writes++
			}
			if plan.entries[c] {
				s.gates++
			}
			if o.Reads() {
				s.reads++
			}
		case o.Kind == parse.Read:
			s.isolated++
		}
	}
	s.writeChains, s.widest, s.components = writeChains.count, writeChains.widest(), writeChains.components()
	return s.estimate(h, m)
}

// EstimateBytes is EstimateBytes of the graph's history and model.
func (g *Graph) EstimateBytes() int64 {
	s := sizes{
		nodes: int64(g.n), entries: int64(g.entries), chains: int64(g.chains), byLocation: g.byLocation(),
		writes: int64(len(g.writePos)), isolated: int64(len(g.isolated)), writeChains: int64(len(g.chainOfWrites)),
	}
	for x := range int32(len(g.hist.Locations)) {
		lo, hi := g.writeChains(x)
		slots := int64(g.firstSlot[hi] - g.firstSlot[lo])
		s.widest = max(s.widest, int64(hi-lo))
		s.components += int64(hi-lo) * slots
	}
	for v, kind := range g.kind {
		if kind&bitRead != 0 {
			s.reads++
		}
		if s.byLocation && g.entry[v] >= 0 {
			s.gates++
		}
	}
	if s.byLocation {
		s.gates -= int64(len(g.second))
	}
	return s.estimate(g.hist, g.model)
}

// sizes are the numbers of a graph's parts.
type sizes struct {
	nodes, entries, chains, reads, writes, isolated int64
	gates                                           int64 // operations with nodes in chains with clock entries
	writeChains, widest, components                 int64 // of all locations, of the one with most, in the rows of writes
	byLocation                                      bool
}

func (s *sizes) estimate(h *parse.History, m model.Model) int64 {
	row := 4 * s.entries
	if s.entries > wideRows {
		row += 8 * int64(summaryWords(int(s.entries)))
	}
	const perChain = 4 + 4 + 4 + 4 // thread, start, clock entry, the search's first node left
	byLocation, widest, inferred := int64(0), row, inferredEdges(h)
	if s.byLocation {
		widest += 4 * s.widest
		if m.PPO != 0 {
			inferred *= 2 // about as many are paths
		}
		byLocation = 4*s.components + s.nodes*(perEntry+perScattered) + s.writes*(4+4) + s.gates*12 + s.chains*perChain
	}
	held := int64(0)
	if m.PPO != 0 { // else nothing is inferred, nor has a search to hold anything
		held = min(s.nodes, int64(HeldNodes(int(s.nodes))))
	}
	edges := float64(s.nodes) * (staticEdges(m)*perEdge + inferred*perInferred)
	return int64(len(h.Ops))*4 + s.nodes*(perNode+row) + held*widest + byLocation +
		s.writes*(4+8) + s.reads*4 + s.isolated*12 + s.writeChains*16 + int64(edges)
}

// writeChainCount counts the write chains of each location, given its writes by thread.
type writeChainCount struct {
	writeChains, writes []int64    // by location
	seen                [][2]int32 // location → the latest chains that write to it, of at most two a thread
	count               int64
}

func newWriteChainCount(h *parse.History) *writeChainCount {
	d := len(h.Locations)
	l := &writeChainCount{writeChains: make([]int64, d), writes: make([]int64, d), seen: make([][2]int32, d)}
	for x := range l.seen {
		l.seen[x] = [2]int32{-1, -1}
	}
	return l
}

func (l *writeChainCount) add(x, chain int32) {
	l.writes[x]++
	if s := &l.seen[x]; s[0] != chain && s[1] != chain {
		s[0], s[1] = chain, s[0]
		l.writeChains[x]++
		l.count++
	}
}

// components is the number of components for write chains in the rows of all writes.
func (l *writeChainCount) components() (n int64) {
	for x, writeChains := range l.writeChains {
		n += writeChains * l.writes[x]
	}
	return n
}

func (l *writeChainCount) widest() int64 { return slices.Max(append(l.writeChains, 0)) }

func staticEdges(m model.Model) float64 {
	if m.PPO == parse.FullFence {
		return 0.4
	}
	return 1.1
}

// inferredEdges is about the number of inferred edges of a node: between 0.3
// and 4 in runs of machines with 2 to 64 threads and 8 to 1024 locations.
func inferredEdges(h *parse.History) float64 {
	threads, locations := float64(h.Threads()), float64(max(1, len(h.Locations)))
	return math.Sqrt(threads*math.Sqrt(threads/locations)) / 4
}
