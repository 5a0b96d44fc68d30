package histgen

import (
	"math/rand/v2"
	"slices"

	"ordeal/parse"
)

// Random draws a program by p and lets every read read from any write to its
// location in any thread, its own later ones included, or from the initial
// value. Most such histories fit no model.
func Random(rng *rand.Rand, p Params) *parse.History {
	h := program(rng, p.withDefaults())
	writes := h.Writes(nil)
	for i := range h.Ops {
		op := &h.Ops[i]
		if !op.Reads() {
			continue
		}
		op.RF = parse.Init
		ws := writes[op.Loc]
		if k := rng.IntN(len(ws) + 1); k < len(ws) && ws[k] != parse.OpID(i) {
			op.RF = ws[k]
		}
	}
	fillValues(h)
	return h
}

// Mutate returns a copy of run's history in which r reads, chosen at random,
// read from a write up to two places before or after theirs in the order in
// which the writes reached memory. It may or may not still be consistent.
func Mutate(rng *rand.Rand, run Run, r int) *parse.History {
	h := Clone(run.History)
	order := h.Writes(run.Order)
	place := make([]int, len(h.Ops))
	for _, ws := range order {
		for i, w := range ws {
			place[w] = i
		}
	}
	var reads []int
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && len(order[op.Loc]) > 0 {
			reads = append(reads, i)
		}
	}
	for range min(r, len(reads)) {
		k := rng.IntN(len(reads))
		op := &h.Ops[reads[k]]
		ws := order[op.Loc]
		at := -1 // Init
		if op.RF != parse.Init {
			at = place[op.RF]
		}
		var near []parse.OpID
		for d := -2; d <= 2; d++ {
			from := parse.Init
			if at+d >= 0 && at+d < len(ws) {
				from = ws[at+d]
			} else if at+d != -1 {
				continue
			}
			if d != 0 && from != parse.OpID(reads[k]) {
				near = append(near, from)
			}
		}
		if len(near) > 0 {
			op.RF = near[rng.IntN(len(near))]
		}
		reads = slices.Delete(reads, k, k+1)
	}
	h.Final, h.StoreOrder = nil, nil
	fillValues(h)
	return h
}

// AddFinal makes h say, for about half of its locations, that a write chosen
// at random was the last.
func AddFinal(rng *rand.Rand, h *parse.History) {
	h.Final = make([]parse.OpID, len(h.Locations))
	for x, ws := range h.Writes(nil) {
		h.Final[x] = parse.NoOp
		if rng.IntN(2) == 0 {
			continue
		}
		h.Final[x] = parse.Init
		if len(ws) > 0 {
			h.Final[x] = ws[rng.IntN(len(ws))]
		}
	}
}

// AddStoreOrder makes h say that the writes to each location reached memory
// in an order chosen at random.
func AddStoreOrder(rng *rand.Rand, h *parse.History) {
	h.StoreOrder = h.Writes(nil)
	for _, ws := range h.StoreOrder {
		rng.Shuffle(len(ws), func(i, j int) { ws[i], ws[j] = ws[j], ws[i] })
	}
}
