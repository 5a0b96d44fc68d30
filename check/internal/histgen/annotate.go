package histgen

import (
	"math/rand/v2"

	"ordeal/parse"
)

// Annotate gives h attributes and dependencies of all kinds, at random: about
// share of the operations have some. An RMW behind a read of its location that
// reads the same becomes the store of a pair; with force, that read is made.
func Annotate(rng *rand.Rand, h *parse.History, share float64, force bool) {
	some := func() bool { return rng.Float64() < share }
	h.Deps = nil
	for t := range h.Threads() {
		lo := h.Start[t]
		for id := lo; id < h.Start[t+1]; id++ {
			op := &h.Ops[id]
			op.Attr = 0
			switch op.Kind {
			case parse.Fence:
				if some() {
					op.Attr, op.Mask = parse.ISync, 0
				}
			case parse.Read:
				if some() {
					op.Attr = parse.Acquire << rng.IntN(2)
				}
			case parse.Write:
				if some() {
					op.Attr = parse.Release
				}
			case parse.RMW:
				if id > lo && force && h.Ops[id-1].Kind != parse.RMW && op.RF != id-1 {
					h.Ops[id-1] = parse.Op{Kind: parse.Read, Loc: op.Loc, RF: op.RF}
				}
				from := max(id-1-parse.OpID(rng.IntN(2)), lo)
				if read := &h.Ops[from]; from < id && read.Kind == parse.Read && read.Loc == op.Loc && read.RF == op.RF {
					op.Attr |= parse.Conditional
					h.Deps = append(h.Deps, parse.Dep{From: from, To: id, Kind: parse.DepPair})
				}
				if some() {
					op.Attr |= []parse.Attr{parse.Acquire, parse.Release, parse.Acquire | parse.Release}[rng.IntN(3)]
				}
			}
			from := max(id-1-parse.OpID(rng.IntN(4)), lo)
			if from < id && h.Ops[from].Reads() && h.Ops[from].Attr&parse.Conditional == 0 && some() {
				kind := parse.DepAddress << rng.IntN(3)
				if kind == parse.DepData && !op.Writes() || op.Kind == parse.Fence {
					kind = parse.DepControl
				}
				if rng.IntN(8) == 0 {
					kind = 0
				}
				h.Deps = append(h.Deps, parse.Dep{From: from, To: id, Kind: kind})
			}
		}
	}
	// A write that became a read is not read from any more.
	for id := range h.Ops {
		if op := &h.Ops[id]; op.Reads() && op.RF >= 0 && !h.Ops[op.RF].Writes() {
			op.RF = parse.Init
		}
	}
	deps := h.Deps[:0]
	for _, d := range h.Deps {
		if d.Kind != parse.DepPair || h.Pairs(d) {
			deps = append(deps, d)
		} else {
			h.Ops[d.To].Attr &^= parse.Conditional
		}
	}
	h.Deps = parse.MergeDeps(deps)
	fillValues(h)
}
