package histgen

import (
	"math/rand/v2"

	"ordeal/check/model"
	"ordeal/parse"
)

// Embed hides core inside a random run of m's machine: half of p.Ops
// operations take effect before it and half after, on locations of their own.
// The history fits a model that m implies exactly when core does. Threads of
// core become parts of different threads, and at is where its operations
// are now.
func Embed(rng *rand.Rand, core *parse.History, m model.Model, p Params) (h *parse.History, at []parse.OpID) {
	p = p.withDefaults()
	p.Ops /= 2
	before, after := Machine(rng, m, p), Machine(rng, m, p)
	h = &parse.History{Start: []parse.OpID{0}}
	threads := max(p.Threads, core.Threads())
	h.ThreadNames = names(threads)
	h.Locations = append(names(p.Locations), core.Locations...)
	parts := [3]*parse.History{before.History, core, after.History}
	var moved [3][]parse.OpID
	for i, part := range parts {
		moved[i] = make([]parse.OpID, len(part.Ops))
	}
	for t := range threads {
		for i, part := range parts {
			if t >= part.Threads() {
				continue
			}
			for id := part.Start[t]; id < part.Start[t+1]; id++ {
				moved[i][id] = parse.OpID(len(h.Ops))
				h.Ops = append(h.Ops, part.Ops[id])
			}
		}
		h.Start = append(h.Start, parse.OpID(len(h.Ops)))
	}
	// What the second half reads initially, the first half wrote last.
	final := Final(before.History, before.Order)
	for i, part := range parts {
		for id := range part.Ops {
			op := &h.Ops[moved[i][id]]
			switch {
			case op.Loc >= 0 && i == 1:
				op.Loc += int32(p.Locations)
				fallthrough
			case i == 0 || op.RF >= 0:
				if op.RF >= 0 {
					op.RF = moved[i][op.RF]
				}
			case op.RF == parse.Init && final[op.Loc] >= 0:
				op.RF = moved[0][final[op.Loc]]
			}
		}
		for _, d := range part.Deps {
			h.Deps = append(h.Deps, parse.Dep{From: moved[i][d.From], To: moved[i][d.To], Kind: d.Kind})
		}
	}
	sortDeps(h)
	fillValues(h)
	return h, moved[1]
}
