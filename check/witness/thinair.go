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
	// Count what each operation waits for, then take away what waits for
	// nothing until nothing is left. readers is a linked list per writer.
	wait := make([]int32, len(h.Ops))
	head := make([]parse.OpID, len(h.Ops))
	next := make([]parse.OpID, len(h.Ops))
	for i := range head {
		head[i] = parse.NoOp
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			wait[i]++
			next[i], head[op.RF] = head[op.RF], parse.OpID(i)
		}
	}
	first := make([]int32, len(h.Ops)+1) // of a From's dependencies
	for _, d := range h.Deps {
		first[d.From+1]++
		wait[d.To]++
	}
	for i := range h.Ops {
		first[i+1] += first[i]
	}
	free := make([]parse.OpID, 0, len(h.Ops))
	for i, w := range wait {
		if w == 0 {
			free = append(free, parse.OpID(i))
		}
	}
	release := func(id parse.OpID) {
		if wait[id]--; wait[id] == 0 {
			free = append(free, id)
		}
	}
	taken := 0
	for ; taken < len(free); taken++ {
		id := free[taken]
		for r := head[id]; r != parse.NoOp; r = next[r] {
			release(r)
		}
		for _, d := range h.Deps[first[id]:first[id+1]] {
			release(d.To)
		}
	}
	if taken == len(h.Ops) {
		return nil
	}
	for i, w := range wait {
		if w > 0 {
			return fmt.Errorf("%s: hangs on a value out of thin air", name(h, parse.OpID(i), -1))
		}
	}
	panic("witness: operations left over, but none waits")
}
