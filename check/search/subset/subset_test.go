package subset_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/search/proctest"
	"ordeal/check/search/subset"
	"ordeal/check/witness"
)

func TestSmall(t *testing.T) {
	if got := proctest.Small(t, subset.Procedure)[subset.Name]; got != 1 {
		t.Errorf("decides %v of the small histories", got)
	}
}

func TestHard(t *testing.T) { proctest.Hard(t, subset.Procedure) }

func TestLarge(t *testing.T) { proctest.Large(t, 40, 20, subset.Procedure) }

func TestTooManyWrites(t *testing.T) {
	h := histgen.Machine(rand.New(rand.NewPCG(1, 1)), model.SC, histgen.Params{Ops: 100}).History
	v, err := subset.Procedure.Run(context.Background(), h, model.SC, search.Limits{})
	if err != nil || v.Answer != witness.Unknown || v.Reason == "" {
		t.Fatalf("%v %q %v", v.Answer, v.Reason, err)
	}
}

func BenchmarkSubset(b *testing.B) {
	for _, m := range proctest.Totals {
		for _, ops := range []int{16, 24, 32} {
			proctest.Bench(b, subset.Procedure, m, 4, ops, 4)
		}
	}
}
