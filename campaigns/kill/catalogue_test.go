package kill

import (
	"bytes"
	"strings"
	"testing"

	"ordeal/campaigns"
)

// fast are bugs of each protocol, all bugs of the cores, and a negative control.
var fast = []string{
	"mi-swap-profile", "mi-swap-store", "mi-forward-untold",
	"mesi-invalidation-of-a-sharer-untold", "mesi-put-of-the-owner-before",
	"hammer-loss-of-a-copy-untold", "hammer-owned-line-not-written-back",
	"amd-store-of-the-sibling-untold", "amd-clean-victim-written",
	"core-load-not-squashed", "core-buffer-out-of-order", "core-forward-oldest", "core-fence-no-drain", "core-split-rmw",
}

// TestCatalogue catches some bugs of the catalogue; with -soak all of them.
func TestCatalogue(t *testing.T) {
	c, err := campaigns.Ready("bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	names, h := fast, Hunt{Seed: 1, Seeds: 3, Budget: 20_000}
	if *soak {
		names, h = nil, Hunt{Seed: 1, Seeds: 10, Budget: 100_000}
	}
	list, err := Catalogue(c, names)
	if err != nil {
		t.Fatal(err)
	}
	var catches []*Catch
	for _, cfg := range list {
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
		bug  campaigns.Bug
		runs []Trial
		want bool
	}{
		{campaigns.Bug{}, trials(9, 1), true},
		{campaigns.Bug{}, trials(8, 2), false},
		{campaigns.Bug{By: []string{"violation"}}, trials(3, 0), true},
		{campaigns.Bug{By: []string{"crash"}}, trials(3, 0), false},
		{campaigns.Bug{Equivalent: "it counts"}, trials(0, 3), true},
		{campaigns.Bug{Equivalent: "it counts"}, trials(1, 9), false},
	} {
		if c := (Catch{Bug: row.bug, Seeds: row.runs}); c.Expected() != row.want {
			t.Errorf("%+v with %d hits of %d: expected %v", row.bug, c.Hits(), len(row.runs), c.Expected())
		}
	}
}

// TestBudget wants a seed of a rare bug to get its own budget where that is
// more. A negative control takes all of it.
func TestBudget(t *testing.T) {
	c, err := campaigns.Ready("bugs.yaml")
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
