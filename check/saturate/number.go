package saturate

import (
	"fmt"

	"ordeal/check/model"
	"ordeal/parse"
)

// Build makes the static graph of a history under a model with a global
// memory order. It trusts that the history is well formed
// (parse.History.Validate). Contradictions among static facts are not errors:
// they make Saturate return false.
func Build(h *parse.History, m model.Model) (*Graph, error) {
	if m.Family != model.Total {
		return nil, fmt.Errorf("build graph: model %s has no global memory order", m.Name)
	}
	g := &Graph{hist: h, model: m}
	plan := planChains(h, m)
	g.number(plan)
	g.collectWrites()
	g.collectLaneMasks()
	g.collectReaders()
	g.collectEdges()
	return g, nil
}

// number gives the operations of each chain consecutive nodes.
func (g *Graph) number(plan chainPlan) {
	ops := g.hist.Ops
	g.chains = len(plan.thread)
	g.words = (g.chains + 63) / 64
	g.thread = plan.thread
	g.start = make([]Node, g.chains+1)
	for id, c := range plan.chain {
		if c >= 0 {
			g.start[c+1]++
			g.n++
		} else if ops[id].Kind == parse.Read {
			g.isolated = append(g.isolated, parse.OpID(id))
		}
	}
	for _, p := range plan.second {
		g.start[p.chain+1]++
		g.n++
	}
	for c := range g.chains {
		g.start[c+1] += g.start[c]
	}
	g.op = make([]parse.OpID, g.n)
	g.kind = make([]uint8, g.n)
	g.chain = make([]int32, g.n)
	g.loc = make([]int32, g.n)
	fill := append([]Node(nil), g.start...)
	add := func(id parse.OpID, c int32) Node {
		v := fill[c]
		fill[c]++
		g.op[v], g.chain[v], g.loc[v] = id, c, -1
		return v
	}
	g.node = make([]Node, len(ops))
	second := plan.second
	for id, c := range plan.chain {
		if c < 0 {
			g.node[id] = NoNode
			continue
		}
		v := add(parse.OpID(id), c)
		g.node[id] = v
		o := &ops[id]
		if o.Reads() {
			g.kind[v] |= bitRead
		}
		if o.Writes() {
			g.kind[v] |= bitWrite
		}
		if g.kind[v] != 0 {
			g.loc[v] = o.Loc
		}
		if len(second) > 0 && second[0].op == parse.OpID(id) {
			g.second = append(g.second, add(second[0].op, second[0].chain))
			second = second[1:]
		}
	}
	g.rf = make([]int32, g.n)
	for v := range g.rf {
		g.rf[v] = -1
		if g.kind[v]&bitRead != 0 {
			if w := ops[g.op[v]].RF; w == parse.Init {
				g.rf[v] = int32(g.n) + g.loc[v]
			} else {
				g.rf[v] = int32(g.node[w])
			}
		}
	}
	g.head = make([]int32, g.n)
	for v := range g.head {
		g.head[v] = -1
	}
}

// collectWrites fills the lanes.
func (g *Graph) collectWrites() {
	locs := len(g.hist.Locations)
	g.slot = make([]int32, g.n)
	// A lane of x opens when a chain's first write to x is met, chains in
	// ascending order: count lanes per location, then writes per lane.
	mark := make([]int32, locs)
	lanes := make([]int32, locs+1)
	writes := 0
	each := func(first func(x int32), every func(x int32, v Node)) {
		for x := range mark {
			mark[x] = -1
		}
		for c := range g.chains {
			for v := g.start[c]; v < g.start[c+1]; v++ {
				if g.kind[v]&bitWrite == 0 {
					continue
				}
				x := g.loc[v]
				if mark[x] != int32(c) {
					mark[x] = int32(c)
					first(x)
				}
				every(x, v)
			}
		}
	}
	each(func(x int32) { lanes[x+1]++ }, func(int32, Node) { writes++ })
	for x := range locs {
		lanes[x+1] += lanes[x]
	}
	g.laneStart = lanes
	total := lanes[locs]
	g.laneChain = make([]int32, total)
	g.laneWrite = make([]int32, total+1)
	g.writePos = make([]int32, writes)
	open := append([]int32(nil), lanes...) // location → one past its current lane
	each(func(x int32) { open[x]++ }, func(x int32, v Node) {
		l := open[x] - 1
		g.laneChain[l] = g.chain[v]
		g.laneWrite[l+1]++
	})
	for l := range total {
		g.laneWrite[l+1] += g.laneWrite[l]
	}
	g.near = append([]int32(nil), g.laneWrite[:total]...)
	fill := append([]int32(nil), g.laneWrite...)
	for v := range g.slot {
		g.slot[v] = -1
	}
	copy(open, lanes)
	each(func(x int32) { open[x]++ }, func(x int32, v Node) {
		l := open[x] - 1
		g.writePos[fill[l]] = g.pos(v)
		g.slot[v] = fill[l]
		fill[l]++
	})
}

// collectReaders fills the table of last readers.
func (g *Graph) collectReaders() {
	writers := g.n + len(g.hist.Locations)
	g.readers = make([]int32, writers)
	g.lastStart = make([]int32, writers+1)
	mark := make([]int32, writers)
	each := func(f func(w int32, r Node)) {
		for w := range mark {
			mark[w] = -1
		}
		for c := range g.chains {
			for v := g.start[c+1] - 1; v >= g.start[c]; v-- {
				if w := g.rf[v]; w >= 0 && mark[w] != int32(c) {
					mark[w] = int32(c)
					f(w, v)
				}
			}
		}
	}
	for v := range g.rf {
		if w := g.rf[v]; w >= 0 {
			g.readers[w]++
		}
	}
	each(func(w int32, _ Node) { g.lastStart[w+1]++ })
	for w := range writers {
		g.lastStart[w+1] += g.lastStart[w]
	}
	g.lastRead = make([]Node, g.lastStart[writers])
	fill := append([]int32(nil), g.lastStart...)
	each(func(w int32, r Node) {
		g.lastRead[fill[w]] = r
		fill[w]++
	})
}

// maxMaskWords bounds the words of lane masks: wider graphs have many lanes
// that are short.
const maxMaskWords = 4

// collectLaneMasks fills the masks of chains that write a location.
func (g *Graph) collectLaneMasks() {
	if g.words > maxMaskWords {
		return
	}
	g.laneMask = make([]uint64, len(g.hist.Locations)*g.words)
	for x := range int32(len(g.hist.Locations)) {
		lo, hi := g.lanes(x)
		for _, c := range g.laneChain[lo:hi] {
			g.laneMask[int(x)*g.words+int(c>>6)] |= 1 << (c & 63)
		}
	}
}
