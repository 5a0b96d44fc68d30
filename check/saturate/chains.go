package saturate

import (
	"slices"

	"ordeal/check/model"
	"ordeal/parse"
)

// chainPlan says which chain each operation belongs to.
type chainPlan struct {
	chain  []int32 // operation → chain, -1 for no node
	thread []int32 // chain → thread
	// columns says which chains have a component in every clock row; nil means
	// that all have. The others are compared by location (see gates.go).
	columns map[int32]bool
	second  []secondPart
	// junctions are, under a model with Rules, what second stands for.
	junctions *junctionPlan
	time      *timeLine // nil for models without real time
}

// secondPart is a second node for a fence, or a junction, in a chain of its own.
type secondPart struct {
	op    parse.OpID
	chain int32
}

// planChains divides the operations into chains, each totally ordered by the
// model's program order, and drops the fences that order nothing the model
// does not order by itself. Chains are numbered by thread.
//
//   - SC: a chain a thread.
//   - TSO: the loads of a thread (with the fences that order stores before
//     loads), and its stores and RMWs.
//   - PSO and RMO: see planRelaxed; models with Rules: see planRuled.
//   - Linearizability: those of SC and a time line, see planTime.
func planChains(h *parse.History, m model.Model) chainPlan {
	p := chainPlan{chain: make([]int32, len(h.Ops))}
	for id := range p.chain {
		p.chain[id] = -1
	}
	switch {
	case m.Rules != nil:
		p.planRuled(h, m)
	case m.PPO == parse.FullFence:
		p.planThreads(h)
	case m.PPO&parse.StoreStore != 0:
		p.planStoreBuffers(h, m)
	default:
		p.planRelaxed(h, m, touchedReads(h, m))
	}
	if m.RealTime && h.Times != nil {
		p.planTime(h)
	}
	return p
}

func (p *chainPlan) planThreads(h *parse.History) {
	for t := range h.Threads() {
		all := p.lazy(t)
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			if h.Ops[id].Kind != parse.Fence {
				p.chain[id] = all()
			}
		}
	}
}

func (p *chainPlan) planStoreBuffers(h *parse.History, m model.Model) {
	for t := range h.Threads() {
		loads, stores := p.lazy(t), p.lazy(t)
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			switch o := &h.Ops[id]; {
			case o.Writes():
				p.chain[id] = stores()
			case o.Kind == parse.Read || o.Mask&^m.PPO != 0:
				p.chain[id] = loads()
			}
		}
	}
}

// lazy returns a function that yields one new chain of thread t, made when it
// is first asked for, so that no chain is empty.
func (p *chainPlan) lazy(t int) func() int32 {
	c := int32(-1)
	return func() int32 {
		if c < 0 {
			c = int32(len(p.thread))
			p.thread = append(p.thread, int32(t))
		}
		return c
	}
}

// Accesses by direction, as sources or targets of a fence.
const (
	dirLoad uint8 = 1 << iota
	dirStore
)

// fencePart is a part of a fence that orders all earlier accesses of some
// directions before all later ones of some: it becomes one node.
type fencePart struct{ sources, targets uint8 }

// parts says what a fence orders beyond the model's program order. Any mask
// comes down to two parts, one for each source.
func parts(mask, ppo parse.FenceMask) []fencePart { return partsOf[mask&parse.FullFence&^ppo] }

var partsOf = func() (all [parse.FullFence + 1][]fencePart) {
	for mask := range all {
		all[mask] = partsOfMask(parse.FenceMask(mask))
	}
	return all
}()

func partsOfMask(mask parse.FenceMask) []fencePart {
	targets := func(load, store parse.FenceMask) (t uint8) {
		if mask&load != 0 {
			t |= dirLoad
		}
		if mask&store != 0 {
			t |= dirStore
		}
		return t
	}
	l := targets(parse.LoadLoad, parse.LoadStore)
	s := targets(parse.StoreLoad, parse.StoreStore)
	switch {
	case l == 0 && s == 0:
		return nil
	case l == s:
		return []fencePart{{dirLoad | dirStore, l}}
	case l == 0:
		return []fencePart{{dirStore, s}}
	case s == 0:
		return []fencePart{{dirLoad, l}}
	default:
		return []fencePart{{dirLoad, l}, {dirStore, s}}
	}
}

// partKinds is the number of different fence parts, as numbered by index.
const partKinds = 9

func (p fencePart) index() int32 { return int32(p.sources-1)*3 + int32(p.targets-1) }

func directions(o *parse.Op) uint8 {
	switch o.Kind {
	case parse.Read:
		return dirLoad
	case parse.Write:
		return dirStore
	case parse.RMW:
		return dirLoad | dirStore
	default:
		return 0
	}
}

// planRelaxed plans the chains of models that do not keep the order of
// stores. Writes to one location by one thread form a chain, and so do fence
// parts of one kind.
//
//   - PSO: the loads of a thread form a chain, with its RMWs and the fences
//     that order stores before loads.
//   - RMO: loads are isolated unless a fence or a dependency touches them; the
//     others are spread over as few chains as a greedy choice finds. Loads
//     between two fences are an antichain, which takes as many chains
//     (Dilworth): 1,000 with 8 threads and a fence in 50 operations.
//
// A clock row has a component only for the loads of a thread under PSO, the
// fence parts of a kind, and the chains from which dependencies leave: through
// nodes of these alone leads a path from one location to another. With k threads
// these are k to 4 k, whatever the number of locations, but for dependencies:
// reads that others depend on take as many chains as the greedy choice finds.
func (p *chainPlan) planRelaxed(h *parse.History, m model.Model, touched []bool) {
	p.columns = map[int32]bool{}
	writes := make([]func() int32, len(h.Locations))
	source := dependencySources(h, m)
	leaves := make([]bool, len(h.Ops)) // an operation depends on it
	if source != nil {
		for _, d := range h.Deps {
			leaves[d.From] = true
		}
	}
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		for x := range writes {
			writes[x] = nil
		}
		var fences [partKinds]func() int32
		loads := p.lazy(t)
		reads := readChains{plan: p, thread: t}
		needed := readChains{plan: p, thread: t}
		for id := lo; id < hi; id++ {
			o := &h.Ops[id]
			switch {
			case o.Kind == parse.Fence:
				for i, part := range parts(o.Mask, m.PPO) {
					k := part.index()
					if m.PPO != 0 && part.targets&dirLoad != 0 {
						fences[k] = loads
					} else if fences[k] == nil {
						fences[k] = p.lazy(t)
					}
					c := fences[k]()
					p.columns[c] = true
					if i == 0 {
						p.chain[id] = c
					} else {
						p.second = append(p.second, secondPart{id, c})
					}
					if part.sources&part.targets&dirLoad != 0 {
						reads.fence(id)
						needed.fence(id)
					}
				}
			case m.PPO != 0 && o.Reads():
				p.chain[id] = loads()
				p.columns[p.chain[id]] = true
			case o.Writes():
				if writes[o.Loc] == nil {
					writes[o.Loc] = p.lazy(t)
				}
				p.chain[id] = writes[o.Loc]()
				if leaves[id] {
					p.columns[p.chain[id]] = true
				}
			case touched[id] && leaves[id]:
				p.chain[id] = needed.choose(id, source)
				p.columns[p.chain[id]] = true
			case touched[id]:
				p.chain[id] = reads.choose(id, nil)
			}
		}
	}
}

// touchedReads marks the reads that a fence or a dependency orders with others,
// under a model that keeps no program order by itself; nil for other models.
func touchedReads(h *parse.History, m model.Model) []bool {
	if m.PPO != 0 {
		return nil
	}
	touched := make([]bool, len(h.Ops))
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		after := false
		for id := lo; id < hi; id++ {
			after = after || h.Ops[id].Mask&(parse.LoadLoad|parse.StoreLoad) != 0
			touched[id] = after
		}
		before := false
		for id := hi - 1; id >= lo; id-- {
			before = before || h.Ops[id].Mask&(parse.LoadLoad|parse.LoadStore) != 0
			touched[id] = touched[id] || before
		}
	}
	for _, d := range h.Deps {
		touched[d.From], touched[d.To] = true, true
	}
	return touched
}

// dependencySources gives for each operation the latest read that it depends
// on, or NoOp; nil where there are no dependencies.
func dependencySources(h *parse.History, m model.Model) []parse.OpID {
	if !m.Deps || len(h.Deps) == 0 {
		return nil
	}
	source := make([]parse.OpID, len(h.Ops))
	for id := range source {
		source[id] = parse.NoOp
	}
	for _, d := range h.Deps {
		source[d.To] = d.From // they come in order of From
	}
	return source
}

// readChains spreads the reads of a thread over chains under RMO: a read may
// continue a chain whose last read a fence or a dependency orders before it.
type readChains struct {
	plan   *chainPlan
	thread int
	last   []chainEnd // by chain, ascending
	free   []int      // of last, those that may be closed off by the latest fence
	fenced parse.OpID // the latest fence that orders loads with loads
}

type chainEnd struct {
	chain int32
	read  parse.OpID
}

func (r *readChains) fence(id parse.OpID) {
	r.fenced = id
	r.free = r.free[:0]
	for i := range r.last {
		r.free = append(r.free, i)
	}
}

// choose picks the chain of a read, given the read it depends on, if any.
func (r *readChains) choose(id parse.OpID, source []parse.OpID) int32 {
	if source != nil && source[id] != parse.NoOp {
		i, ok := slices.BinarySearchFunc(r.last, r.plan.chain[source[id]], func(e chainEnd, chain int32) int { return int(e.chain - chain) })
		if ok && r.last[i].read == source[id] {
			return r.extend(i, id)
		}
	}
	for len(r.free) > 0 {
		i := r.free[len(r.free)-1]
		r.free = r.free[:len(r.free)-1]
		if r.last[i].read < r.fenced {
			return r.extend(i, id)
		}
	}
	r.last = append(r.last, chainEnd{chain: int32(len(r.plan.thread)), read: parse.NoOp})
	r.plan.thread = append(r.plan.thread, int32(r.thread))
	return r.extend(len(r.last)-1, id)
}

func (r *readChains) extend(i int, id parse.OpID) int32 {
	r.last[i].read = id
	return r.last[i].chain
}
