package papers

import (
	"context"

	"ordeal/check"
	"ordeal/check/causal"
	"ordeal/check/model"
	"ordeal/parse"
)

// relation is a relation on operations, as rows of bits.
type relation struct {
	words int
	bits  []uint64
}

func newRelation(n int) *relation {
	words := (n + 63) / 64
	return &relation{words, make([]uint64, n*words)}
}

func (r *relation) row(a int) []uint64       { return r.bits[a*r.words : (a+1)*r.words] }
func (r *relation) add(a, b parse.OpID)      { r.row(int(a))[b/64] |= 1 << (b % 64) }
func (r *relation) has(a, b parse.OpID) bool { return r.row(int(a))[b/64]>>(b%64)&1 != 0 }

// close makes the relation transitive, by Warshall's algorithm.
func (r *relation) close() {
	n := len(r.bits) / max(r.words, 1)
	for via := range n {
		through := r.row(via)
		for a := range n {
			row := r.row(a)
			if row[via/64]>>(via%64)&1 == 0 {
				continue
			}
			for w, bits := range through {
				row[w] |= bits
			}
		}
	}
}

// convergent is the partial store order that CCv dictates, as pww is that of
// CCM: (co on writes to one location ∪ cf)⁺ with co = (po ∪ wr)⁺, where W cf W'
// if W co R for a read R of W' (Zennou et al., CAV 2019, Sect. 3.1), and cf
// alone.
func convergent(h *parse.History) (order, cf *relation) {
	co := newRelation(len(h.Ops))
	for t := range h.Threads() {
		for id := h.Start[t]; id+1 < h.Start[t+1]; id++ {
			co.add(id, id+1)
		}
	}
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Reads() && op.RF != parse.Init {
			co.add(op.RF, parse.OpID(i))
		}
	}
	co.close()
	order, cf = newRelation(len(h.Ops)), newRelation(len(h.Ops))
	for _, writes := range stores(h) {
		for _, w := range writes {
			for i := range h.Ops {
				id, op := parse.OpID(i), &h.Ops[i]
				if op.Kind == parse.Fence || op.Loc != h.Ops[w].Loc || !co.has(w, id) {
					continue
				}
				if op.Writes() && id != w {
					order.add(w, id)
				}
				if op.Reads() && op.RF != parse.Init && op.RF != w {
					order.add(w, op.RF)
					cf.add(w, op.RF)
				}
			}
		}
	}
	order.close()
	return order, cf
}

// stores lists the writes to each location, without the initial ones.
func stores(h *parse.History) [][]parse.OpID {
	all := make([][]parse.OpID, len(h.Locations))
	for i := range h.Ops {
		if op := &h.Ops[i]; op.Writes() {
			all[op.Loc] = append(all[op.Loc], parse.OpID(i))
		}
	}
	return all
}

// pairs counts pairs of two different writes to one location of a history
// that SC allows, and those that the criteria order.
type pairs struct {
	check.KernelReport
	// CCv, CF and WCCM count the pairs that CCv, its cf alone and wCCM order;
	// Initial those of an initial write and another one.
	CCv, CF, WCCM, Initial int
}

// countPairs counts.
func countPairs(ctx context.Context, h *parse.History) (pairs, error) {
	var p pairs
	var err error
	if p.KernelReport, err = check.Kernel(ctx, h); err != nil {
		return p, err
	}
	weak, err := causal.Ordered(ctx, h, model.WCCM)
	if err != nil {
		return p, err
	}
	ccv, cf := convergent(h)
	for _, writes := range stores(h) {
		p.Initial += len(writes)
		for j, b := range writes {
			for _, a := range writes[:j] {
				if weak(a, b) || weak(b, a) {
					p.WCCM++
				}
				if ccv.has(a, b) || ccv.has(b, a) {
					p.CCv++
				}
				if cf.has(a, b) || cf.has(b, a) {
					p.CF++
				}
			}
		}
	}
	return p, nil
}

// percent is a share in percent.
func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
}
