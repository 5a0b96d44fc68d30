package saturate

import (
	"math"

	"ordeal/check/model"
	"ordeal/parse"
)

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

// EstimateBytes estimates the memory of the graph when it is saturated, and of a search
// on it that ends in an order. It is exact except for the numbers of edges.
func (g *Graph) EstimateBytes() int64 {
	const perChain = 4 + 4 + 4 + 4 // thread, start, clock entry, the search's first node left
	nodes, writes, row := int64(g.n), int64(len(g.writePos)), 4*int64(g.entries)
	if g.entries > wideRows {
		row += 8 * int64(summaryWords(g.entries))
	}
	inferred, byLocation := inferredEdges(g.hist), int64(0)
	if g.model.PPO != 0 {
		inferred *= 1.5 // what repairs keep
	}
	if g.byLocation() {
		if g.model.PPO != 0 {
			inferred *= 2 // about as many are paths
		}
		components, gates := int64(0), -int64(len(g.second))
		for x := range int32(len(g.hist.Locations)) {
			lo, hi := g.writeChains(x)
			components += int64(hi-lo) * int64(g.firstSlot[hi]-g.firstSlot[lo])
		}
		for _, entry := range g.entry {
			if entry >= 0 {
				gates++
			}
		}
		byLocation = 4*components + nodes*(perEntry+perScattered) + writes*(4+4) + gates*12 + int64(g.chains)*perChain
	}
	edges := float64(nodes) * (staticEdges(g.model)*perEdge + inferred*perInferred)
	return int64(len(g.hist.Ops))*4 + nodes*(perNode+row) + byLocation +
		writes*(4+8) + int64(len(g.nodesWith(bitRead)))*4 + int64(len(g.isolated))*12 + int64(len(g.chainOfWrites))*16 + int64(edges)
}

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
