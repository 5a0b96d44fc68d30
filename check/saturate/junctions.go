package saturate

import (
	"slices"

	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// junction is a node between accesses of a thread and later ones that they
// precede, under a model with Rules: a fence, what the annotations of accesses
// order, or what a branch or an address does. It stands in front of an
// operation, or is that fence. Those of one kind in a thread form a chain: what
// the sources of one precede, the sources of those before it precede too.
type junction struct {
	at      parse.OpID
	chain   int32
	kind    int
	targets model.Class
	sources []parse.OpID // since the junction of the kind before it, in order
}

// ruled is what a graph under a model with Rules has besides.
type ruled struct {
	junctions  []junction // as Graph.second
	localEdges []localEdge
	// afterOwn gives, for loads of own writes that accesses of their location
	// precede, the latest of these that is a write or returns one of another thread.
	afterOwn map[parse.OpID]parse.OpID
	// readInOrder gives, for two writes, a read of the second that follows one
	// of the first in its thread.
	readInOrder map[[2]Node]parse.OpID
}

// localEdge is an order of two accesses of a thread that no junction stands for.
type localEdge struct{ from, to parse.OpID }

// The kinds of junctions: those of Rules.Keeps, the parts of fences, and the two
// of Rules.Pipeline and Rules.ISync.
func junctionKinds(r *model.Rules) (fences, stores, syncs, all int) {
	fences = len(r.Keeps)
	return fences, fences + partKinds, fences + partKinds + 1, fences + partKinds + 2
}

// junctionPlan finds junctions and edges thread by thread.
type junctionPlan struct {
	h *parse.History
	m model.Model

	list    []junction
	edges   []localEdge
	touched []bool      // by a junction or an edge
	leaves  []bool      // source of an edge to another location
	in      []parse.Dep // by target
	inStart []int32     // operation → first of in; one entry more

	// Of the thread at hand, by kind: the operation from which on sources count,
	// the last source, the targets of the latest junction, explicit sources.
	since, last []parse.OpID
	open        []model.Class
	explicit    [][]parse.OpID
}

func planJunctions(h *parse.History, m model.Model) *junctionPlan {
	_, _, _, kinds := junctionKinds(m.Rules)
	p := &junctionPlan{
		h: h, m: m, touched: make([]bool, len(h.Ops)), leaves: make([]bool, len(h.Ops)),
		since: make([]parse.OpID, kinds), last: make([]parse.OpID, kinds),
		open: make([]model.Class, kinds), explicit: make([][]parse.OpID, kinds),
	}
	p.inStart, p.in = closure.Group(len(h.Ops), h.Deps, func(d parse.Dep) int32 { return int32(d.To) })
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
func (p *junctionPlan) touchLocations(lo, hi parse.OpID) {
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

func (p *junctionPlan) incoming(id parse.OpID) []parse.Dep {
	return p.in[p.inStart[id]:p.inStart[id+1]]
}

func (p *junctionPlan) edge(from, to parse.OpID) {
	p.edges = append(p.edges, localEdge{from, to})
	p.touched[from], p.touched[to] = true, true
	if p.h.Ops[from].Loc != p.h.Ops[to].Loc {
		p.leaves[from] = true
	}
}

func (p *junctionPlan) thread(lo, hi parse.OpID) {
	h, r := p.h, p.m.Rules
	fences, stores, syncs, kinds := junctionKinds(r)
	for k := range kinds {
		p.since[k], p.last[k], p.open[k], p.explicit[k] = lo, -1, 0, p.explicit[k][:0]
	}
	lastRMW := map[int32]parse.OpID{}
	for id := lo; id < hi; id++ {
		o := &h.Ops[id]
		p.pending(id, r.Known&parse.DepControl)
		if o.Kind == parse.Fence {
			for _, part := range parts(o.Mask, 0) {
				// Directions are numbered like the classes.
				p.make(id, fences+int(part.index()), model.Class(part.sources), model.Class(part.targets))
			}
			if r.ISync && o.Attr&parse.ISync != 0 && len(p.explicit[syncs]) > 0 {
				p.make(id, syncs, 0, model.Accesses)
			}
			continue
		}
		class := model.ClassOf(o)
		for k, keep := range r.Keeps {
			if class&keep.After != 0 && p.last[k] >= p.since[k] {
				p.make(id, k, keep.Before, keep.After)
			}
			if class&keep.Before != 0 {
				p.last[k] = id
			}
		}
		if class&model.Stores != 0 && len(p.explicit[stores]) > 0 {
			p.make(id, stores, 0, model.Stores)
		}
		for _, targets := range p.open {
			p.touched[id] = p.touched[id] || class&targets != 0
		}
		p.pending(id, r.Known&parse.DepAddress)
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

// pending notes the sources of dependencies of a kind, which order what comes
// next.
func (p *junctionPlan) pending(id parse.OpID, kind parse.DepKind) {
	if !p.m.Rules.Pipeline || kind == 0 {
		return
	}
	_, stores, syncs, _ := junctionKinds(p.m.Rules)
	for _, d := range p.incoming(id) {
		if d.Kind&kind != 0 {
			p.explicit[stores] = append(p.explicit[stores], d.From)
			p.explicit[syncs] = append(p.explicit[syncs], d.From)
		}
	}
}

// make makes the next junction of a kind, whose sources are the accesses of a
// class or, where that is empty, explicit.
func (p *junctionPlan) make(id parse.OpID, kind int, sources, targets model.Class) {
	j := junction{at: id, kind: kind, targets: targets}
	for s := p.since[kind]; s < id && sources != 0; s++ {
		if model.ClassOf(&p.h.Ops[s])&sources != 0 {
			j.sources = append(j.sources, s)
		}
	}
	if explicit := p.explicit[kind]; len(explicit) > 0 {
		slices.Sort(explicit) // a later dependency may have an earlier source
		j.sources = slices.Compact(append(j.sources, explicit...))
		p.explicit[kind] = explicit[:0]
	}
	p.since[kind] = id
	p.open[kind] = targets
	for _, s := range j.sources {
		p.touched[s] = true
	}
	p.list = append(p.list, j)
}

// forwarded adds the edges to a load that reads from an own earlier write.
func (p *junctionPlan) forwarded(id parse.OpID, o *parse.Op, lo parse.OpID) {
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
func (p *junctionPlan) afterOwn() map[parse.OpID]parse.OpID {
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
// and for the junctions of a kind. Other loads that something touches are spread
// over chains. Under a model that keeps all loads of a location in order, these
// form a chain.
func (p *chainPlan) planRuled(h *parse.History, m model.Model) {
	p.columns = map[int32]bool{}
	p.junctions = planJunctions(h, m)
	list := p.junctions.list
	source := directSources(h, m)
	_, _, _, kinds := junctionKinds(m.Rules)
	writes, loads := make([]func() int32, len(h.Locations)), make([]func() int32, len(h.Locations))
	for t := range h.Threads() {
		clear(writes)
		clear(loads)
		of := make([]func() int32, kinds)
		acquires := p.lazy(t)
		reads := readChains{plan: p, thread: t, ending: map[parse.OpID]int32{}}
		needed := readChains{plan: p, thread: t, ending: map[parse.OpID]int32{}}
		column := func(chain int32, is bool) int32 {
			if is {
				p.columns[chain] = true
			}
			return chain
		}
		byLocation := func(list []func() int32, x int32) int32 {
			if list[x] == nil {
				list[x] = p.lazy(t)
			}
			return list[x]()
		}
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			for ; len(list) > 0 && list[0].at == id; list = list[1:] {
				j := &list[0]
				j.chain = column(byLocation(of, int32(j.kind)), true)
				p.second = append(p.second, secondPart{id, j.chain})
				if h.Ops[id].Kind == parse.Fence && h.Ops[id].Mask&parse.LoadLoad != 0 {
					reads.fence(id)
					needed.fence(id)
				}
			}
			o := &h.Ops[id]
			leaves := p.junctions.leaves[id]
			switch {
			case o.Kind == parse.Fence:
			case o.Writes():
				p.chain[id] = column(byLocation(writes, o.Loc), leaves)
			case !p.junctions.touched[id]:
			case m.Rules.Orders(o, o):
				p.chain[id] = column(acquires(), true)
			case m.LoadLoadSameLoc:
				p.chain[id] = column(byLocation(loads, o.Loc), leaves)
			case leaves:
				p.chain[id] = column(needed.choose(id, source), true)
			default:
				p.chain[id] = reads.choose(id, nil)
			}
		}
	}
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
