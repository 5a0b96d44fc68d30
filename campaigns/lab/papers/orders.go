package papers

import (
	"context"

	"ordeal/check"
	"ordeal/check/causal"
	"ordeal/check/closure"
	"ordeal/check/model"
	"ordeal/parse"
)

// convergent is the partial store order that CCv dictates, as pww is that of
// CCM: (co on writes to one location ∪ cf)⁺ with co = (po ∪ wr)⁺, where W cf W'
// if W co R for a read R of W' (Zennou et al., CAV 2019, Sect. 3.1), and cf
// alone. CCv must allow the history.
func convergent(h *parse.History) (order *closure.Matrix, cf map[[2]parse.OpID]bool) {
	causal := &closure.Graph[struct{}]{Nodes: len(h.Ops)}
	for t := range h.Threads() {
		for id := h.Start[t]; id+1 < h.Start[t+1]; id++ {
			causal.Add(int32(id), int32(id+1), struct{}{})
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			causal.Add(int32(op.RF), int32(i), struct{}{})
		}
	}
	co := causal.Matrix()
	dictated := &closure.Graph[struct{}]{Nodes: len(h.Ops)}
	cf = make(map[[2]parse.OpID]bool)
	for _, writes := range h.Writes(nil) {
		for _, w := range writes {
			for i := range h.Ops {
				id, op := parse.OpID(i), &h.Ops[i]
				if op.Kind == parse.Fence || op.Loc != h.Ops[w].Loc || !co.Has(int32(w), int32(id)) {
					continue
				}
				if op.Writes() {
					dictated.Add(int32(w), int32(id), struct{}{})
				}
				if op.Reads() && op.RF != parse.Init && op.RF != w {
					dictated.Add(int32(w), int32(op.RF), struct{}{})
					cf[[2]parse.OpID{w, op.RF}] = true
				}
			}
		}
	}
	return dictated.Matrix(), cf
}

// pairs counts pairs of two different writes to one location of a history
// that SC allows, and those that the criteria order.
type pairs struct {
	check.KernelReport
	// CCv, CF and WCCM count the pairs that CCv, its cf alone and wCCM order;
	// Initial those of an initial write and another one.
	CCv, CF, WCCM, Initial int
}

func countPairs(ctx context.Context, h *parse.History) (pairs, error) {
	var p pairs
	var err error
	if p.KernelReport, err = check.Kernel(ctx, h, check.Options{}); err != nil {
		return p, err
	}
	weak, err := causal.Ordered(ctx, h, model.WCCM)
	if err != nil {
		return p, err
	}
	ccv, cf := convergent(h)
	for _, writes := range h.Writes(nil) {
		p.Initial += len(writes)
		for j, b := range writes {
			for _, a := range writes[:j] {
				if weak(a, b) || weak(b, a) {
					p.WCCM++
				}
				if ccv.Has(int32(a), int32(b)) || ccv.Has(int32(b), int32(a)) {
					p.CCv++
				}
				if cf[[2]parse.OpID{a, b}] || cf[[2]parse.OpID{b, a}] {
					p.CF++
				}
			}
		}
	}
	return p, nil
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}
