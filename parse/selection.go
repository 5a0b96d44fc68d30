package parse

import (
	"cmp"
	"slices"
)

// Select makes a history of some operations, given in ascending order. It also
// gives the number there of each operation, Init for Init and NoOp for those
// that are left out; a read whose write is left out has no write, RF being
// NoOp, and makes the result malformed until it is given one. Threads and
// locations that lose all their operations stay.
func (h *History) Select(kept []OpID) (sub *History, number func(OpID) OpID) {
	number = func(id OpID) OpID {
		if id < 0 {
			return id
		}
		i, ok := slices.BinarySearch(kept, id)
		if !ok {
			return NoOp
		}
		return OpID(i)
	}
	sub = &History{
		Ops: make([]Op, len(kept)), Start: make([]OpID, len(h.Start)), ThreadNames: h.ThreadNames, Locations: h.Locations,
	}
	for i, id := range kept {
		sub.Ops[i] = h.Ops[id]
		sub.Ops[i].RF = number(h.Ops[id].RF)
	}
	if h.Times != nil {
		sub.Times = make([]Interval, len(kept))
		for i, id := range kept {
			sub.Times[i] = h.Times[id]
		}
	}
	for t, start := range h.Start {
		i, _ := slices.BinarySearch(kept, start)
		sub.Start[t] = OpID(i)
	}
	sub.Deps = h.SelectDeps(kept)
	if h.Final != nil {
		sub.Final = make([]OpID, len(h.Final))
		for x, id := range h.Final {
			sub.Final[x] = number(id)
		}
	}
	if h.StoreOrder != nil {
		sub.StoreOrder = make([][]OpID, len(h.StoreOrder))
		for x, ids := range h.StoreOrder {
			for _, id := range ids {
				if id := number(id); id >= 0 {
					sub.StoreOrder[x] = append(sub.StoreOrder[x], id)
				}
			}
		}
	}
	return sub, number
}

// SelectDeps lists the dependencies between some operations, given in ascending
// order and numbered by their places there. Where the end of a control or address
// dependency is left out, what follows it depends on a branch in its place: that
// orders no more, since all that follows an access whose address depends on a
// read is ordered as what follows such a branch.
func (h *History) SelectDeps(kept []OpID) []Dep {
	var deps []Dep
	for _, d := range h.Deps {
		from, ok := slices.BinarySearch(kept, d.From)
		if !ok {
			continue
		}
		to, ok := slices.BinarySearch(kept, d.To)
		switch {
		case ok:
		case d.Kind&(DepControl|DepAddress) == 0 || to == len(kept) || h.Thread(kept[to]) != h.Thread(d.From):
			continue
		default:
			d.Kind = DepControl
		}
		deps = append(deps, Dep{From: OpID(from), To: OpID(to), Kind: d.Kind})
	}
	return MergeDeps(deps)
}

// MergeDeps sorts dependencies as History has them, those of one pair in one.
func MergeDeps(deps []Dep) []Dep {
	slices.SortFunc(deps, func(a, b Dep) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	merged := deps[:0]
	for _, d := range deps {
		if n := len(merged); n > 0 && merged[n-1].From == d.From && merged[n-1].To == d.To {
			merged[n-1].Kind |= d.Kind
		} else {
			merged = append(merged, d)
		}
	}
	return merged
}
