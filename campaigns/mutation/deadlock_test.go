package mutation

import (
	"regexp"
	"slices"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/sim"
)

// varies matches what no title may have: an address, or the number of a controller,
// a core or a tick.
var varies = regexp.MustCompile(`0x|(^| )[0-9]+`)

// TestDeadlockTitles catches every bug of the catalogue that shows as a
// deadlock under several seeds. Its titles must be nearly always the same one,
// and differ from those of the other bugs of its protocol.
func TestDeadlockTitles(t *testing.T) {
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	list, err := Catalogue(c, nil)
	must.Succeed(t, err)
	bugs := 0
	of := map[string]string{} // bugs by protocol and commonest title
	for _, cfg := range list {
		if !slices.Contains(cfg.Bug.By, sim.Deadlock.String()) {
			continue
		}
		bugs++
		caught, err := Search{Seed: 1, Seeds: 10, Budget: 50_000}.Detect(t.Context(), cfg)
		must.Succeed(t, err)
		titles := map[string]int{}
		commonest := ""
		for _, trial := range caught.Seeds {
			if trial.By != sim.Deadlock.String() {
				continue
			}
			if varies.MatchString(trial.Title) || trial.Title == "deadlock" {
				t.Errorf("%s: title %q", cfg.Name, trial.Title)
			}
			if titles[trial.Title]++; titles[trial.Title] > titles[commonest] {
				commonest = trial.Title
			}
		}
		if len(titles) > 3 || titles[commonest] < 7 {
			t.Errorf("%s: titles %v", cfg.Name, titles)
		}
		key := cfg.Protocol + ": " + commonest
		if other := of[key]; other != "" {
			t.Errorf("%s and %s are both called %q", cfg.Name, other, key)
		}
		of[key] = cfg.Name
	}
	if bugs < 10 {
		t.Errorf("the catalogue has %d deadlocks", bugs)
	}
}
