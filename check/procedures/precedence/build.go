package precedence

import (
	"ordeal/check/witness"
	"ordeal/parse"
)

// components lists the components of fences with the kinds they order.
var components = [...]struct {
	mask          parse.FenceMask
	before, after func(*parse.Op) bool
}{
	{parse.LoadLoad, (*parse.Op).Reads, (*parse.Op).Reads},
	{parse.LoadStore, (*parse.Op).Reads, (*parse.Op).Writes},
	{parse.StoreLoad, (*parse.Op).Writes, (*parse.Op).Reads},
	{parse.StoreStore, (*parse.Op).Writes, (*parse.Op).Writes},
}

const none Node = -1

// builder walks through the threads.
type builder struct {
	*Graph
	// Of the thread so far: the last read and write, the last fence of each
	// component and the first operation behind it.
	read, write Node
	fences      [4]Node
	since       [4]parse.OpID
	// prev is the last write to a location, in any thread; reads lists the
	// reads of the thread since.
	prev  []parse.OpID
	reads [][]parse.OpID
}

func (b *builder) thread(t int) {
	h := b.History
	start := h.Start[t]
	b.read, b.write = none, none
	for c := range components {
		b.fences[c], b.since[c] = none, start
	}
	for x := range b.prev {
		b.prev[x] = parse.NoOp
		b.reads[x] = b.reads[x][:0]
	}
	for id := start; id < h.Start[t+1]; id++ {
		op := &h.Ops[id]
		if op.Kind == parse.Fence {
			b.barrier(id, op)
			continue
		}
		b.program(id, op)
		if op.Reads() {
			b.readsFrom(id, op, start, h.Start[t+1])
		}
		b.location(id, op)
	}
}

// barrier adds a node for each component of a fence that the model does not
// keep anyway. The operations behind the last fence of a component lead to it,
// and it leads to the next such fence.
func (b *builder) barrier(id parse.OpID, op *parse.Op) {
	for c := range components {
		if op.Mask&components[c].mask&^b.Model.PPO == 0 {
			continue
		}
		f := Node(b.Nodes)
		b.Nodes++
		b.fence = append(b.fence, id)
		if b.fences[c] != none {
			b.add(b.fences[c], f, witness.FenceOrder, parse.NoOp)
		}
		for j := b.since[c]; j < id; j++ {
			if components[c].before(&b.History.Ops[j]) {
				b.add(Node(j), f, witness.FenceOrder, parse.NoOp)
			}
		}
		b.fences[c], b.since[c] = f, id+1
	}
}

// program adds what the model's PPO and fences say. One arc from the last read
// is enough because a model that keeps loads before stores keeps loads in
// order too, and likewise for stores.
func (b *builder) program(id parse.OpID, op *parse.Op) {
	for c := range components {
		if b.fences[c] != none && components[c].after(op) {
			b.add(b.fences[c], Node(id), witness.FenceOrder, parse.NoOp)
		}
	}
	ppo := b.Model.PPO
	if b.read != none && (ppo&parse.LoadLoad != 0 && op.Reads() || ppo&parse.LoadStore != 0 && op.Writes()) {
		b.add(b.read, Node(id), witness.PPO, parse.NoOp)
	}
	if b.write != none && b.write != b.read &&
		(ppo&parse.StoreLoad != 0 && op.Reads() || ppo&parse.StoreStore != 0 && op.Writes()) {
		b.add(b.write, Node(id), witness.PPO, parse.NoOp)
	}
	if op.Reads() {
		b.read = Node(id)
	}
	if op.Writes() {
		b.write = Node(id)
	}
}

// readsFrom adds what the write that id reads says.
func (b *builder) readsFrom(id parse.OpID, op *parse.Op, start, end parse.OpID) {
	own := b.prev[op.Loc]
	w := op.RF
	if w > id && w < end {
		b.contradict(edge(w, w, witness.Coherence, id))
	}
	if w != parse.Init && (w < start || w >= end || !b.Model.ForwardOwn || op.Kind == parse.RMW) {
		b.add(Node(w), Node(id), witness.ReadsFrom, parse.NoOp)
	}
	if own == parse.NoOp || own == w {
		return
	}
	if w == parse.Init {
		b.contradict(edge(own, parse.Init, witness.OwnStore, id), edge(parse.Init, own, witness.FromInit, parse.NoOp))
		return
	}
	b.add(Node(own), Node(w), witness.OwnStore, id)
}

// location adds what accesses of the thread to id's location say where the
// model's PPO does not.
func (b *builder) location(id parse.OpID, op *parse.Op) {
	x := op.Loc
	if op.Writes() {
		if own := b.prev[x]; own != parse.NoOp && b.Model.PPO&parse.StoreStore == 0 {
			b.add(Node(own), Node(id), witness.Coherence, parse.NoOp)
		}
		if b.Model.PPO&parse.LoadStore == 0 {
			for _, r := range b.reads[x] {
				// What r returned precedes id by way of r, or in program order.
				b.add(Node(r), Node(id), witness.PPO, parse.NoOp)
			}
			b.reads[x] = b.reads[x][:0]
		}
		b.prev[x] = id
	}
	if op.Reads() && b.Model.PPO&parse.LoadStore == 0 {
		if n := len(b.reads[x]); n > 0 && b.Model.LoadLoadSameLoc {
			b.add(Node(b.reads[x][n-1]), Node(id), witness.PPO, parse.NoOp)
		}
		b.reads[x] = append(b.reads[x], id)
	}
}

func (b *builder) final() {
	h := b.History
	if h.Final == nil {
		return
	}
	for i := range h.Ops {
		id, op := parse.OpID(i), &h.Ops[i]
		if !op.Writes() {
			continue
		}
		switch last := h.Final[op.Loc]; last {
		case id, parse.NoOp:
		case parse.Init:
			b.contradict(edge(id, parse.Init, witness.FinalWrite, parse.NoOp), edge(parse.Init, id, witness.FromInit, parse.NoOp))
		default:
			b.add(Node(id), Node(last), witness.FinalWrite, parse.NoOp)
		}
	}
}

// initial adds each read of an initial write before the first write to its
// location in each thread: the others follow by coherence.
func (b *builder) initial() {
	h := b.History
	first := make([][]parse.OpID, len(h.Locations))
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if !op.Writes() {
				continue
			}
			if f := first[op.Loc]; len(f) == 0 || f[len(f)-1] < h.Start[t] {
				first[op.Loc] = append(f, id)
			}
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Reads() || op.RF != parse.Init {
			continue
		}
		for _, w := range first[op.Loc] {
			if w != parse.OpID(i) {
				b.add(Node(i), Node(w), witness.FromRead, parse.NoOp)
			}
		}
	}
}

func (b *builder) storeOrder() {
	h := b.History
	after := make([]parse.OpID, len(h.Ops)) // write → the next of its location
	for _, writes := range h.StoreOrder {
		for i, w := range writes {
			after[w] = parse.NoOp
			if i+1 < len(writes) {
				after[w] = writes[i+1]
				b.add(Node(w), Node(after[w]), witness.StoreOrder, parse.NoOp)
			}
		}
	}
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Reads() {
			continue
		}
		if op.RF != parse.Init {
			if next := after[op.RF]; next != parse.NoOp && next != parse.OpID(i) {
				b.add(Node(i), Node(next), witness.DerivedB, op.RF)
			}
		} else if writes := h.StoreOrder[op.Loc]; len(writes) > 0 && writes[0] != parse.OpID(i) {
			b.add(Node(i), Node(writes[0]), witness.FromRead, parse.NoOp)
		}
	}
}

func edge(from, to parse.OpID, rule witness.Rule, via parse.OpID) witness.Edge {
	return witness.Edge{From: from, To: to, Rule: rule, Via: via, Lemma: -1}
}

func (b *builder) contradict(cycle ...witness.Edge) {
	if b.Contradiction == nil {
		b.Contradiction = cycle
	}
}
