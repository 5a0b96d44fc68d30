// Package vectorclock is the analysis of TSOtool as published by Manovit and Hangal
// (SPAA 2005): rules R1–R7 with reverse-time vector clocks, over two virtual SC
// processors for each processor of TSO, and the heuristic that looks for a
// total operation order (TOO).
//
// The static edges (R1–R5) are those of package precedence, which also knows
// fences, RMWs, final values and a known store order. R6 and R7 are applied as
// in the paper's Fig. 4: store by store, looking only at the first access to
// the store's location that follows it on each virtual processor. The figure
// updates the clock of the one operation that gets an edge and does not say
// how the others learn of it; here each iteration starts with clocks computed
// afresh by a backward topological sort, which also finds the cycles.
package vectorclock

import (
	"context"
	"sort"

	"ordeal/check/model"
	"ordeal/check/procedures/precedence"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Procedure is incomplete: it refutes, or gives up. TSOtool also tries the
// heuristic at each iteration, and answers Allowed where that finds an order;
// it stays incomplete. The paper reports such histories as passed.
var (
	Procedure = procedure("vc", "rules R1-R7 of TSOtool by reverse-time vector clocks; refutes only", false)
	TSOtool   = procedure("tsotool", "vc with TSOtool's heuristic for a total operation order; may give up", true)
)

func procedure(name, summary string, too bool) search.Procedure {
	return search.Procedure{
		Name: name, Summary: summary, Supports: search.Only(model.SC, model.TSO),
		Decide: func(ctx context.Context, h *parse.History, m model.Model, limits search.Limits, v *witness.Verdict) error {
			if err := limits.Check(int64(len(h.Ops)) * (8*int64(h.Threads()) + 300)); err != nil {
				return err
			}
			a := newAnalysis(precedence.New(h, m))
			v.Answer = witness.Forbidden
			for changed := true; changed; {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				if _, v.Refutation = a.g.Order(); v.Refutation != nil {
					return nil
				}
				a.clocks()
				if too {
					if order := totalOrder(a.g); order != nil {
						v.Answer, v.Order = witness.Allowed, &witness.Order{Ops: order}
						return nil
					}
				}
				changed = a.infer()
				v.Stats.Derived = int(a.serial)
				if a.initial != nil {
					v.Refutation = a.refuteInitial()
					return nil
				}
			}
			v.Answer, v.Reason = witness.Unknown, "rules R6 and R7 reached a fixed point without a cycle, which proves nothing"
			return nil
		},
	}
}

// never is the position of an operation that does not exist.
const never int32 = 1<<31 - 1

// analysis is the state of the iteration over R6 and R7.
type analysis struct {
	g      *precedence.Graph
	chains int
	chain  []int32 // operation → virtual processor, -1 for a fence
	pos    []int32 // operation → its position there, from 1
	// rtvc holds for each node the position, on each virtual processor, of
	// the first operation that follows or is the node.
	rtvc []int32
	// loads and stores list the accesses to a location on a virtual
	// processor, at location·chains + chain; an RMW is in both.
	loads, stores [][]parse.OpID
	readers       [][]parse.OpID
	arcs          []precedence.Arc // found in this iteration
	serial        int32
	initial       *precedence.Arc // into an initial write: a violation
}

func newAnalysis(g *precedence.Graph) *analysis {
	h := g.History
	a := &analysis{
		g: g, chains: h.Threads(), chain: make([]int32, len(h.Ops)), pos: make([]int32, len(h.Ops)),
		readers: make([][]parse.OpID, len(h.Ops)),
	}
	split := g.Model.PPO&parse.StoreLoad == 0
	if split {
		a.chains *= 2
	}
	a.loads = make([][]parse.OpID, len(h.Locations)*a.chains)
	a.stores = make([][]parse.OpID, len(h.Locations)*a.chains)
	length := make([]int32, a.chains)
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			c := t
			if split {
				c *= 2
				if op.Writes() {
					c++
				}
			}
			a.chain[id] = int32(c)
			if op.Kind == parse.Fence {
				a.chain[id] = -1
				continue
			}
			length[c]++
			a.pos[id] = length[c]
			list := int(op.Loc)*a.chains + c
			if op.Reads() {
				a.loads[list] = append(a.loads[list], id)
				if op.RF != parse.Init {
					a.readers[op.RF] = append(a.readers[op.RF], id)
				}
			}
			if op.Writes() {
				a.stores[list] = append(a.stores[list], id)
			}
		}
	}
	return a
}

func (a *analysis) row(v precedence.Node) []int32 {
	return a.rtvc[int(v)*a.chains : (int(v)+1)*a.chains]
}

func (a *analysis) clocks() {
	n := a.g.Nodes
	if a.rtvc == nil {
		a.rtvc = make([]int32, n*a.chains)
	}
	for i := range a.rtvc {
		a.rtvc[i] = never
	}
	at := make([]precedence.Node, n)
	for v, rank := range a.g.Rank() {
		at[rank] = precedence.Node(v)
	}
	for i := n - 1; i >= 0; i-- {
		v := at[i]
		row := a.row(v)
		if a.g.IsAccess(v) {
			row[a.chain[v]] = a.pos[v]
		}
		for _, e := range a.g.Out(v) {
			earliest(row, a.row(e.To))
		}
	}
}

func earliest(row, other []int32) {
	for c, p := range other {
		row[c] = min(row[c], p)
	}
}

// from is the index in list of the first operation at or after a position.
func (a *analysis) from(list []parse.OpID, pos int32) int {
	return sort.Search(len(list), func(i int) bool { return a.pos[list[i]] >= pos })
}

func (a *analysis) precedes(u, v parse.OpID) bool {
	return a.row(precedence.Node(u))[a.chain[v]] <= a.pos[v]
}

// infer applies R6 and R7 once to every store and reports whether that added
// an edge.
func (a *analysis) infer() bool {
	a.arcs = a.arcs[:0]
	h := a.g.History
	for i := range h.Ops {
		if !h.Ops[i].Writes() {
			continue
		}
		s := parse.OpID(i)
		row := a.row(precedence.Node(s))
		for c := range int32(a.chains) {
			p := row[c]
			if p == never {
				continue
			}
			if c == a.chain[s] {
				p = a.pos[s] + 1 // behind s itself, even if s is on a cycle by now
			}
			list := int(h.Ops[s].Loc)*a.chains + int(c)
			a.rule6(s, a.loads[list], p)
			if a.initial != nil {
				return false
			}
			a.rule7(s, a.stores[list], p)
		}
	}
	if len(a.arcs) == 0 {
		return false
	}
	a.g = a.g.With(a.arcs)
	return true
}

// rule6: S precedes a load L of another store's value, so S precedes that.
func (a *analysis) rule6(s parse.OpID, loads []parse.OpID, p int32) {
	h := a.g.History
	for _, l := range loads[a.from(loads, p):] {
		w := h.Ops[l].RF
		if w == s {
			continue
		}
		arc := precedence.Arc{From: precedence.Node(s), To: precedence.Node(w), Label: precedence.Reason{Rule: witness.DerivedA, Via: l}}
		if w == parse.Init {
			a.initial = &arc
		} else if !a.precedes(s, w) {
			a.add(arc)
		}
		return
	}
}

// rule7: S precedes another store S', so every load of S's value does.
func (a *analysis) rule7(s parse.OpID, stores []parse.OpID, p int32) {
	i := a.from(stores, p)
	if i == len(stores) {
		return
	}
	for _, l := range a.readers[s] {
		if next := stores[i]; l != next && !a.precedes(l, next) {
			a.add(precedence.Arc{From: precedence.Node(l), To: precedence.Node(next), Label: precedence.Reason{Rule: witness.DerivedB, Via: s}})
		}
	}
}

func (a *analysis) add(arc precedence.Arc) {
	a.serial++
	arc.Label.Serial = a.serial
	a.arcs = append(a.arcs, arc)
	earliest(a.row(arc.From), a.row(arc.To))
}

// refuteInitial refutes a store before a load of the initial value.
func (a *analysis) refuteInitial() *witness.Refutation {
	g := a.g.With(a.arcs)
	p := g.NewProof()
	from := parse.OpID(a.initial.From)
	e := witness.Edge{From: from, To: parse.Init, Rule: witness.DerivedA, Via: a.initial.Label.Via}
	premise := p.Edges(g.Path(a.initial.From, precedence.Node(a.initial.Label.Via), nil))
	e.Lemma = int32(len(p.Lemmas))
	lemmas := append(p.Lemmas, witness.Lemma{Edge: e, Premise: premise})
	back := witness.Edge{From: parse.Init, To: from, Rule: witness.FromInit, Via: parse.NoOp, Lemma: -1}
	return &witness.Refutation{Lemmas: lemmas, Root: &witness.Node{Cycle: []witness.Edge{e, back}}}
}

// totalOrder is the heuristic of Sect. 4.5: a topological sort that applies
// rule A7 as soon as it has picked a store, so that the next store to the
// location waits for the loads of the one before. It gives up, and returns
// nil, where every candidate waits.
func totalOrder(g *precedence.Graph) []parse.OpID {
	m := precedence.NewMachine(g)
	var loads []precedence.Node // free, and no stores: never blocked
	blocked := make([][]precedence.Node, len(g.History.Locations))
	rank := g.Rank()
	stores := search.NewHeap(func(v precedence.Node) int32 { return rank[v] }) // free, perhaps blocked
	freed := func(v precedence.Node) {
		if m.IsWrite(v) {
			stores.Push(v)
		} else {
			loads = append(loads, v)
		}
	}
	for v := range precedence.Node(g.Nodes) {
		if !m.Waits(v) {
			freed(v)
		}
	}
	do := func(v precedence.Node) {
		m.Do(v, freed)
		if g.IsAccess(v) {
			// The stores that waited for v's location may go on.
			x := g.History.Ops[v].Loc
			for _, s := range blocked[x] {
				stores.Push(s)
			}
			blocked[x] = blocked[x][:0]
		}
	}
	for {
		switch {
		case len(loads) > 0:
			v := loads[len(loads)-1]
			loads = loads[:len(loads)-1]
			do(v)
		case stores.Len() > 0:
			v := stores.Pop()
			if m.Blocked(v) {
				x := g.History.Ops[v].Loc
				blocked[x] = append(blocked[x], v)
				continue
			}
			do(v)
		case m.Complete():
			return m.Accesses()
		default:
			return nil
		}
	}
}
