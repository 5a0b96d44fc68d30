package parse

import (
	"slices"

	"ordeal/gen"
)

// pendingWrites describes which values may have been written by the operations
// that a partial log does not reach. Of a complete log there are none.
type pendingWrites struct {
	rounds, stride gen.Value
	// constants maps the constants of stores and exchanges to their location.
	constants map[gen.Value]int32
	// adds says which locations have fetch-adds in an incomplete thread.
	adds map[int32]bool
}

// pendingWrites gathers what the log of d does not reach.
func (d *decoder) pendingWrites() *pendingWrites {
	if d.short.Count() == 0 {
		return nil
	}
	w := &pendingWrites{
		rounds: gen.Value(d.rounds), stride: d.p.Stride(),
		constants: map[gen.Value]int32{}, adds: map[int32]bool{},
	}
	for t, ops := range d.p.Threads {
		complete := d.logged[t] == d.rounds*len(d.origins.index[t])
		for _, op := range ops {
			switch {
			case op.Kind.Constant():
				w.constants[op.Value] = int32(op.Loc)
			case op.Kind == gen.FetchAdd && !complete:
				w.adds[int32(op.Loc)] = true
			}
		}
	}
	return w
}

// has reports whether v may have been written to loc by an operation that is
// not in the History: v is the value of a store there in some round, to which
// fetch-adds may have added. Which values exactly a fetch-add can have written
// is not examined.
func (w *pendingWrites) has(loc int32, v gen.Value) bool {
	if w == nil {
		return false
	}
	constant := v % gen.AddUnit
	if v >= gen.AddUnit {
		if !w.adds[loc] {
			return false
		}
		if constant == 0 { // added to the initial value
			return true
		}
	}
	writtenTo, ok := w.constants[constant%w.stride]
	return ok && writtenTo == loc && constant/w.stride < w.rounds
}

// tails lists the pending operations of each thread: those after its first
// read without a value that a model takes into account, up to the last whose value
// was read somewhere, or to which fetch-adds added what was read.
func (d *decoder) tails() [][]int {
	type writer struct{ thread, place int }
	writers := make(map[gen.Value]writer)
	for t, index := range d.origins.index {
		for place, i := range index {
			if op := d.p.Threads[t][i]; op.Kind.Constant() {
				writers[op.Value] = writer{t, place}
			}
		}
	}
	stride, reach := d.p.Stride(), slices.Clone(d.logged)
	for _, values := range d.frames.threads {
		for i := range values.Len() {
			constant := values.At(i) % gen.AddUnit
			w, ok := writers[constant%stride]
			if round := int(constant / stride); ok && round < d.rounds {
				reach[w.thread] = max(reach[w.thread], round*len(d.origins.index[w.thread])+w.place+1)
			}
		}
	}
	tails := make([][]int, len(reach))
	for t, index := range d.origins.index {
		for place := d.logged[t]; place < reach[t]; place++ {
			switch d.p.Threads[t][index[place%len(index)]].Kind {
			case gen.Store, gen.Exchange, gen.FullFence:
				tails[t] = append(tails[t], place)
			}
		}
	}
	return tails
}

// proven gives for each thread how many of its operations do not depend on
// reads without a writer: none of them is such a read, and none reads from an
// operation that is not itself among the proven ones of its thread.
func (h *History) proven() []OpID {
	end := append([]OpID(nil), h.Start[1:]...)
	for again := true; again; {
		again = false
		for t := range end {
			for id := h.Start[t]; id < end[t]; id++ {
				op := &h.Ops[id]
				if !op.Reads() || op.RF == Init {
					continue
				}
				if op.RF == NoOp || op.RF >= end[h.Thread(op.RF)] {
					end[t] = id
					again = true
				}
			}
		}
	}
	for t := range end {
		end[t] -= h.Start[t]
	}
	return end
}

// trim keeps the first n[t] operations of each thread t, which must not read
// from the others.
func (h *History) trim(n []OpID) {
	for t, tail := range h.Tails {
		inOrder := int(h.Start[t+1]-h.Start[t]) - len(tail)
		h.Tails[t] = tail[:max(int(n[t])-inOrder, 0)]
	}
	start := make([]OpID, 1, len(h.Start))
	for t := range n {
		start = append(start, start[t]+n[t])
	}
	for id := range h.Ops {
		if rf := h.Ops[id].RF; rf >= 0 {
			t := h.Thread(rf)
			h.Ops[id].RF = rf - h.Start[t] + start[t]
		}
	}
	var deps []Dep
	for _, d := range h.Deps {
		if t := h.Thread(d.To); d.To < h.Start[t]+n[t] {
			move := start[t] - h.Start[t]
			deps = append(deps, Dep{From: d.From + move, To: d.To + move, Kind: d.Kind})
		}
	}
	h.Deps = deps
	for t := range n {
		copy(h.Ops[start[t]:start[t+1]], h.Ops[h.Start[t]:h.Start[t]+n[t]])
	}
	h.Ops, h.Start = h.Ops[:start[len(n)]], start
}
