package witness

import (
	"fmt"

	"ordeal/parse"
)

// thinAir checks that dependencies together with reads-from, also inside a
// thread, form no cycle: no value depends on itself (Alglave, FMSD 2012,
// Sect. 4; Chini and Saivasan, FSTTCS 2020, Sect. 4).
func thinAir(h *parse.History) error {
	if len(h.Deps) == 0 {
		return nil
	}
	arcs := make([]Arc, 0, len(h.Deps)+len(h.Ops))
	for _, d := range h.Deps {
		arcs = append(arcs, Arc{d.From, d.To})
	}
	for id := range h.Ops {
		if op := &h.Ops[id]; op.Reads() && op.RF != parse.Init {
			arcs = append(arcs, Arc{op.RF, parse.OpID(id)})
		}
	}
	g := closureGraph{h: h}
	if err := g.sort(collect(len(h.Ops), arcs, nil)); err != nil {
		return fmt.Errorf("a value out of thin air: %w", err)
	}
	return nil
}
