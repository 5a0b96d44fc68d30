package saturate

import (
	"ordeal/check/model"
	"ordeal/parse"
)

// Part is the history of some of a history's operations.
type Part struct {
	h *parse.History
	// op and loc lead back to the whole.
	op  []parse.OpID
	loc []int32
}

// History is the part as a history of its own.
func (p *Part) History() *parse.History { return p.h }

// Op is what an operation of the part is in the whole.
func (p *Part) Op(id parse.OpID) parse.OpID { return p.op[id] }

// Ops lists the operations of the whole that make up the part.
func (p *Part) Ops() []parse.OpID { return p.op }

// Restrict is the part of h that consists of the operations keep, in order,
// with the threads and locations that they use. A kept read whose writer is
// not kept reads the initial value in the part. What is known of the final
// memory and the store order is restricted likewise, and dependencies that led
// through others are kept. Where all writers of kept reads are kept, whatever
// explains h explains the part, so that a model that forbids it forbids h. The
// model says which dependencies there are.
func Restrict(h *parse.History, m model.Model, keep []parse.OpID) Part {
	p := Part{h: &parse.History{Start: []parse.OpID{0}}, op: keep}
	to := make(map[parse.OpID]parse.OpID, len(keep))
	for i, id := range keep {
		to[id] = parse.OpID(i)
	}
	locs := map[int32]int32{}
	thread := -1
	for i, id := range keep {
		t := h.Thread(id)
		if t != thread && i > 0 {
			p.h.Start = append(p.h.Start, parse.OpID(i))
		}
		thread = t
		o := h.Ops[id]
		if o.Reads() && o.RF != parse.Init {
			if rf, ok := to[o.RF]; ok {
				o.RF = rf
			} else {
				o.RF, o.Read = parse.Init, 0
			}
		}
		if o.Kind != parse.Fence {
			x, ok := locs[o.Loc]
			if !ok {
				x = int32(len(p.loc))
				locs[o.Loc] = x
				p.loc = append(p.loc, o.Loc)
			}
			o.Loc = x
		}
		p.h.Ops = append(p.h.Ops, o)
	}
	p.h.Start = append(p.h.Start, parse.OpID(len(keep)))
	p.h.Locations = make([]string, len(p.loc))
	if h.Times != nil {
		p.h.Times = make([]parse.Interval, len(keep))
		for i, id := range keep {
			p.h.Times[i] = h.Times[id]
		}
	}
	p.knowledge(h, to)
	if m.Rules != nil {
		p.h.Deps = h.SelectDeps(keep)
	} else {
		p.dependencies(h, to)
	}
	return p
}

// Beginning is the part of h that consists of one operation in share of each
// thread, the first ones, without reads of what others write.
func Beginning(h *parse.History, m model.Model, share int) Part {
	var keep []parse.OpID
	for t := range h.Threads() {
		lo, hi := h.Start[t], h.Start[t+1]
		for id := lo; id < lo+(hi-lo)/parse.OpID(share); id++ {
			keep = append(keep, id)
		}
	}
	return Restrict(h, m, readable(h, keep))
}

func (p *Part) knowledge(h *parse.History, to map[parse.OpID]parse.OpID) {
	if h.Final != nil {
		for _, x := range p.loc {
			f := h.Final[x]
			if id, ok := to[f]; ok {
				f = id
			} else if f != parse.Init {
				f = parse.NoOp
			}
			p.h.Final = append(p.h.Final, f)
		}
	}
	if h.StoreOrder != nil {
		for _, x := range p.loc {
			var order []parse.OpID
			for _, w := range h.StoreOrder[x] {
				if id, ok := to[w]; ok {
					order = append(order, id)
				}
			}
			p.h.StoreOrder = append(p.h.StoreOrder, order)
		}
	}
}

// dependencies restricts the dependencies, closed under composition.
func (p *Part) dependencies(h *parse.History, to map[parse.OpID]parse.OpID) {
	if len(h.Deps) == 0 {
		return
	}
	first := 0
	for i, from := range p.op {
		for first < len(h.Deps) && h.Deps[first].From < from {
			first++
		}
		reached := map[parse.OpID]bool{from: true}
		end := h.Start[h.Thread(from)+1]
		for _, d := range h.Deps[first:] {
			if d.From >= end {
				break
			}
			if reached[d.From] {
				reached[d.To] = true
			}
		}
		for j := i + 1; j < len(p.op) && p.op[j] < end; j++ {
			if reached[p.op[j]] {
				p.h.Deps = append(p.h.Deps, parse.Dep{From: parse.OpID(i), To: parse.OpID(j)})
			}
		}
	}
}
