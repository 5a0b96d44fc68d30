package satfull_test

import (
	"context"
	"math/rand/v2"
	"testing"
	"time"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/satfull"
	"ordeal/check/witness"
)

// A history whose pairs alone exceed the budget is given up at once, and a
// deadline ends the making of a formula.
func TestLimits(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	h := histgen.Machine(rng, model.SC, histgen.Params{Threads: 4, Ops: 40_000}).History
	for _, p := range []search.Procedure{satfull.Procedure, satfull.WSC} {
		v, err := p.Run(context.Background(), h, model.SC, search.Limits{})
		if err != nil || v.Answer != witness.Unknown || v.Reason == "" {
			t.Errorf("%s: %v %q, %v", p.Name, v.Answer, v.Reason, err)
		}
	}
	h = histgen.Machine(rng, model.TSO, histgen.Params{Threads: 4, Ops: 600}).History
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	begin := time.Now()
	v, err := satfull.Procedure.Run(ctx, h, model.TSO, search.Limits{})
	if err != nil || v.Answer != witness.Unknown {
		t.Errorf("%v, %v", v.Answer, err)
	}
	if took := time.Since(begin); took > 2*time.Second {
		t.Errorf("took %v", took)
	}
}
