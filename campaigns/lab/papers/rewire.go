package papers

import (
	"context"
	"math/rand/v2"
	"slices"

	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
)

// How violations are made of valid histories.
const (
	rewiredReads    = 3  // reads that get another writer
	rewiredDistance = 4  // how far that is from theirs, in stores to the location
	rewireTries     = 50 // how often to try until the result is a violation
)

// rewire returns a copy of a history, valid under SC with the given memory
// order, in which some reads, chosen at random, return a write within a
// bounded distance from theirs in the order of the stores to their location:
// how the wSC paper makes violations (Sect. 6). It may still be valid.
func rewire(rng *rand.Rand, h *parse.History, order []parse.OpID) *parse.History {
	out := *h
	out.Ops = slices.Clone(h.Ops)
	stores := make([][]parse.OpID, len(h.Locations))
	for x := range stores {
		stores[x] = []parse.OpID{parse.Init}
	}
	var reads []parse.OpID
	for _, id := range order {
		op := &h.Ops[id]
		if op.Writes() {
			stores[op.Loc] = append(stores[op.Loc], id)
		}
		if op.Kind == parse.Read {
			reads = append(reads, id)
		}
	}
	rng.Shuffle(len(reads), func(i, j int) { reads[i], reads[j] = reads[j], reads[i] })
	changed := 0
	for _, r := range reads {
		if changed == rewiredReads {
			break
		}
		op := &out.Ops[r]
		list := stores[op.Loc]
		at := slices.Index(list, op.RF)
		low, high := max(0, at-rewiredDistance), min(len(list)-1, at+rewiredDistance)
		if low == high {
			continue
		}
		to := low + rng.IntN(high-low)
		if to >= at {
			to++
		}
		op.RF, op.Read = list[to], 0
		if op.RF != parse.Init {
			op.Read = h.Ops[op.RF].Write
		}
		changed++
	}
	return &out
}

// violate rewires a run, which SC allows by the order given, until SC forbids
// it; ok is false if that never happens.
func violate(ctx context.Context, r *sample, order []parse.OpID) (_ sample, ok bool, err error) {
	rng := rand.New(rand.NewPCG(uint64(r.number), 0x77697265))
	for range rewireTries {
		out := *r
		out.history = rewire(rng, r.history, order)
		v, err := answer(ctx, &out, model.SC)
		if err != nil || v.Answer == check.Forbidden {
			return out, err == nil, err
		}
	}
	return *r, false, nil
}
