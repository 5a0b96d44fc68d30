package mutation

import (
	"bytes"
	"strings"
	"testing"

	"ordeal/campaigns/config"
)

// TestCatalogue catches every bug of the catalogue with the first seed; with
// -soak with nine of ten seeds. No other test runs them all. With -short only
// every eighth bug is run.
func TestCatalogue(t *testing.T) {
	c, err := config.Ready("bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	h := Hunt{Seed: 1, Seeds: 1, Budget: 100_000}
	if *soak {
		h.Seeds = 10
	}
	list, err := Catalogue(c, nil)
	if err != nil {
		t.Fatal(err)
	}
	var catches []*Catch
	for i, cfg := range list {
		if testing.Short() && i%8 > 0 {
			continue
		}
		caught, err := h.Catch(t.Context(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if !caught.Expected() {
			t.Errorf("%s: caught by %d of %d seeds: %+v", cfg.Name, caught.Hits(), h.Seeds, caught.Seeds)
		}
		if (caught.First != nil) != (caught.Hits() > 0) {
			t.Errorf("%s: %d hits and failing run %v", cfg.Name, caught.Hits(), caught.First)
		}
		catches = append(catches, caught)
	}
	var out bytes.Buffer
	if err := WriteCatches(&out, catches); err != nil || strings.Count(out.String(), "\n") != len(catches)+1 {
		t.Errorf("%v:\n%s", err, out.String())
	}
	if _, err := Catalogue(c, []string{"mi-swap-stores"}); err == nil || !strings.Contains(err.Error(), "mi-swap-store,") {
		t.Errorf("error is %v", err)
	}
}

// TestExpected judges made-up catches.
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
		if c := (Catch{Bug: row.bug, Seeds: row.runs}); c.Expected() != row.want {
			t.Errorf("%+v with %d hits of %d: expected %v", row.bug, c.Hits(), len(row.runs), c.Expected())
		}
	}
}

// TestBudget wants a seed of a rare bug to get its own budget where that is
// more. A negative control takes all of it.
func TestBudget(t *testing.T) {
	c, err := config.Ready("bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	list, err := Catalogue(c, []string{"mi-swap-profile"})
	if err != nil {
		t.Fatal(err)
	}
	cfg := *list[0]
	perRun := cfg.Threads * cfg.Ops * cfg.Rounds
	for _, own := range []int{0, 1, 3*perRun - 1} {
		bug := *cfg.Bug
		bug.Budget = own
		cfg.Bug = &bug
		caught, err := Hunt{Seed: 1, Seeds: 1, Budget: 2*perRun - 1}.Catch(t.Context(), &cfg)
		if err != nil {
			t.Fatal(err)
		}
		want := 2 * perRun
		if own > want {
			want = 3 * perRun
		}
		if got := caught.Seeds[0].Ops; got != want {
			t.Errorf("own budget %d: %d operations, want %d", own, got, want)
		}
	}
}
