package audit

import (
	"cmp"
	"slices"

	"ordeal/parse"
	"ordeal/sim"
)

// rowNumbers numbers transitions in the order in which they are first taken.
type rowNumbers map[sim.Row]int

// taken returns the transitions that a run took, in an order that is the same for a run and its record.
func (r rowNumbers) taken(coverage sim.Coverage) []int {
	var rows []sim.Row
	for _, t := range coverage {
		if t.Count > 0 {
			rows = append(rows, t.Row)
		}
	}
	slices.SortFunc(rows, func(a, b sim.Row) int {
		return cmp.Or(cmp.Compare(a.Machine, b.Machine), cmp.Compare(a.State, b.State), cmp.Compare(a.Event, b.Event))
	})
	var list []int
	for _, row := range rows {
		if _, ok := r[row]; !ok {
			r[row] = len(r)
		}
		list = append(list, r[row])
	}
	return list
}

// writersOf counts, for each location, the stores of other threads that reads saw; h is nil for a run
// without a history.
func writersOf(h *parse.History) []int {
	if h == nil {
		return nil
	}
	writers := make([]int, len(h.Locations))
	type edge struct {
		from parse.OpID
		to   int // thread
	}
	seen := map[edge]bool{}
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			if e := (edge{op.RF, t}); op.Reads() && op.RF >= 0 && h.Thread(op.RF) != t && !seen[e] {
				seen[e] = true
				writers[op.Loc]++
			}
		}
	}
	return writers
}
