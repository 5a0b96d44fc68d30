package closure_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/brute"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/closure"
	"ordeal/check/witness"
	"ordeal/parse"
)

var models = []model.Model{model.WSC, model.WTSO, model.WPSO}

// The procedure agrees with brute force, and its evidence is accepted.
func agree(t *testing.T, h *parse.History) {
	t.Helper()
	for _, m := range models {
		v, err := closure.Procedure.Run(context.Background(), h, m, search.Limits{})
		switch {
		case err != nil:
		case v.Answer == witness.Allowed:
			err = witness.CheckClosure(h, m, v.Closure)
		case v.Answer == witness.Forbidden:
			err = witness.Verify(h, m, v.Refutation)
		default:
			err = errors.New("undecided")
		}
		if err != nil {
			t.Fatalf("%s: %v; %+v", m.Name, err, h)
		}
		if want := brute.Allowed(h, m); (v.Answer == witness.Allowed) != want {
			t.Fatalf("%s: %v; brute force allows: %v; %+v", m.Name, v.Answer, want, h)
		}
	}
}

func TestSmall(t *testing.T) {
	rng := rand.New(rand.NewPCG(81, 0))
	fences := []parse.FenceMask{parse.FullFence, parse.StoreStore}
	four, five := 5, 101
	if testing.Short() {
		four, five = 51, 2003
	}
	for ops, every := range []int{3: 1, 4: four, 5: five} {
		if every == 0 {
			continue
		}
		bound := histgen.Bound{Threads: 3, Locations: 2, Ops: ops, Exact: true, RMW: true, Fences: fences}
		for h := range histgen.Every(every, histgen.All(bound)) {
			agree(t, h)
			h = histgen.Clone(h)
			histgen.AddFinal(rng, h)
			agree(t, h)
		}
	}
}

// Running out of time or memory is no verdict.
func TestLimits(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(82, 0)), model.SC, histgen.Params{Threads: 4, Ops: 20000}).History
	v, err := closure.Procedure.Run(context.Background(), h, model.WSC, search.Limits{MemoryBytes: 1000})
	if err != nil || v.Answer != witness.Unknown || v.Reason == "" {
		t.Errorf("little memory: %+v, %v", v, err)
	}
	late, cancel := context.WithTimeout(context.Background(), 0)
	defer cancel()
	if v, err = closure.Procedure.Run(late, h, model.WTSO, search.Limits{}); err != nil || v.Answer != witness.Unknown || v.Reason == "" {
		t.Errorf("little time: %+v, %v", v, err)
	}
	if _, err = closure.Procedure.Run(context.Background(), h, model.CCM, search.Limits{}); err == nil {
		t.Error("CCM is no closure of saturation")
	}
}
