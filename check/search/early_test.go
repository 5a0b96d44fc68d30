package search

import (
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/saturate"
	"ordeal/check/witness"
	"ordeal/parse"
)

// Without saturation orders of runs of machines are found, and wherever one is
// found, in histories that a model may forbid, too, the machine of the witness
// accepts it.
func TestEarly(t *testing.T) {
	found, none := 0, 0
	try := func(h *parse.History, m model.Model) bool {
		v := witness.Verdict{Model: m.Name}
		if err := early(t.Context(), &task{h: h, m: m, v: &v}); err != nil {
			t.Fatal(err)
		}
		if v.Answer == witness.Unknown {
			none++
			return false
		}
		found++
		permutation(t, h, v.Order)
		if err := witness.Replay(h, m, v.Order); err != nil {
			t.Fatalf("%s: %v\n%s", m.Name, err, text(h))
		}
		return true
	}
	for seed := range many(1000) {
		h := draw(rand.New(rand.NewPCG(seed, 67)), 6, 40)
		for _, m := range totals {
			try(h, m)
		}
	}
	for seed := range many(500) {
		try(drawFenced(rand.New(rand.NewPCG(seed, 70)), 6, 40), model.RMO)
	}
	if t.Logf("%d orders, %d times none", found, none); found < 100 || none < 100 {
		t.Error("nothing tested")
	}
	for _, m := range totals {
		for _, threads := range []int{2, 8, 16} {
			p := histgen.Params{Threads: threads, Ops: 2000, Locations: 8, Fences: 0.01, RMWs: 0.02, Deps: 0.05}
			h := histgen.Machine(rand.New(rand.NewPCG(uint64(threads), 68)), m, p).History
			if !try(h, m) {
				t.Errorf("%s: no order of a run of %d threads", m.Name, threads)
			}
		}
	}
	// Fences of RMO wait for much.
	p := histgen.Params{Threads: 32, Ops: 20000, Locations: 64, Fences: 0.02}
	if !try(histgen.Machine(rand.New(rand.NewPCG(1, 69)), model.RMO, p).History, model.RMO) {
		t.Error("no order of a run of RMO with fences")
	}
	// What is found within the limit needs no more than the limit says.
	h := run(model.TSO, 16, 20000, 16)
	limit := saturate.EstimateStaticBytes(h, model.TSO)
	if full := estimate(h, model.TSO); limit*5/4 > full {
		t.Errorf("%d bytes without saturation, %d with", limit, full)
	}
	for _, c := range []struct {
		bytes int64
		want  witness.Answer
	}{{limit, witness.Allowed}, {limit - 1, witness.Unknown}} {
		v, err := Auto.Run(t.Context(), h, model.TSO, Limits{MemoryBytes: c.bytes})
		if err != nil || v.Answer != c.want {
			t.Errorf("with %d bytes: %v %q, %v", c.bytes, v.Answer, v.Reason, err)
		}
	}
}
