package satfull_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/proctest"
	"ordeal/check/search/satfull"
	"ordeal/check/witness"
)

func TestSmall(t *testing.T) { proctest.Small(t, satfull.Procedure, satfull.WSC, satfull.CCM) }

func TestHard(t *testing.T) { proctest.Hard(t, satfull.Procedure, satfull.WSC, satfull.CCM) }

func TestLarge(t *testing.T) {
	proctest.Large(t, 20, 40, satfull.Procedure)
	proctest.Large(t, 40, 80, satfull.WSC, satfull.CCM)
}

// A formula that would not fit is not built.
func TestBudget(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(1, 1)), model.SC, histgen.Params{Ops: 300}).History
	v, err := satfull.Procedure.Run(context.Background(), h, model.SC, search.Limits{MemoryBytes: 1 << 20})
	if err != nil || v.Answer != witness.Unknown || v.Reason == "" {
		t.Fatalf("%v %q %v", v.Answer, v.Reason, err)
	}
}

func BenchmarkSAT(b *testing.B) {
	for _, m := range proctest.Totals[:2] {
		proctest.Bench(b, satfull.Procedure, m, 4, 50, 16)
		proctest.Bench(b, satfull.Procedure, m, 4, 100, 16)
		for _, ops := range []int{100, 200, 400} {
			proctest.Bench(b, satfull.WSC, m, 4, ops, 16)
			proctest.Bench(b, satfull.CCM, m, 4, ops, 16)
		}
	}
}
