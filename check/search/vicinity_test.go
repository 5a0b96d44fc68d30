package search

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// lateViolation exchanges what two reads of a thread return, in the last tenth of it: the reads
// are of one location, with no own write between them.
func lateViolation(h *parse.History, t int) bool {
	last := map[int32]parse.OpID{}
	lo, hi := h.Start[t], h.Start[t+1]
	own := func(id parse.OpID) bool { return id >= lo && id < hi }
	for id := hi - (hi-lo)/10; id < hi; id++ {
		o := &h.Ops[id]
		if o.Kind != parse.Read {
			if o.Writes() {
				delete(last, o.Loc)
			}
			continue
		}
		if before, ok := last[o.Loc]; ok {
			if b := &h.Ops[before]; b.RF != o.RF && b.RF != parse.Init && o.RF != parse.Init && !own(b.RF) && !own(o.RF) {
				b.RF, o.RF, b.Read, o.Read = o.RF, b.RF, o.Read, b.Read
				return true
			}
		}
		last[o.Loc] = id
	}
	return false
}

// A violation late in a long history is refuted by what lies around the dead end, with
// evidence for the whole. A history that a model allows is not, wherever one looks.
func TestVicinity(t *testing.T) {
	refuted := 0
	for seed := range many(30) {
		rng := rand.New(rand.NewPCG(seed, 71))
		p := histgen.Params{Threads: 8, Ops: 4000, Locations: 16, Writes: 0.4, RMWs: 0.05, Fences: 0.03}
		run := histgen.Machine(rng, model.SC, p)
		run.History.StoreOrder = run.History.Writes(run.Order)
		h := run.History
		histgen.Annotate(rng, h, 0.2, false)
		for _, m := range []model.Model{model.Armv8, model.RVWMO} {
			known := m.View(h)
			fronts := make([]parse.OpID, known.Threads())
			for thread := range fronts {
				fronts[thread] = known.Start[thread] + parse.OpID(rng.IntN(int(known.Start[thread+1]-known.Start[thread])))
			}
			var v witness.Verdict
			if err := refuteVicinity(t.Context(), known, m, fronts, Limits{}, &v); err != nil || v.Answer != witness.Unknown {
				t.Fatalf("seed %d %s: an allowed history is %v, %v", seed, m.Name, v.Answer, err)
			}
		}
		late := histgen.Clone(h)
		if !lateViolation(late, rng.IntN(8)) {
			continue
		}
		for _, m := range []model.Model{model.Armv8, model.RVWMO} {
			known := m.View(late)
			var v witness.Verdict
			_, fronts, err := early(t.Context(), known, m, m, Limits{}, &v)
			if err != nil || fronts == nil || v.Answer != witness.Unknown {
				t.Fatalf("seed %d %s: %v, fronts %v, %v", seed, m.Name, v.Answer, fronts, err)
			}
			if err := refuteVicinity(t.Context(), known, m, fronts, Limits{}, &v); err != nil {
				t.Fatal(err)
			}
			if v.Answer != witness.Forbidden {
				t.Errorf("seed %d %s: not refuted around %v", seed, m.Name, fronts)
				continue
			}
			refuted++
			if err := witness.Check(known, m, &v); err != nil {
				t.Errorf("seed %d %s: %v", seed, m.Name, err)
			}
		}
	}
	if t.Log(refuted); refuted < 10 {
		t.Error("nothing tested")
	}
}
