package causal

import (
	"sort"

	"ordeal/check/closure"
	"ordeal/check/witness"
	"ordeal/parse"
)

// frame is a history's accesses split into chains, the edges that hold from
// the start, and tables of its writes. Chains are totally ordered by the
// program order π that the criterion preserves: one for each thread where π
// is po, a chain of loads and one of stores where it is TSO's ppo.
type frame struct {
	h      *parse.History
	ppo    bool // π is TSO's ppo
	chains int
	thread []int32      // operation → thread
	chain  []int32      // operation → chain, -1 for a fence
	pos    []int32      // operation → position in its chain, from 1
	next   []parse.OpID // operation → next of its chain, or NoOp
	nodes  int          // operations that are no fence

	// Edges between chains: π, fences and reads-from.
	outStart []int32 // operation → first edge; one entry more
	out      []static

	lanes [][]lane // location → the writes of each chain that has some
	// readers[w] is the last reader of write w in each chain; those of the
	// initial write of location x are initial[x].
	readers, initial [][]parse.OpID
}

// lane is the writes to one location in one chain.
type lane struct {
	chain int32
	ops   []parse.OpID
}

// last is the last write of l at or before a position of its chain, or NoOp.
func (f *frame) last(l *lane, pos int32) parse.OpID {
	i := sort.Search(len(l.ops), func(i int) bool { return f.pos[l.ops[i]] > pos })
	if i == 0 {
		return parse.NoOp
	}
	return l.ops[i-1]
}

// static is an edge that holds from the start.
type static struct {
	from, to parse.OpID
	rule     witness.Rule
}

// newFrame splits a history by program order, or by TSO's ppo. With ppo only
// external reads-from is an edge (wr_e of CAV 2019, Sect. 4).
func newFrame(h *parse.History, ppo bool) *frame {
	n := len(h.Ops)
	f := &frame{
		h: h, ppo: ppo, thread: make([]int32, n), chain: make([]int32, n),
		pos: make([]int32, n), next: make([]parse.OpID, n),
	}
	var edges []static
	for t := range h.Threads() {
		if ppo {
			edges = f.splitThread(t, edges)
		} else {
			f.wholeThread(t)
		}
	}
	f.chains = h.Threads()
	if ppo {
		f.chains *= 2
	}
	for id := range h.Ops {
		if op := &h.Ops[id]; op.Reads() && op.RF != parse.Init && (!ppo || f.external(parse.OpID(id))) {
			edges = append(edges, static{op.RF, parse.OpID(id), witness.ReadsFrom})
		}
	}
	f.outStart, f.out = closure.Group(n, edges, func(e static) int32 { return int32(e.from) })
	f.collectWrites()
	return f
}

// external reports whether read r, not of an initial write, can only read
// what is in memory: another thread's store or, being an RMW, any.
func (f *frame) external(r parse.OpID) bool {
	op := &f.h.Ops[r]
	return op.Kind == parse.RMW || f.thread[op.RF] != f.thread[r]
}

// link appends id to a chain whose last operation so far is prev.
func (f *frame) link(id, prev parse.OpID, chain int32) parse.OpID {
	f.nodes++
	f.chain[id], f.next[id], f.pos[id] = chain, parse.NoOp, 1
	if prev != parse.NoOp {
		f.pos[id] = f.pos[prev] + 1
		f.next[prev] = id
	}
	return id
}

func (f *frame) skip(id parse.OpID) { f.chain[id], f.next[id] = -1, parse.NoOp }

func (f *frame) wholeThread(t int) {
	prev := parse.NoOp
	for id := f.h.Start[t]; id < f.h.Start[t+1]; id++ {
		f.thread[id] = int32(t)
		if f.h.Ops[id].Kind == parse.Fence {
			f.skip(id)
			continue
		}
		prev = f.link(id, prev, int32(t))
	}
}

// splitThread makes the chains of loads (2t) and of stores (2t+1, RMWs
// included) and the edges of ppo and fences between them.
func (f *frame) splitThread(t int, edges []static) []static {
	load, store := parse.NoOp, parse.NoOp // last of the chains
	freshLoad, rmw, fenced := parse.NoOp, parse.NoOp, parse.NoOp
	for id := f.h.Start[t]; id < f.h.Start[t+1]; id++ {
		f.thread[id] = int32(t)
		switch op := &f.h.Ops[id]; op.Kind {
		case parse.Fence:
			f.skip(id)
			if op.Mask&parse.StoreLoad != 0 {
				fenced = store
			}
		case parse.Read:
			load = f.link(id, load, int32(2*t))
			freshLoad = id
			if rmw != parse.NoOp {
				edges = append(edges, static{rmw, id, witness.PPO})
			}
			if fenced != parse.NoOp && fenced != rmw {
				edges = append(edges, static{fenced, id, witness.FenceOrder})
			}
			rmw, fenced = parse.NoOp, parse.NoOp
		default:
			store = f.link(id, store, int32(2*t+1))
			if freshLoad != parse.NoOp {
				edges = append(edges, static{freshLoad, id, witness.PPO})
				freshLoad = parse.NoOp
			}
			if op.Kind == parse.RMW {
				rmw = id
			}
		}
	}
	return edges
}

func (f *frame) collectWrites() {
	h := f.h
	f.lanes = make([][]lane, len(h.Locations))
	f.readers = make([][]parse.OpID, len(h.Ops))
	f.initial = make([][]parse.OpID, len(h.Locations))
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if op.Writes() {
				ls := f.lanes[op.Loc]
				if len(ls) == 0 || ls[len(ls)-1].chain != f.chain[id] {
					ls = append(ls, lane{chain: f.chain[id]})
				}
				l := &ls[len(ls)-1]
				l.ops = append(l.ops, id)
				f.lanes[op.Loc] = ls
			}
			if op.Reads() && op.RF == parse.Init {
				f.initial[op.Loc] = f.asLast(f.initial[op.Loc], id)
			} else if op.Reads() {
				f.readers[op.RF] = f.asLast(f.readers[op.RF], id)
			}
		}
	}
}

// asLast makes id the last reader of its chain. Threads are visited one after
// the other, so that it is among the last two if present at all.
func (f *frame) asLast(readers []parse.OpID, id parse.OpID) []parse.OpID {
	for i := max(0, len(readers)-2); i < len(readers); i++ {
		if f.chain[readers[i]] == f.chain[id] {
			readers[i] = id
			return readers
		}
	}
	return append(readers, id)
}
