package mutation

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// TestCompete lets all strategies chase an easy bug, twice: the same seeds
// must give the same operations.
func TestCompete(t *testing.T) {
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	list, err := Catalogue(c, []string{"mi-swap-store", "mi-swap-profile"})
	must.Succeed(t, err)
	h := Search{Seed: 1, Seeds: 2, Budget: 3_000}
	for _, cfg := range list {
		comparison, err := h.Compare(t.Context(), cfg)
		must.Succeed(t, err)
		again, err := h.Compare(t.Context(), cfg)
		must.Succeed(t, err)
		if diff := cmp.Diff(comparison, again); diff != "" {
			t.Errorf("%s: the same seeds differ:\n%s", cfg.Name, diff)
		}
		for _, s := range Strategies() {
			missed := 0 // by the bug that is there
			if cfg.Bug.Equivalent != "" {
				missed = h.Seeds
			}
			if comparison.Missed[s] != missed || len(comparison.Ops[s]) != h.Seeds {
				t.Errorf("%s: %s missed it in %d of %d seeds", cfg.Name, s, comparison.Missed[s], h.Seeds)
			}
		}
	}
}

// TestRaces reads medians and the rank test of numbers whose answers are known:
// of two samples of five that do not overlap, 1 of 252 orders is as extreme.
func TestRaces(t *testing.T) {
	r := &Comparison{Name: "r", Ops: map[Strategy][]int{
		Uniform: {60, 70, 80, 90, 100}, Guided: {10, 50, 20, 40, 30}, Explored: {10, 20, 30, 40, 50}, Shapes: {1000, 1000, 1000, 61, 62},
	}, Missed: map[Strategy]int{Shapes: 3}}
	if ops, ok := r.Median(Guided); ops != 30 || !ok {
		t.Errorf("median %d, %v", ops, ok)
	}
	if _, ok := r.Median(Shapes); ok {
		t.Error("the median of a strategy that mostly missed is known")
	}
	if p := r.P(Guided); p < 1.0/252-1e-9 || p > 1.0/252+1e-9 {
		t.Errorf("p is %v, want 1/252", p)
	}
	if p := r.P(Shapes); p < 0.5 {
		t.Errorf("p of the worse is %v", p)
	}
	want := "" +
		"bug  random  missed    shapes  missed      p  guided  missed      p  explored  missed      p\n" +
		"────────────────────────────────────────────────────────────────────────────────────────────\n" +
		"r        80  0 of 5  > budget  3 of 5  0.849      30  0 of 5  0.004        30  0 of 5  0.004\n"
	if diff := cmp.Diff(want, ComparisonTable([]*Comparison{r}).String()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}
