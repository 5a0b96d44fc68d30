package search

import (
	"context"
	"slices"

	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

const (
	// firstVicinity is how many operations of each thread are looked at first, before
	// and behind the place where an order got stuck, and lastVicinity how many at last.
	firstVicinity, lastVicinity = 32, 256
	// vicinityShare is the largest part of a history that is: one operation in so many.
	vicinityShare = 4
)

// refuteVicinity completes a verdict by a refutation of what lies around a dead end, if there is
// one: a violation that is met late in a history needs no graph of the whole. The part has
// the operations of each thread around the first one that the order lacks, which
// fronts gives, and what they read from; a model that forbids it forbids the whole.
func refuteVicinity(ctx context.Context, h *parse.History, m model.Model, fronts []parse.OpID, limits Limits, v *witness.Verdict) error {
	for size := parse.OpID(firstVicinity); size <= lastVicinity; size *= 2 {
		keep := around(h, fronts, size)
		if len(keep) > len(h.Ops)/vicinityShare {
			return nil
		}
		part := saturate.Restrict(h, m, keep)
		g, ok, err := Saturated(ctx, part.History(), m, limits, nil)
		if err != nil {
			return err
		}
		if !ok {
			refute(ctx, h, &part, g, v)
			return nil
		}
	}
	return nil
}

// around lists, in order, so many operations of each thread on either side of its front, and
// all that they read from.
func around(h *parse.History, fronts []parse.OpID, size parse.OpID) (keep []parse.OpID) {
	in := make([]bool, len(h.Ops))
	for t, front := range fronts {
		for id := max(front-size, h.Start[t]); id < min(front+size, h.Start[t+1]); id++ {
			for from := id; from >= 0 && !in[from]; from = h.Ops[from].RF {
				in[from] = true
				if !h.Ops[from].Reads() {
					break
				}
			}
		}
	}
	for id, is := range in {
		if is {
			keep = append(keep, parse.OpID(id))
		}
	}
	return keep
}

// fronts gives for each thread its first operation that is not placed.
func (p *placer) fronts() []parse.OpID {
	h := p.g.History()
	fronts := slices.Clone(h.Start[1:])
	for _, v := range p.heads {
		if v != p.g.End() {
			t := p.g.Thread(v)
			fronts[t] = min(fronts[t], p.g.Op(v))
		}
	}
	return fronts
}
