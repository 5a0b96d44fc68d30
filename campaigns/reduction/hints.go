package reduction

import (
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/check/witness"
	"ordeal/gen"
	"ordeal/gen/reduce"
	"ordeal/parse"
)

// surroundings are the numbers of operations before and after each operation of
// the refutation that a hint keeps.
var surroundings = []int{0, 2, 8, 32}

// hints lists the operations of the refutation of a run's history, alone and
// with more and more of those around them; nil without a refutation.
func hints(p *gen.Program, rounds int, failed *run.Evaluation) []reduce.Hint {
	core := relevant(p, failed)
	if core == nil {
		return nil
	}
	var list []reduce.Hint
	for _, around := range surroundings {
		hint := make(reduce.Hint, len(p.Threads))
		for t, ops := range p.Threads {
			next := 0 // the first operation not kept yet
			for _, i := range core[t] {
				for next = max(next, i-around); next <= i+around && next < len(ops)*rounds; next++ {
					hint[t] = append(hint[t], next)
				}
			}
		}
		list = append(list, hint)
	}
	return list
}

// lastRound is the last round with an operation of the refutation of a run; -1
// without a refutation.
func lastRound(p *gen.Program, failed *run.Evaluation) int {
	last := -1
	for t, list := range relevant(p, failed) {
		for _, i := range list {
			last = max(last, i/len(p.Threads[t]))
		}
	}
	return last
}

// relevant lists for each thread the operations of the refutation by their
// index among those of all rounds, in program order; nil without a
// refutation.
func relevant(p *gen.Program, failed *run.Evaluation) [][]int {
	if failed.History == nil || len(failed.Verdicts) == 0 {
		return nil
	}
	v := &failed.Verdicts[0]
	if v.Answer != check.Forbidden || v.Refutation == nil {
		return nil
	}
	m := failed.Models[0]
	_, _, kept := witness.Restrict(m.View(failed.History), v.Refutation)
	origins := parse.NewOrigins(p, failed.History)
	list := make([][]int, len(p.Threads))
	for _, id := range m.Events(failed.History).Ops(kept) { // in program order
		o := origins.Of(id)
		list[o.Thread] = append(list[o.Thread], o.Round*len(p.Threads[o.Thread])+o.Index)
	}
	return list
}
