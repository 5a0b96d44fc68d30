package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// fenceNode is a node between accesses of a thread and later ones that they
// precede, under a model with Rules: a fence, what the annotations of accesses
// order, or what a branch or an address does. It stands in front of an
// operation, or is that fence. Those of one kind in a thread form a chain: what
// the sources of one precede, the sources of those before it precede too.
//
// A fence node whose sources are among those of another kind, and so its targets,
// covers what comes before it: see fenceNodeKind.covers.
type fenceNode struct {
	at         parse.OpID
	chain      int32
	kind       int32
	first, end int32 // its sources, of fenceNodePlan.sources
	behind     int32 // index of the latest fence node that covers its kind, or -1
}

// ruled is what a graph under a model with Rules has besides.
type ruled struct {
	fenceNodes []fenceNode  // as Graph.second
	sources    []parse.OpID // of fence nodes: since the one of the kind before it, or the one that covers it, in order
	class      []model.Class
	kinds      []fenceNodeKind
	localEdges []localEdge
	// afterOwn gives, for loads of own writes that accesses of their location
	// precede, the latest of these that is a write or returns one of another thread.
	afterOwn map[parse.OpID]parse.OpID
	inOrder  map[[2]Node]parse.OpID // see readInOrder
}

// localEdge is an order of two accesses of a thread that no fence node stands for.
type localEdge struct{ from, to parse.OpID }

// fenceNodePlan finds fence nodes and edges thread by thread.
type fenceNodePlan struct {
	h *parse.History
	m model.Model

	kinds   []fenceNodeKind
	table   *kindTable
	class   []model.Class // by operation
	list    []fenceNode
	sources []parse.OpID // of fence nodes
	edges   []localEdge
	touched []bool      // by a fence node or an edge
	leaves  []bool      // source of an edge to another location
	in      []parse.Dep // by target
	inStart []int32     // operation → first of in; one entry more; nil if there are none

	// Of the current thread, by kind: the operation from which on sources count,
	// the latest fence node that covers the kind since its own latest one, explicit
	// sources.
	since    []parse.OpID
	at       []parse.OpID // of the latest fence node
	behind   []int32
	explicit [][]parse.OpID
	targets  model.Class // of all fence nodes
	unmet    []kindSet   // the wider kinds of which no source is a target of the latest fence node yet
	open     kindSet     // kinds with unmet ones
	kept     kindSet     // those of Keeps that have a source since
}

func planFenceNodes(h *parse.History, m model.Model) *fenceNodePlan {
	kinds := fenceNodeKinds(m.Rules)
	p := &fenceNodePlan{
		h: h, m: m, kinds: kinds, table: newKindTable(m.Rules, kinds), class: make([]model.Class, len(h.Ops)),
		touched: make([]bool, len(h.Ops)), leaves: make([]bool, len(h.Ops)),
		since:  make([]parse.OpID, len(kinds)),
		behind: make([]int32, len(kinds)), explicit: make([][]parse.OpID, len(kinds)),
		at: make([]parse.OpID, len(kinds)), unmet: make([]kindSet, len(kinds)),
	}
	for id := range h.Ops {
		p.class[id] = model.ClassOf(&h.Ops[id])
	}
	if len(h.Deps) > 0 {
		p.inStart, p.in = closure.Group(len(h.Ops), h.Deps, func(d parse.Dep) int32 { return int32(d.To) })
	}
	p.list, p.sources = make([]fenceNode, 0, len(h.Ops)/4), make([]parse.OpID, 0, len(h.Ops)+len(h.Ops)/2)
	p.edges = make([]localEdge, 0, len(h.Deps)+len(h.Deps)/4)
	for t := range h.Threads() {
		p.thread(h.Start[t], h.Start[t+1])
	}
	for _, d := range h.Deps {
		if m.Direct(d) && h.Ops[d.To].Kind != parse.Fence {
			p.edge(d.From, d.To)
		}
	}
	if m.LoadLoadSameLoc {
		for t := range h.Threads() {
			p.touchLocations(h.Start[t], h.Start[t+1])
		}
	}
	return p
}

// touchLocations touches all loads of a thread of locations of which one is
// touched, where loads of a location keep their order.
func (p *fenceNodePlan) touchLocations(lo, hi parse.OpID) {
	locations := map[int32]bool{}
	for _, touched := range []bool{true, false} {
		for id := lo; id < hi; id++ {
			switch o := &p.h.Ops[id]; {
			case o.Kind != parse.Read:
			case !touched:
				p.touched[id] = p.touched[id] || locations[o.Loc]
			case p.touched[id]:
				locations[o.Loc] = true
			}
		}
	}
}

func (p *fenceNodePlan) incoming(id parse.OpID) []parse.Dep {
	if p.inStart == nil {
		return nil
	}
	return p.in[p.inStart[id]:p.inStart[id+1]]
}

func (p *fenceNodePlan) edge(from, to parse.OpID) {
	p.edges = append(p.edges, localEdge{from, to})
	p.touched[from], p.touched[to] = true, true
	if p.h.Ops[from].Loc != p.h.Ops[to].Loc {
		p.leaves[from] = true
	}
}

func (p *fenceNodePlan) thread(lo, hi parse.OpID) {
	h, r := p.h, p.m.Rules
	stores, syncs, keeps := storesKind(r), syncsKind(r), kindSet(1)<<len(r.Keeps)-1
	for k := range p.kinds {
		p.since[k], p.behind[k], p.explicit[k] = lo, -1, p.explicit[k][:0]
	}
	p.targets, p.open, p.kept = 0, 0, 0
	var lastRMW map[int32]parse.OpID
	if p.m.LoadLoadSameLoc {
		lastRMW = map[int32]parse.OpID{}
	}
	for id := lo; id < hi; id++ {
		o := &h.Ops[id]
		in := p.incoming(id)
		p.pending(in, parse.DepControl)
		if o.Kind == parse.Fence {
			for _, part := range parts(o.Mask, 0) {
				p.make(id, fenceKind(r)+int(part.index()))
			}
			if r.ISync && o.Attr&parse.ISync != 0 && len(p.explicit[syncs]) > 0 {
				p.make(id, syncs)
			}
			continue
		}
		class := p.class[id]
		(p.kept & p.table.targets[class]).each(func(k int) { p.make(id, k) })
		p.kept |= p.table.sources[class] & keeps
		if class&model.Stores != 0 && len(p.explicit[stores]) > 0 {
			p.make(id, stores)
		}
		if class&p.targets != 0 {
			p.touched[id] = true
		}
		if p.open != 0 {
			p.meet(class)
		}
		p.pending(in, parse.DepAddress)
		p.forwarded(id, o, lo)
		if p.m.LoadLoadSameLoc && o.Loads() {
			if rmw, ok := lastRMW[o.Loc]; ok && o.Kind == parse.Read {
				p.edge(rmw, id)
			}
			if o.Kind == parse.RMW {
				lastRMW[o.Loc] = id
			}
		}
	}
}

// pending notes the sources of dependencies of a kind on what precedes, which order what comes
// next.
func (p *fenceNodePlan) pending(in []parse.Dep, kind parse.DepKind) {
	r := p.m.Rules
	if !r.Pipeline {
		return
	}
	for _, d := range in {
		if d.Kind&r.Known&kind != 0 {
			p.explicit[storesKind(r)] = append(p.explicit[storesKind(r)], d.From)
			if r.ISync {
				p.explicit[syncsKind(r)] = append(p.explicit[syncsKind(r)], d.From)
			}
		}
	}
}

// make makes the next fence node of a kind, whose sources are the accesses of its
// class, or explicit.
func (p *fenceNodePlan) make(id parse.OpID, kind int) {
	k := &p.kinds[kind]
	j := fenceNode{at: id, kind: int32(kind), first: int32(len(p.sources)), behind: p.behind[kind]}
	if kind < storesKind(p.m.Rules) {
		for s := p.since[kind]; s < id; s++ {
			if p.class[s]&k.sources != 0 {
				p.sources = append(p.sources, s)
			}
		}
	} else if explicit := p.explicit[kind]; len(explicit) > 0 {
		slices.Sort(explicit) // a later dependency may have an earlier source
		p.sources = append(p.sources, slices.Compact(explicit)...)
		p.explicit[kind] = explicit[:0]
	}
	j.end = int32(len(p.sources))
	p.since[kind], p.behind[kind] = id, -1
	p.unmet[kind], p.at[kind] = p.table.wider[kind], id
	p.open |= 1 << kind
	p.kept &^= 1 << kind
	p.targets |= k.targets
	for _, s := range p.sources[j.first:] {
		p.touched[s] = true
	}
	for _, other := range k.covers {
		p.since[other], p.behind[other], p.explicit[other] = id, int32(len(p.list)), p.explicit[other][:0]
		p.kept &^= 1 << other
	}
	p.list = append(p.list, j)
}

// meet notes an access. If it is a target of the latest fence node of a kind, and a source of
// another whose sources are all of the first kind, those before that fence node precede it:
// the other kind needs none of them.
func (p *fenceNodePlan) meet(class model.Class) {
	sources := p.table.sources[class]
	(p.open & p.table.targets[class]).each(func(k int) {
		(p.unmet[k] & sources).each(func(other int) {
			p.since[other] = max(p.since[other], p.at[k])
		})
		if p.unmet[k] &^= sources; p.unmet[k] == 0 {
			p.open &^= 1 << k
		}
	})
}

// forwarded adds the edges to a load that reads from an own earlier write.
func (p *fenceNodePlan) forwarded(id parse.OpID, o *parse.Op, lo parse.OpID) {
	r, w := p.m.Rules, o.RF
	if o.Kind != parse.Read || w < lo || w >= id {
		return
	}
	atomic := p.h.Ops[w].Kind == parse.RMW && model.ClassOf(o)&r.Forwarded != 0
	if atomic && !r.FromPair {
		p.edge(w, id)
	}
	for _, d := range p.incoming(w) {
		switch {
		case r.Pipeline && d.Kind&(parse.DepAddress|parse.DepData) != 0:
			p.edge(d.From, id)
		case atomic && r.FromPair && d.Kind&parse.DepPair != 0:
			p.edge(d.From, id)
		}
	}
}

// afterOwn finds what ruled.afterOwn holds. The later of two such accesses of a
// thread shows the later write: coherence orders what they write or return.
func (p *fenceNodePlan) afterOwn() map[parse.OpID]parse.OpID {
	var within []localEdge // of one location, into loads of own writes
	own := func(id parse.OpID) bool {
		o := &p.h.Ops[id]
		return o.Kind == parse.Read && o.RF != parse.Init && p.h.Thread(o.RF) == p.h.Thread(id)
	}
	for _, e := range p.edges {
		if p.h.Ops[e.from].Loc == p.h.Ops[e.to].Loc && own(e.to) {
			within = append(within, e)
		}
	}
	if p.m.LoadLoadSameLoc {
		last := make([]parse.OpID, len(p.h.Locations)) // read, plus 1
		for id := range p.h.Ops {
			o := &p.h.Ops[id]
			if o.Kind != parse.Read || !p.touched[id] {
				continue
			}
			if from := last[o.Loc] - 1; from >= p.h.Start[p.h.Thread(parse.OpID(id))] && own(parse.OpID(id)) {
				within = append(within, localEdge{from, parse.OpID(id)})
			}
			last[o.Loc] = parse.OpID(id) + 1
		}
	}
	slices.SortFunc(within, func(a, b localEdge) int { return int(a.to) - int(b.to) })
	after := map[parse.OpID]parse.OpID{}
	for _, e := range within {
		root := e.from
		if own(root) {
			var ok bool
			if root, ok = after[root]; !ok {
				continue
			}
		} else if o := &p.h.Ops[root]; o.Kind == parse.Read && o.RF == parse.Init {
			continue
		}
		if known, ok := after[e.to]; !ok || known < root {
			after[e.to] = root
		}
	}
	return after
}

// planRuled plans the chains of models with Rules, like planRelaxed: a chain for
// the writes of a thread to a location, for the loads of a thread that acquire,
// and for the fence nodes of a kind. Other loads that something touches are spread
// over chains. Under a model that keeps all loads of a location in order, these
// form a chain.
func (p *chainPlan) planRuled(h *parse.History, m model.Model) {
	p.entries = map[int32]bool{}
	p.fenceNodes = planFenceNodes(h, m)
	list := p.fenceNodes.list
	p.second = make([]secondPart, 0, len(list))
	source := directSources(h, m)
	var marked []bool // chains with a clock entry
	mark := func(chain int32, is bool) int32 {
		if is {
			marked = append(marked, make([]bool, max(0, int(chain)+1-len(marked)))...)
			marked[chain] = true
		}
		return chain
	}
	// Chains of the current thread, -1 for none: by kind of fence nodes, by location.
	kinds, writes, loads := newChainList(len(p.fenceNodes.kinds)), newChainList(len(h.Locations)), newChainList(len(h.Locations))
	for t := range h.Threads() {
		kinds.clear()
		writes.clear()
		loads.clear()
		acquires := p.lazy(t)
		reads := readChains{plan: p, thread: t}
		needed := readChains{plan: p, thread: t}
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			for ; len(list) > 0 && list[0].at == id; list = list[1:] {
				j := &list[0]
				j.chain = mark(kinds.of(j.kind, p, t), true)
				p.second = append(p.second, secondPart{id, j.chain})
				if h.Ops[id].Kind == parse.Fence && h.Ops[id].Mask&parse.LoadLoad != 0 {
					reads.fence(id)
					needed.fence(id)
				}
			}
			o := &h.Ops[id]
			leaves := p.fenceNodes.leaves[id]
			switch {
			case o.Kind == parse.Fence:
			case o.Writes():
				p.chain[id] = mark(writes.of(o.Loc, p, t), leaves)
			case !p.fenceNodes.touched[id]:
			case p.fenceNodes.chained(id):
				p.chain[id] = mark(acquires(), true)
			case m.LoadLoadSameLoc:
				p.chain[id] = mark(loads.of(o.Loc, p, t), leaves)
			case leaves:
				p.chain[id] = mark(needed.choose(id, source), true)
			default:
				p.chain[id] = reads.choose(id, nil)
			}
		}
	}
	for chain, is := range marked {
		if is {
			p.entries[int32(chain)] = true
		}
	}
}

// chainList is one chain of a thread for each of a number of things, -1 for none.
type chainList struct{ chains, made []int32 }

func newChainList(n int) *chainList { return &chainList{chains: slices.Repeat([]int32{-1}, n)} }

// clear forgets the chains of a thread, at the cost of those: there may be as many things as threads.
func (l *chainList) clear() {
	for _, i := range l.made {
		l.chains[i] = -1
	}
	l.made = l.made[:0]
}

// of is a chain of the list, made when it is first asked for.
func (l *chainList) of(i int32, p *chainPlan, thread int) int32 {
	if l.chains[i] < 0 {
		l.chains[i], l.made = int32(len(p.thread)), append(l.made, i)
		p.thread = append(p.thread, int32(thread))
	}
	return l.chains[i]
}

// chained reports whether accesses like one of a thread form a chain by themselves.
func (p *fenceNodePlan) chained(id parse.OpID) bool {
	return p.table.sources[p.class[id]]&p.table.targets[p.class[id]]&(1<<len(p.m.Rules.Keeps)-1) != 0
}

// directSources gives for each operation the latest read that it directly
// depends on, or NoOp; nil where there are no dependencies.
func directSources(h *parse.History, m model.Model) []parse.OpID {
	if len(h.Deps) == 0 {
		return nil
	}
	source := make([]parse.OpID, len(h.Ops))
	for id := range source {
		source[id] = parse.NoOp
	}
	for _, d := range h.Deps {
		if m.Direct(d) {
			source[d.To] = d.From // they come in order of From
		}
	}
	return source
}
