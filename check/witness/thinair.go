package witness

import (
	"fmt"

	"ordeal/check/closure"
	"ordeal/parse"
)

// thinAir checks that dependencies together with reads-from, also inside a
// thread, form no cycle: no value depends on itself (Alglave, FMSD 2012,
// Sect. 4; Chini and Saivasan, FSTTCS 2020, Sect. 4).
func thinAir(h *parse.History) error {
	if len(h.Deps) == 0 {
		return nil
	}
	g := closure.Graph[struct{}]{Nodes: len(h.Ops)}
	for _, d := range h.Deps {
		g.Add(int32(d.From), int32(d.To), struct{}{})
	}
	for id := range h.Ops {
		if op := &h.Ops[id]; op.Reads() && op.RF != parse.Init {
			g.Add(int32(op.RF), int32(id), struct{}{})
		}
	}
	if cycle := g.Cycle(); cycle != nil {
		return fmt.Errorf("a value out of thin air: a cycle leads through %s", name(h, parse.OpID(cycle[0].From), -1))
	}
	return nil
}
