package suite_test

import (
	"cmp"
	"math/rand/v2"
	"slices"

	"ordeal/check/internal/histgen"
	"ordeal/gen"
	"ordeal/parse"
)

// fenceStep marks a new full fence in the threads that rearrange takes.
const fenceStep parse.OpID = -3

// threadsOf lists the operations of each thread.
func threadsOf(h *parse.History) [][]parse.OpID {
	out := make([][]parse.OpID, h.Threads())
	for t := range out {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			out[t] = append(out[t], id)
		}
	}
	return out
}

// rearrange makes a history of the operations listed, in new threads, with
// full fences where fenceStep stands. An operation left out must not be read
// from by one that stays; a final write left out is no longer known.
func rearrange(h *parse.History, threads [][]parse.OpID) *parse.History {
	out := &parse.History{Start: []parse.OpID{0}, Locations: h.Locations}
	at := make([]parse.OpID, len(h.Ops))
	for i := range at {
		at[i] = parse.NoOp
	}
	for _, thread := range threads {
		for _, id := range thread {
			op := parse.Op{Kind: parse.Fence, Mask: parse.FullFence, Loc: -1, RF: parse.NoOp}
			if id != fenceStep {
				op, at[id] = h.Ops[id], parse.OpID(len(out.Ops))
			}
			out.Ops = append(out.Ops, op)
		}
		out.ThreadNames = append(out.ThreadNames, string(rune('a'+len(out.ThreadNames))))
		out.Start = append(out.Start, parse.OpID(len(out.Ops)))
	}
	to := func(id parse.OpID) parse.OpID {
		if id < 0 {
			return id
		}
		return at[id]
	}
	for i := range out.Ops {
		out.Ops[i].RF = to(out.Ops[i].RF)
	}
	for _, id := range h.Final {
		out.Final = append(out.Final, to(id))
	}
	for _, writes := range h.StoreOrder {
		var kept []parse.OpID
		for _, id := range writes {
			if to(id) != parse.NoOp {
				kept = append(kept, to(id))
			}
		}
		out.StoreOrder = append(out.StoreOrder, kept)
	}
	for _, d := range h.Deps {
		if from, to := to(d.From), to(d.To); from != parse.NoOp && to != parse.NoOp {
			out.Deps = append(out.Deps, parse.Dep{From: from, To: to})
		}
	}
	slices.SortFunc(out.Deps, func(a, b parse.Dep) int {
		return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To))
	})
	return out
}

// permuted puts the threads into another order.
func permuted(rng *rand.Rand, h *parse.History) *parse.History {
	threads := threadsOf(h)
	rng.Shuffle(len(threads), func(i, j int) { threads[i], threads[j] = threads[j], threads[i] })
	return rearrange(h, threads)
}

// renamed gives locations and written values other names; 0 stays.
func renamed(rng *rand.Rand, h *parse.History) *parse.History {
	out := histgen.Clone(h)
	x := rng.Perm(len(h.Locations))
	v := rng.Perm(len(h.Ops))
	value := func(id parse.OpID) gen.Value { return gen.Value(v[id]) + 1 }
	for i := range out.Ops {
		op := &out.Ops[i]
		if op.Loc >= 0 {
			op.Loc = int32(x[op.Loc])
		}
		if op.Writes() {
			op.Write = value(parse.OpID(i))
		}
		if op.Reads() && op.RF != parse.Init {
			op.Read = value(op.RF)
		}
	}
	for old, id := range h.Final {
		out.Final[x[old]] = id
	}
	for old, writes := range h.StoreOrder {
		out.StoreOrder[x[old]] = writes
	}
	return out
}

// fenced adds a full fence somewhere.
func fenced(rng *rand.Rand, h *parse.History) *parse.History {
	threads := threadsOf(h)
	t := rng.IntN(len(threads))
	threads[t] = slices.Insert(threads[t], rng.IntN(len(threads[t])+1), fenceStep)
	return rearrange(h, threads)
}

// separated puts a full fence between any two operations of a thread.
func separated(h *parse.History) *parse.History {
	threads := threadsOf(h)
	for t, ids := range threads {
		var out []parse.OpID
		for i, id := range ids {
			if i > 0 {
				out = append(out, fenceStep)
			}
			out = append(out, id)
		}
		threads[t] = out
	}
	return rearrange(h, threads)
}

// without leaves one operation out.
func without(h *parse.History, id parse.OpID) *parse.History {
	threads := threadsOf(h)
	t := h.Thread(id)
	threads[t] = slices.DeleteFunc(threads[t], func(o parse.OpID) bool { return o == id })
	return rearrange(h, threads)
}

// superfluous lists the operations without which a history demands less:
// reads that do not write, writes that no operation reads, and fences. The final
// write of a location counts as read: without it another would be the last.
func superfluous(h *parse.History) []parse.OpID {
	needed := make([]bool, len(h.Ops))
	for _, id := range h.Final {
		if id >= 0 {
			needed[id] = true
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF >= 0 {
			needed[op.RF] = true
		}
	}
	var out []parse.OpID
	for i := range needed {
		if !needed[i] {
			out = append(out, parse.OpID(i))
		}
	}
	return out
}
