package saturate

import (
	"math"

	"ordeal/check/model"
	"ordeal/parse"
)

// HeldNodes is the number of nodes that a search should change between Hold and
// Release, so that the copies are a small part of all rows.
func HeldNodes(nodes int) int { return min(max(512, nodes/128), 8192) }

// EstimateBytes estimates the memory of a saturated graph of the history under
// the model and of a search on it that ends in an order. It is exact except for
// the numbers of edges.
func EstimateBytes(h *parse.History, m model.Model) int64 {
	plan := planChains(h, m)
	chains := int64(len(plan.thread))
	nodes := int64(len(plan.second) + plan.time.ticks())
	var reads, writes, isolated int64
	for id, c := range plan.chain {
		o := &h.Ops[id]
		switch {
		case c >= 0:
			nodes++
			if o.Reads() {
				reads++
			}
			if o.Writes() {
				writes++
			}
		case o.Kind == parse.Read:
			isolated++
		}
	}
	lanes := min(writes, int64(h.Threads()*len(h.Locations)))
	row := 4 * chains
	if chains > wideRows {
		row += 8 * int64(summaryWords(int(chains)))
	}
	held := int64(0)
	if m.PPO != 0 { // else nothing is inferred, nor has a search to hold anything
		held = min(nodes, int64(HeldNodes(int(nodes))))
	}
	const (
		perNode     = 21 + 4 + 8 + 4 + 8 + 13 // number, slot, readers, edges, sweep, search
		perEdge     = 4 + 1
		perInferred = 8
	)
	edges := float64(nodes) * (staticEdges(m)*perEdge + inferredEdges(h)*perInferred)
	return int64(len(h.Ops))*4 + nodes*(perNode+row) + held*row +
		writes*(4+8) + reads*4 + isolated*12 + lanes*16 + int64(edges)
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
