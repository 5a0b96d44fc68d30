package check_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
)

func TestReductionsFromCNF(t *testing.T) {
	for seed := range uint64(30) {
		rng := rand.New(rand.NewPCG(seed, 3))
		n := 3 + rng.IntN(6)
		f := histgen.RandomCNF(rng, n, int(float64(n)*(3+2*rng.Float64())))
		want := check.Forbidden
		if f.Satisfiable() {
			want = check.Allowed
		}
		for _, relaxed := range []bool{false, true} {
			h := histgen.FromCNF(f, relaxed)
			for _, m := range models {
				if m.Name == "rmo" || m.Name != "sc" && !relaxed {
					continue
				}
				v, err := check.Check(context.Background(), h, m, check.Options{})
				if err != nil {
					t.Fatal(err)
				}
				if v.Answer != want {
					t.Fatalf("seed %d relaxed %v %s: %v (%s), want %v", seed, relaxed, m.Name, v.Answer, v.Reason, want)
				}
			}
		}
	}
}

func TestSplitNeeded(t *testing.T) {
	h, _ := histgen.SplitNeeded()
	v, err := check.Check(context.Background(), h, model.SC, check.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]any{check.Forbidden, "sat"}, []any{v.Answer, v.Procedure}); diff != "" {
		t.Errorf("answer and procedure (-want +got):\n%s", diff)
	}
}

func BenchmarkCNF(b *testing.B) {
	for _, size := range [][2]int{{20, 85}, {50, 213}, {100, 350}} {
		for seed := range uint64(3) {
			b.Run(fmt.Sprintf("%d/%d/%d", size[0], size[1], seed), func(b *testing.B) {
				rng := rand.New(rand.NewPCG(seed, 4))
				h := histgen.FromCNF(histgen.RandomCNF(rng, size[0], size[1]), false)
				for b.Loop() {
					v, err := check.Check(context.Background(), h, model.SC, check.Options{})
					if err != nil {
						b.Fatal(err)
					}
					b.ReportMetric(float64(v.Answer), "answer")
					b.ReportMetric(float64(v.Stats.Clauses), "clauses")
					b.ReportMetric(float64(v.Stats.Evidence.Milliseconds()), "evidence-ms")
				}
			})
		}
	}
}
