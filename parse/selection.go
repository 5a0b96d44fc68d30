package parse

import "slices"

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
	for _, d := range h.Deps {
		if from, to := number(d.From), number(d.To); from >= 0 && to >= 0 {
			sub.Deps = append(sub.Deps, Dep{From: from, To: to})
		}
	}
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
