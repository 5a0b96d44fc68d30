package search

import (
	"ordeal/check/closure"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// placer puts the nodes of a saturated graph into a global memory order one
// by one, like the heuristic of Manovit and Hangal (SPAA 2005). A node may be
// placed after all its predecessors. Placing it is safe, so that a state that
// can be completed stays so, if it is a read, an RMW that is the only pending
// reader of its location's current value, or a write without pending readers,
// or one whose pending readers can all be placed next. Only a write that leaves
// a reader pending is a decision.
type placer struct {
	g           *saturate.Graph
	wait        []int32 // node → predecessors not yet placed
	placed      []bool
	seq         []saturate.Node // placed, in order
	at          []int32         // node → its place in seq, if it is placed
	heads       []saturate.Node // chain → its first node not placed
	pending     []int32         // writer → readers not yet placed
	current     []int32         // location → the writer of its current value
	overwritten []int32         // node that writes → the writer whose value it replaced, if it is placed
	taken       []saturate.Node // scratch of takeBack
	walked      []int32         // chain → the last step that deadEnd made from it
	walks       int32           // steps of deadEnd

	ready   []saturate.Node      // wait 0, not yet examined
	blocked [][]saturate.Node    // location → writes that wait for readers
	choices *Heap[saturate.Node] // decisions, by order of the sweep or due
	// due holds, where there was no sweep, the keys of decisions: see dueAt.
	due      []int32
	progress *progress
	// waiting holds, for a node not placed, the decisions that are to come after it.
	waiting map[saturate.Node][]saturate.Node
	nogoods // learned at dead ends and ahead of them
	look    lookahead

	probed, passed []saturate.Node // scratch of harmless

	hint     []int32 // for saturate.Graph.NextWrites
	ordered  bool    // the store order is known: no write is a decision
	refusals int
	undone   int // placements taken back, and the like for chains and nodes looked at
	effort   int // bound of that, 0 for none
}

func newPlacer(g *saturate.Graph) *placer {
	n, locs := g.Nodes(), len(g.History().Locations)
	p := &placer{
		g:           g,
		wait:        make([]int32, n),
		placed:      make([]bool, n),
		seq:         make([]saturate.Node, 0, n),
		at:          make([]int32, n),
		heads:       make([]saturate.Node, g.Chains()),
		pending:     make([]int32, n+locs),
		current:     make([]int32, locs),
		overwritten: make([]int32, n),
		blocked:     make([][]saturate.Node, locs),
		hint:        g.NewHint(),
		waiting:     map[saturate.Node][]saturate.Node{},
		ordered:     g.History().StoreOrder != nil,
		nogoods:     newNogoods(n),
	}
	p.choices = NewHeap(g.SweepOrder)
	for w := range p.pending {
		p.pending[w] = g.Readers(int32(w))
	}
	for x := range p.current {
		p.current[x] = int32(n + x)
	}
	for c := range p.heads {
		p.heads[c] = g.First(int32(c))
	}
	g.CountPredecessors(p.wait)
	p.findReady()
	return p
}

func (p *placer) findReady() {
	p.ready = p.ready[:0]
	p.choices.nodes = p.choices.nodes[:0]
	clear(p.waiting)
	for x := range p.blocked {
		p.blocked[x] = p.blocked[x][:0]
	}
	for _, v := range p.heads {
		if v != p.g.End() && p.wait[v] == 0 {
			p.ready = append(p.ready, v)
		}
	}
}

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
		case !p.writable(v):
			p.blocked[x] = append(p.blocked[x], v)
		case p.deferred(v):
		case p.ordered || p.g.IsRead(v) || p.pending[v] == 0 || p.harmless(v):
			p.place(v)
		default:
			if p.due != nil {
				p.due[v] = p.dueAt(v)
			}
			p.choices.Push(v)
		}
	}
}

// writable reports whether no other reader of the current value of v's
// location is pending.
func (p *placer) writable(v saturate.Node) bool {
	cur := p.current[p.g.Loc(v)]
	if p.g.IsRead(v) {
		return cur == p.g.Writer(v) && p.pending[cur] == 1
	}
	return p.pending[cur] == 0
}

// commit makes the decision v, unless looking ahead, where there was no sweep, refuses it.
func (p *placer) commit(v saturate.Node) {
	if p.due == nil || !p.foresee(v) {
		p.place(v)
	}
}

func (p *placer) place(v saturate.Node) {
	g := p.g
	p.placed[v] = true
	p.heads[g.Chain(v)] = g.After(v)
	if p.progress != nil {
		p.progress.advance(g.Thread(v), 1)
	}
	for _, w := range g.Returned(v) {
		p.pending[w]--
		if p.pending[w] > 1 {
			continue
		}
		if x := g.WriterLoc(w); p.current[x] == w {
			p.release(x)
		} else if p.pending[w] == 0 && p.wait[w] == 0 {
			// All loads of w were forwarded: w is no longer a decision.
			p.ready = append(p.ready, saturate.Node(w))
		}
	}
	if g.IsWrite(v) {
		x := g.Loc(v)
		p.overwritten[v], p.current[x] = p.current[x], int32(v)
		if p.pending[v] <= 1 {
			p.release(x)
		}
	}
	p.at[v] = int32(len(p.seq))
	p.seq = append(p.seq, v)
	if refused, ok := p.waiting[v]; ok {
		p.ready = append(p.ready, refused...)
		delete(p.waiting, v)
	}
	g.Successors(v, func(s saturate.Node) bool {
		p.pass(s)
		return true
	})
}

// pass notes that a predecessor of v was placed. What v reads from may be
// harmless by now.
func (p *placer) pass(v saturate.Node) {
	p.wait[v]--
	switch {
	case p.wait[v] == 0:
		p.ready = append(p.ready, v)
	case p.wait[v] == 1:
		for _, w := range p.g.Returned(v) {
			if int(w) < p.g.Nodes() && p.wait[w] == 0 && !p.placed[w] {
				p.ready = append(p.ready, saturate.Node(w))
			}
		}
	}
}

// harmless reports whether after placing the write w, which has no predecessor
// left, reads alone can be placed until none of w is pending. Then any order
// that completes the present one stays one when these come first.
func (p *placer) harmless(w saturate.Node) bool {
	g := p.g
	pending := p.pending[w]
	p.probed, p.passed = append(p.probed[:0], w), p.passed[:0]
	for i := 0; i < len(p.probed) && pending > 0 && i < maxProbe; i++ {
		g.Successors(p.probed[i], func(s saturate.Node) bool {
			p.wait[s]--
			p.passed = append(p.passed, s)
			if p.wait[s] == 0 && !g.IsWrite(s) {
				p.probed = append(p.probed, s)
				for _, r := range g.Returned(s) {
					if r == int32(w) {
						pending--
					}
				}
			}
			return true
		})
	}
	for _, s := range p.passed {
		p.wait[s]++
	}
	return pending == 0
}

// release lets the blocked writes of a location be examined again.
func (p *placer) release(x int32) {
	p.ready = append(p.ready, p.blocked[x]...)
	p.blocked[x] = p.blocked[x][:0]
}

// exhausted reports whether more was undone than allowed.
func (p *placer) exhausted() bool { return p.effort > 0 && p.undone > p.effort }

func (p *placer) done() bool { return len(p.seq) == p.g.Nodes() }

// finished is the finished order, isolated reads after their writers. The placer
// cannot be used afterwards.
func (p *placer) finished() *witness.Order {
	h := p.g.History()
	p.wait, p.pending, p.overwritten = nil, nil, nil
	// Isolated reads by the place of their writer; initial writes come first.
	start, reads := closure.Group(len(p.seq)+1, p.g.Isolated(), func(r parse.OpID) int32 {
		if w := h.Ops[r].RF; w != parse.Init {
			return p.at[p.g.Node(w)] + 1
		}
		return 0
	})
	ops := append(make([]parse.OpID, 0, len(h.Ops)), reads[:start[1]]...)
	for i, v := range p.seq {
		if !p.g.IsFence(v) {
			ops = append(ops, p.g.Op(v))
		}
		ops = append(ops, reads[start[i+1]:start[i+2]]...)
	}
	return &witness.Order{Ops: ops}
}
