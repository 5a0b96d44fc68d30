package saturate

import (
	"cmp"
	"slices"

	"ordeal/parse"
)

// timeLine is real time as a chain of ticks: an operation that returns before
// another is called has a tick between them. A tick stands where calls follow
// returns, so that there are at most as many as operations, and no operation has
// more than one edge from and one edge to a tick.
type timeLine struct {
	chain int32
	count int32
	// before is the number of ticks before an operation's call, and after
	// that of the first tick after its return, counted from 0; count if there
	// is none.
	before, after []int32
}

func (t *timeLine) ticks() int {
	if t == nil {
		return 0
	}
	return int(t.count)
}

// planTime lays the time line out, unless all operations overlap. It takes time
// O(n log n).
func (p *chainPlan) planTime(h *parse.History) {
	n := len(h.Ops)
	calls := make([]parse.OpID, 0, n)
	for id := range parse.OpID(n) {
		if h.Ops[id].Kind != parse.Fence {
			calls = append(calls, id)
		}
	}
	returns := slices.Clone(calls)
	slices.SortStableFunc(calls, func(a, b parse.OpID) int { return cmp.Compare(h.Times[a].Call, h.Times[b].Call) })
	slices.SortStableFunc(returns, func(a, b parse.OpID) int { return cmp.Compare(h.Times[a].Return, h.Times[b].Return) })
	t := &timeLine{before: make([]int32, n), after: make([]int32, n)}
	returned := false // since the last tick
	for _, c := range calls {
		for len(returns) > 0 && h.Times[returns[0]].Return < h.Times[c].Call {
			t.after[returns[0]], returns, returned = t.count, returns[1:], true
		}
		if returned {
			t.count++
			returned = false
		}
		t.before[c] = t.count
	}
	for _, r := range returns {
		t.after[r] = t.count
	}
	if t.count > 0 {
		t.chain = int32(len(p.thread))
		p.thread = append(p.thread, -1)
		p.time = t
	}
}

// realTime emits the edges from operations to ticks and back, those that follow
// from program order excepted.
func (e *emitter) realTime(t *timeLine) {
	if t == nil {
		return
	}
	g := e.g
	for c := range t.chain {
		before, last := int32(0), t.count
		for v := g.First(c); v != g.End(); v = g.After(v) {
			if b := t.before[g.op[v]]; b > before {
				before = b
				e.emit(g.at(t.chain, b), v, tagProgram)
			}
		}
		for v := g.at(c, g.length(c)); v != NoNode; v = g.Before(v) {
			if a := t.after[g.op[v]]; a < last {
				last = a
				e.emit(v, g.at(t.chain, a+1), tagProgram)
			}
		}
	}
}
