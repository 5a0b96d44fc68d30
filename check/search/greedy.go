package search

import (
	"context"

	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// placer puts the nodes of a saturated graph into a global memory order one
// by one, in the manner of the heuristic of Manovit and Hangal (SPAA 2005).
// From any state that can be completed, these moves keep it so: a read whose
// predecessors are placed; such a write that leaves no reader of it pending;
// such an RMW that is the only pending reader of its location's present
// value. Only a write that leaves a reader pending is a decision.
type placer struct {
	g       *saturate.Graph
	wait    []int32 // node → predecessors not yet placed
	placed  []bool
	count   int
	current []int32 // location → writer of its present value
	pending []int32 // writer → readers not yet placed
	order   []parse.OpID
	follow  [][]parse.OpID    // writer of isolated reads → those reads
	ready   []saturate.Node   // wait 0, not yet looked at
	blocked [][]saturate.Node // location → writes that wait for readers
	keep    bool              // changes to the graph must be undoable
	// await holds, for a node not placed, the decisions that were refused
	// because it must come before them.
	await   map[saturate.Node][]saturate.Node
	choices nodeHeap // decisions, by order of the sweep
}

func newPlacer(g *saturate.Graph) *placer {
	n, locs := g.Nodes(), len(g.History().Locations)
	p := &placer{
		g:       g,
		wait:    make([]int32, n),
		placed:  make([]bool, n),
		current: make([]int32, locs),
		pending: make([]int32, n+locs),
		order:   make([]parse.OpID, 0, len(g.History().Ops)),
		blocked: make([][]saturate.Node, locs),
		await:   map[saturate.Node][]saturate.Node{},
		choices: nodeHeap{key: g.SweepOrder},
	}
	for w := range p.pending {
		p.pending[w] = g.Readers(int32(w))
	}
	for x := range p.current {
		p.current[x] = int32(n + x)
	}
	g.CountPredecessors(p.wait)
	for v, k := range p.wait {
		if k == 0 {
			p.ready = append(p.ready, saturate.Node(v))
		}
	}
	p.placeIsolated()
	return p
}

// placeIsolated places the isolated reads of initial values and notes the
// others by their writers.
func (p *placer) placeIsolated() {
	for _, id := range p.g.Isolated() {
		rf := p.g.History().Ops[id].RF
		if rf == parse.Init {
			p.order = append(p.order, id)
			continue
		}
		if p.follow == nil {
			p.follow = make([][]parse.OpID, p.g.Nodes())
		}
		w := p.g.Node(rf)
		p.follow[w] = append(p.follow[w], id)
	}
}

// settle makes safe moves until there is none.
func (p *placer) settle() {
	for len(p.ready) > 0 {
		v := p.ready[len(p.ready)-1]
		p.ready = p.ready[:len(p.ready)-1]
		if p.wait[v] > 0 || p.placed[v] {
			continue
		}
		if !p.g.IsWrite(v) {
			p.place(v)
			continue
		}
		x := p.g.Loc(v)
		switch {
		case !p.mayWrite(v):
			p.blocked[x] = append(p.blocked[x], v)
		case p.g.IsRead(v) || p.pending[v] == 0:
			p.place(v)
		default:
			p.choices.push(v)
		}
	}
}

// mayWrite reports whether no other reader of the present value of v's
// location is pending.
func (p *placer) mayWrite(v saturate.Node) bool {
	cur := p.current[p.g.Loc(v)]
	if p.g.IsRead(v) {
		return cur == p.g.Writer(v) && p.pending[cur] == 1
	}
	return p.pending[cur] == 0
}

// place appends v to the order.
func (p *placer) place(v saturate.Node) {
	g := p.g
	p.placed[v] = true
	p.count++
	if !g.IsFence(v) {
		p.order = append(p.order, g.Op(v))
	}
	if g.IsRead(v) {
		w := g.Writer(v)
		p.pending[w]--
		if x := g.Loc(v); p.pending[w] <= 1 && p.current[x] == w {
			p.release(x)
		}
	}
	if g.IsWrite(v) {
		x := g.Loc(v)
		p.current[x] = int32(v)
		if p.follow != nil {
			p.order = append(p.order, p.follow[v]...)
		}
		if p.pending[v] <= 1 {
			p.release(x)
		}
	}
	if waiting, ok := p.await[v]; ok {
		p.ready = append(p.ready, waiting...)
		delete(p.await, v)
	}
	g.Successors(v, func(s saturate.Node) bool {
		if p.wait[s]--; p.wait[s] == 0 {
			p.ready = append(p.ready, s)
		}
		return true
	})
}

// release lets the blocked writes of a location be looked at again.
func (p *placer) release(x int32) {
	p.ready = append(p.ready, p.blocked[x]...)
	p.blocked[x] = p.blocked[x][:0]
}

// done reports whether every node is placed.
func (p *placer) done() bool { return p.count == p.g.Nodes() }

// commit places the decision v if forward checking finds no contradiction:
// the pending readers of v precede the next write of each chain, and the
// closure of that must not put a node not placed before one that is.
func (p *placer) commit(v saturate.Node) bool {
	g := p.g
	mark := g.Mark()
	p.placed[v] = true
	if !p.guard(v) {
		p.refuse(v)
		p.placed[v] = false
		g.Undo(mark)
		return false
	}
	if !p.keep {
		g.Forget()
	}
	for i := mark.Edges(); i < g.Inferred(); i++ {
		_, to, _, _ := g.InferredEdge(i)
		p.wait[to]++
	}
	p.place(v)
	return true
}

func (p *placer) guard(v saturate.Node) bool {
	ok := true
	p.g.NextWrites(p.g.Loc(v), func(u saturate.Node) bool { return p.placed[u] }, func(u saturate.Node) {
		for _, r := range p.g.LastReaders(int32(v)) {
			if ok && r != u && !p.placed[r] && !p.g.HB(r, u) {
				ok = p.g.Add(r, u, witness.DerivedB, v)
			}
		}
	})
	return ok && p.g.Close()
}

// refuse puts off a decision that forward checking refused. If something
// must precede v, v waits for that; otherwise another write to its location
// must come first, and v waits for one.
func (p *placer) refuse(v saturate.Node) {
	if u, to := p.g.Contradiction(); to == v && !p.g.HB(v, u) {
		p.await[u] = append(p.await[u], v)
		return
	}
	x := p.g.Loc(v)
	p.blocked[x] = append(p.blocked[x], v)
}

// greedy tries to order the nodes without ever taking back a decision that
// passed forward checking. At a dead end, which proves nothing, order is nil
// and stuck shows the state. With keep the caller can undo what it did to the
// graph; without, the graph is of no further use. rejected counts the
// decisions that forward checking refused.
func greedy(ctx context.Context, g *saturate.Graph, keep bool) (order *witness.Order, stuck *placer, rejected int, err error) {
	p := newPlacer(g)
	p.keep = keep
	g.SetPlaced(p.placed)
	defer g.SetPlaced(nil)
	for steps := 0; ; steps++ {
		if steps%1024 == 0 && ctx.Err() != nil {
			return nil, p, rejected, context.Cause(ctx)
		}
		p.settle()
		if p.done() {
			return &witness.Order{Ops: p.order}, nil, rejected, nil
		}
		v, ok := p.choices.pop()
		if !ok {
			return nil, p, rejected, nil
		}
		if p.wait[v] > 0 || p.placed[v] {
			continue
		}
		if !p.mayWrite(v) {
			x := g.Loc(v)
			p.blocked[x] = append(p.blocked[x], v)
			continue
		}
		if !p.commit(v) {
			rejected++
		}
	}
}
