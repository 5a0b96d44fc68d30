package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"ordeal/check"
	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/parse"
)

// models are those that the default pipeline is compared under.
var models = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}

func mustAgree(t *testing.T, h *parse.History, m model.Model, procedure string) check.Verdict {
	t.Helper()
	v, err := check.Check(context.Background(), h, m, check.Options{Procedure: procedure})
	if err != nil {
		t.Fatalf("%v\n%s", err, dump(h))
	}
	want := check.Forbidden
	if brute.Allowed(h, m) {
		want = check.Allowed
	}
	if v.Answer != want {
		t.Fatalf("%s by %s: got %v (%s), want %v\n%s", m.Name, procedure, v.Answer, v.Reason, want, dump(h))
	}
	return v
}

func dump(h *parse.History) string {
	s := ""
	for t := range h.Threads() {
		for id := h.Start[t]; id < h.Start[t+1]; id++ {
			s += fmt.Sprintf("%d: op %d %+v\n", t, id, h.Ops[id])
		}
	}
	return s + fmt.Sprintf("final %v order %v deps %v\n", h.Final, h.StoreOrder, h.Deps)
}

func TestRandomAgainstBrute(t *testing.T) {
	for seed := range uint64(300) {
		rng := rand.New(rand.NewPCG(seed, 1))
		p := histgen.Params{Threads: 2 + rng.IntN(3), Ops: 4 + rng.IntN(8), Locations: 1 + rng.IntN(3), RMWs: 0.2 * float64(rng.IntN(2)), Fences: 0.2 * float64(rng.IntN(2))}
		h := histgen.Random(rng, p)
		if rng.IntN(2) == 0 {
			histgen.AddDeps(rng, h, 0.3)
		}
		if rng.IntN(2) == 0 {
			for i := range h.Ops {
				if h.Ops[i].Kind == parse.Fence {
					h.Ops[i].Mask = parse.FenceMask(1 + rng.IntN(15))
				}
			}
		}
		if seed%3 == 0 {
			histgen.AddFinal(rng, h)
		}
		if seed%5 == 0 {
			histgen.AddStoreOrder(rng, h)
		}
		for _, m := range models {
			mustAgree(t, h, m, "auto")
		}
	}
}
