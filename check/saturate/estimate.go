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
	return int64(float64(len(h.Ops)) * (4 + perNode + perSearch + staticEdges(m)*(2*perEdge+perTemporary)))
}

// Bytes of a graph's parts.
const (
	perNode      = 21 + 4 + 8 + 4 + 8 + 17 // number, slot, readers, edges, sweep, search
	perSearch    = 4 + 4                   // on the static graph besides: keys of decisions, sources
	perEdge      = 4 + 1
	perTemporary = 12 // before edges are grouped
	perInferred  = 8
)

// EstimateBytes estimates the memory of a saturated graph of the history under
// the model and of a search on it that ends in an order. It is exact except for
// the numbers of edges. Of that, sparse is what very wide rows take if no block of
// them is zero: the graph takes it as they fill (see Graph.SetPageMemory).
func EstimateBytes(h *parse.History, m model.Model) (most, sparse int64) {
	plan := planChains(h, m)
	columns := int64(len(plan.thread))
	lanes := newLaneCount(h)
	gates := int64(0)
	if plan.columns != nil {
		columns = int64(len(plan.columns))
	}
	nodes := int64(len(plan.second) + plan.time.ticks())
	var reads, writes, isolated int64
	for id, c := range plan.chain {
		o := &h.Ops[id]
		switch {
		case c >= 0:
			nodes++
			if o.Writes() {
				lanes.add(o.Loc, c)
			}
			if plan.columns[c] {
				gates++
			}
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
	row := 4 * columns
	if columns > wideRows {
		row += 8 * int64(summaryWords(int(columns)))
	}
	if columns > int64(pagedRows) {
		blocks := int64(blocksOf(int(columns)))
		sparse = nodes * blocks * pageBytes
		row += blocks*(4+pageBytes) - 4*columns
	}
	const perChain = 4 + 4 + 4 + 4 // thread, start, column, the search's first node left
	byLocation, widest, inferred := int64(0), row, inferredEdges(h)
	if plan.columns != nil {
		widest += 4 * lanes.widest()
		if m.PPO != 0 {
			inferred *= 2 // about as many are paths
		}
		byLocation = 4*lanes.components() + nodes*(8+4) + writes*(4+4) + gates*12 + int64(len(plan.thread))*perChain
	}
	held := int64(0)
	if m.PPO != 0 && sparse == 0 { // else nothing is inferred, nor has a search to hold anything
		held = min(nodes, int64(HeldNodes(int(nodes))))
	}
	edges := float64(nodes) * (staticEdges(m)*perEdge + inferred*perInferred)
	most = int64(len(h.Ops))*4 + nodes*(perNode+row) + held*widest + byLocation +
		writes*(4+8) + reads*4 + isolated*12 + lanes.count*16 + int64(edges)
	return most, sparse
}

// laneCount counts the lanes of each location, given its writes by thread.
type laneCount struct {
	lanes, writes []int64    // by location
	seen          [][2]int32 // location → the latest chains that write to it, of at most two a thread
	count         int64
}

func newLaneCount(h *parse.History) *laneCount {
	d := len(h.Locations)
	l := &laneCount{lanes: make([]int64, d), writes: make([]int64, d), seen: make([][2]int32, d)}
	for x := range l.seen {
		l.seen[x] = [2]int32{-1, -1}
	}
	return l
}

func (l *laneCount) add(x, chain int32) {
	l.writes[x]++
	if s := &l.seen[x]; s[0] != chain && s[1] != chain {
		s[0], s[1] = chain, s[0]
		l.lanes[x]++
		l.count++
	}
}

// components is the number of components for lanes in the rows of all writes.
func (l *laneCount) components() (n int64) {
	for x, lanes := range l.lanes {
		n += lanes * l.writes[x]
	}
	return n
}

func (l *laneCount) widest() int64 { return slices.Max(append(l.lanes, 0)) }

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
