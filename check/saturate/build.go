package saturate

import (
	"fmt"
	"slices"

	"ordeal/check/closure"
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
	if plan.fenceNodes != nil {
		g.fenceNodes, g.sources, g.class, g.kinds = plan.fenceNodes.list, plan.fenceNodes.sources, plan.fenceNodes.class, plan.fenceNodes.kinds
		g.localEdges = plan.fenceNodes.edges
		g.afterOwn = plan.fenceNodes.afterOwn()
	}
	g.collectWrites()
	g.layOut(plan)
	g.words = (g.width + 63) / 64
	g.collectWriteChainMasks()
	g.collectReaders()
	g.collectEdges(plan.time)
	return g, nil
}

// number gives the operations their nodes.
func (g *Graph) number(plan chainPlan) {
	ops := g.hist.Ops
	g.chains = len(plan.thread)
	g.thread = plan.thread
	g.chainStart = make([]int32, g.chains+1)
	for id, c := range plan.chain {
		if c >= 0 {
			g.chainStart[c+1]++
			g.n++
		} else if ops[id].Kind == parse.Read {
			g.isolated = append(g.isolated, parse.OpID(id))
		}
	}
	for _, p := range plan.second {
		g.chainStart[p.chain+1]++
		g.n++
	}
	ticks := plan.time.ticks()
	if ticks > 0 {
		g.chainStart[plan.time.chain+1] = int32(ticks)
		g.n += ticks
	}
	for c := range g.chains {
		g.chainStart[c+1] += g.chainStart[c]
	}
	g.op = make([]parse.OpID, g.n)
	g.kind = make([]uint8, g.n)
	g.chain = make([]int32, g.n)
	g.loc = make([]int32, g.n)
	fill := slices.Clone(g.chainStart)
	added := 0
	add := func(id parse.OpID, c int32) Node {
		v := Node(added)
		if plan.entries == nil {
			v = Node(fill[c])
			fill[c]++
		}
		added++
		g.op[v], g.chain[v], g.loc[v] = id, c, -1
		return v
	}
	g.node = make([]Node, len(ops))
	second := plan.second
	g.second = make([]Node, 0, len(second))
	for id, c := range plan.chain {
		for ; len(second) > 0 && second[0].op == parse.OpID(id) && (c < 0 || plan.fenceNodes != nil); second = second[1:] {
			g.second = append(g.second, add(second[0].op, second[0].chain))
		}
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
	for range ticks {
		add(parse.NoOp, plan.time.chain)
	}
	if plan.entries != nil {
		g.scatter()
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

func (g *Graph) collectWrites() {
	start, writes := closure.Group(len(g.hist.Locations), g.nodesWith(bitWrite), func(v Node) int32 { return g.loc[v] })
	g.writeChainStart = make([]int32, len(start))
	g.firstSlot = []int32{}
	g.writePos = make([]int32, len(writes))
	g.slot = make([]int32, g.n)
	for v := range g.slot {
		g.slot[v] = -1
	}
	for x := range g.hist.Locations {
		for s := start[x]; s < start[x+1]; s++ {
			v := writes[s]
			if s == start[x] || g.chain[writes[s-1]] != g.chain[v] {
				g.chainOfWrites = append(g.chainOfWrites, g.chain[v])
				g.firstSlot = append(g.firstSlot, s)
			}
			g.writePos[s] = g.pos(v)
			g.slot[v] = s
		}
		g.writeChainStart[x+1] = int32(len(g.chainOfWrites))
	}
	g.near = slices.Clone(g.firstSlot)
	g.firstSlot = append(g.firstSlot, int32(len(writes)))
}

// nodesWith lists the nodes of a kind, chain by chain.
func (g *Graph) nodesWith(bit uint8) []Node {
	nodes := make([]Node, 0, g.n)
	for i := range int32(g.n) {
		if v := g.Nth(i); g.kind[v]&bit != 0 {
			nodes = append(nodes, v)
		}
	}
	return nodes
}

func (g *Graph) collectReaders() {
	writers := g.n + len(g.hist.Locations)
	start, reads := closure.Group(writers, g.nodesWith(bitRead), func(v Node) int32 { return g.rf[v] })
	g.readers = make([]int32, writers)
	g.lastStart = make([]int32, writers+1)
	for w := range writers {
		g.readers[w] = start[w+1] - start[w]
		for i := start[w]; i < start[w+1]; i++ {
			if i+1 == start[w+1] || g.chain[reads[i+1]] != g.chain[reads[i]] {
				g.lastRead = append(g.lastRead, reads[i])
			}
		}
		g.lastStart[w+1] = int32(len(g.lastRead))
	}
	g.lastRead = slices.Clip(g.lastRead)
}

// maxMaskWords bounds the words of write chain masks: wider graphs have many write chains
// that are short.
const maxMaskWords = 4

func (g *Graph) collectWriteChainMasks() {
	if g.words > maxMaskWords || g.byLocation() {
		return
	}
	g.writeChainMask = make([]uint64, len(g.hist.Locations)*g.words)
	for x := range int32(len(g.hist.Locations)) {
		lo, hi := g.writeChains(x)
		for _, c := range g.chainOfWrites[lo:hi] {
			g.writeChainMask[int(x)*g.words+int(c>>6)] |= 1 << (c & 63)
		}
	}
}
