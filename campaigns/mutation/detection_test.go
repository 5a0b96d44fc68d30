package mutation

import (
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// TestCatalogue catches every third bug of the catalogue with the first seed; with
// -soak all of them with nine of ten seeds. The negative controls take the whole budget
// and so have a fifth of it, but for -soak. With -short only every eighth bug is run.
func TestCatalogue(t *testing.T) {
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	search := Search{Seed: 1, Seeds: 1, Budget: 100_000}
	if *soak {
		search.Seeds = 10
	}
	list, err := Catalogue(c, nil)
	must.Succeed(t, err)
	for i, cfg := range list {
		if every := map[bool]int{true: 8, false: 3}[testing.Short()]; !*soak && i%every > 0 {
			continue
		}
		search := search
		if cfg.Bug.Equivalent != "" && !*soak {
			search.Budget /= 5
		}
		caught, err := search.Detect(t.Context(), cfg)
		must.Succeed(t, err)
		if !caught.Expected() {
			t.Errorf("%s: caught by %d of %d seeds: %+v", cfg.Name, caught.Hits(), search.Seeds, caught.Seeds)
		}
		if (caught.First != nil) != (caught.Hits() > 0) {
			t.Errorf("%s: %d hits and failing run %v", cfg.Name, caught.Hits(), caught.First)
		}
	}
	if _, err := Catalogue(c, []string{"mi-swap-stores"}); err == nil || !strings.Contains(err.Error(), `did you mean "mi-swap-store"?`) {
		t.Errorf("error is %v", err)
	}
}

// TestExpected evaluates detections made by hand.
func TestExpected(t *testing.T) {
	hit, miss := Trial{Killed: true, By: "violation"}, Trial{}
	trials := func(hits, misses int) []Trial {
		var list []Trial
		for range hits {
			list = append(list, hit)
		}
		for range misses {
			list = append(list, miss)
		}
		return list
	}
	for _, row := range []struct {
		bug  config.Bug
		runs []Trial
		want bool
	}{
		{config.Bug{}, trials(9, 1), true},
		{config.Bug{}, trials(8, 2), false},
		{config.Bug{By: []string{"violation"}}, trials(3, 0), true},
		{config.Bug{By: []string{"crash"}}, trials(3, 0), false},
		{config.Bug{Equivalent: "it counts"}, trials(0, 3), true},
		{config.Bug{Equivalent: "it counts"}, trials(1, 9), false},
	} {
		if c := (Detection{Bug: row.bug, Seeds: row.runs}); c.Expected() != row.want {
			t.Errorf("%+v with %d hits of %d: expected %v", row.bug, c.Hits(), len(row.runs), c.Expected())
		}
	}
}

// TestBudget gives a seed of a rare bug its own budget where that is larger. A negative control takes all of it.
func TestBudget(t *testing.T) {
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	list, err := Catalogue(c, []string{"mi-swap-profile"})
	must.Succeed(t, err)
	cfg := *list[0]
	perRun := cfg.Threads * cfg.Ops * cfg.Rounds
	for _, own := range []int{0, 1, 3*perRun - 1} {
		bug := *cfg.Bug
		bug.Budget = own
		cfg.Bug = &bug
		caught, err := Search{Seed: 1, Seeds: 1, Budget: 2*perRun - 1}.Detect(t.Context(), &cfg)
		must.Succeed(t, err)
		want := 2 * perRun
		if own > want {
			want = 3 * perRun
		}
		if got := caught.Seeds[0].Ops; got != want {
			t.Errorf("own budget %d: %d operations, want %d", own, got, want)
		}
	}
}
