package audit

import (
	"ordeal/gen/guided"
	"ordeal/parse"
	"ordeal/sim"
)

// rowNumbers numbers transitions in the order in which they are first taken.
type rowNumbers map[sim.Row]int

// feedback returns the transitions that a run took, and how many stores of other
// threads the reads of each location saw; h is nil for a run without a history.
func (r rowNumbers) feedback(h *parse.History, coverage sim.Coverage) guided.Feedback {
	var f guided.Feedback
	for _, t := range coverage {
		if t.Count == 0 {
			continue
		}
		row := t.Row
		if _, ok := r[row]; !ok {
			r[row] = len(r)
		}
		f.Taken = append(f.Taken, r[row])
	}
	if h == nil {
		return f
	}
	f.Writers = make([]int, len(h.Locations))
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
				f.Writers[op.Loc]++
			}
		}
	}
	return f
}
