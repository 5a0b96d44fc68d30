package histgen

import (
	"cmp"
	"math/rand/v2"
	"slices"
	"sort"

	"ordeal/parse"
)

// windows is the machine of RMO: each thread has up to Depth operations in
// flight, which take effect in any order that fences, dependencies and
// accesses to one location leave open.
type windows struct {
	*machine
	head []parse.OpID // first operation of the thread not yet done
	done []bool
}

func (s *windows) step(t int) bool {
	end := s.h.Start[t+1]
	for s.head[t] < end && (s.done[s.head[t]] || s.h.Ops[s.head[t]].Kind == parse.Fence) {
		s.head[t]++
	}
	head := s.head[t]
	if head == end {
		return false
	}
	n := min(end-head, parse.OpID(s.p.Depth))
	// The oldest operation can always take effect.
	for id := head + parse.OpID(s.rng.Int32N(int32(n))); id >= head; id-- {
		if !s.done[id] && s.h.Ops[id].Kind != parse.Fence && s.try(head, id) {
			s.done[id] = true
			return true
		}
	}
	panic("histgen: the oldest operation of a window is blocked")
}

// try performs id unless an older operation in flight, from head on, must
// come first.
func (s *windows) try(head, id parse.OpID) bool {
	op := &s.h.Ops[id]
	var fences parse.FenceMask // of the fences between the older one and id
	from := parse.NoOp         // own store to forward from
	for old := id - 1; old >= head; old-- {
		o := &s.h.Ops[old]
		if o.Kind == parse.Fence {
			fences |= o.Mask
			continue
		}
		if s.done[old] {
			continue
		}
		if parse.Components(o, op)&fences != 0 {
			return false
		}
		if o.Loc != op.Loc {
			continue
		}
		if op.Writes() || o.Kind == parse.RMW {
			// A pending RMW has no value to forward yet.
			return false
		}
		if o.Kind == parse.Write && from == parse.NoOp {
			from = old
		}
	}
	if !s.depsDone(id) {
		return false
	}
	if from == parse.NoOp {
		s.perform(id)
		return true
	}
	if !s.depsDone(from) {
		return false
	}
	s.forward(id, from)
	return true
}

func (s *windows) depsDone(id parse.OpID) bool {
	deps := s.h.Deps
	if len(deps) == 0 {
		return true
	}
	// Deps come from the eight operations before id: see AddDeps.
	i := sort.Search(len(deps), func(i int) bool { return deps[i].From >= id-depReach })
	for ; i < len(deps) && deps[i].From < id; i++ {
		if deps[i].To == id && !s.done[deps[i].From] {
			return false
		}
	}
	return true
}

// depReach is how far back dependencies go.
const depReach = 8

// AddDeps gives h random dependencies, one for about share of the operations
// that stand behind a load.
func AddDeps(rng *rand.Rand, h *parse.History, share float64) {
	h.Deps = nil
	for t := range h.Threads() {
		for id := h.Start[t] + 1; id < h.Start[t+1]; id++ {
			if h.Ops[id].Kind == parse.Fence || rng.Float64() >= share {
				continue
			}
			from := max(id-1-parse.OpID(rng.IntN(depReach)), h.Start[t])
			if h.Ops[from].Reads() {
				h.Deps = append(h.Deps, parse.Dep{From: from, To: id})
			}
		}
	}
	sortDeps(h)
}

func sortDeps(h *parse.History) {
	slices.SortFunc(h.Deps, func(a, b parse.Dep) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
}
