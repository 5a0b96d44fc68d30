package papers

import (
	"fmt"
	"math/rand/v2"

	"ordeal/gen"
	"ordeal/parse"
)

// drawn is a random program of reads and writes; reads have no writer yet.
func drawn(rng *rand.Rand, threads, ops, locations int) *parse.History {
	h := &parse.History{Start: []parse.OpID{0}}
	for x := range locations {
		h.Locations = append(h.Locations, fmt.Sprint("x", x))
	}
	for t := range threads {
		h.ThreadNames = append(h.ThreadNames, fmt.Sprint(t))
		for range ops / threads {
			op := parse.Op{Kind: parse.Read, Loc: int32(rng.IntN(locations)), RF: parse.NoOp}
			if rng.IntN(2) == 0 {
				op.Kind, op.Write = parse.Write, gen.Value(len(h.Ops)+1)
			}
			h.Ops = append(h.Ops, op)
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	return h
}

// returns lets a read return the value of a write, or the initial one.
func returns(h *parse.History, r, w parse.OpID) {
	h.Ops[r].RF, h.Ops[r].Read = w, 0
	if w != parse.Init {
		h.Ops[r].Read = h.Ops[w].Write
	}
}

// executed is a random history of SC, with an order that explains it.
func executed(rng *rand.Rand, threads, ops, locations int) (*parse.History, []parse.OpID) {
	h := drawn(rng, threads, ops, locations)
	memory := make([]parse.OpID, locations)
	for x := range memory {
		memory[x] = parse.Init
	}
	next := append([]parse.OpID(nil), h.Start[:threads]...)
	var order []parse.OpID
	for len(order) < len(h.Ops) {
		t := rng.IntN(threads)
		id := next[t]
		if id == h.Start[t+1] {
			continue
		}
		next[t]++
		order = append(order, id)
		if op := &h.Ops[id]; op.Kind == parse.Write {
			memory[op.Loc] = id
		} else {
			returns(h, id, memory[op.Loc])
		}
	}
	return h, order
}

// reaches reports whether a path of at least one step leads from a to b; next
// lists the steps.
func reaches(a, b parse.OpID, next func(parse.OpID) []parse.OpID) bool {
	seen := map[parse.OpID]bool{}
	stack := next(a)
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v == b {
			return true
		}
		if !seen[v] {
			seen[v] = true
			stack = append(stack, next(v)...)
		}
	}
	return false
}

// causes lists the steps of program order and reads-from.
func causes(h *parse.History) func(parse.OpID) []parse.OpID {
	return func(v parse.OpID) []parse.OpID {
		var list []parse.OpID
		if t := h.Thread(v); v+1 < h.Start[t+1] {
			list = append(list, v+1)
		}
		for i := range h.Ops {
			if h.Ops[i].Kind == parse.Read && h.Ops[i].RF == v {
				list = append(list, parse.OpID(i))
			}
		}
		return list
	}
}
