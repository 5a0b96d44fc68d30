package mutation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
)

// TestInjectedPage compares the page of known bugs, which make record writes, with the bugs of
// the catalogue that papers and trackers have names for; each is caught as its entry says.
func TestInjectedPage(t *testing.T) {
	page, err := os.ReadFile("../lab/results/injected.md")
	must.Succeed(t, err)
	c, err := config.Ready("injected.yaml")
	must.Succeed(t, err)
	list, err := Catalogue(c, nil)
	must.Succeed(t, err)
	want := map[string]*config.Config{}
	for _, cfg := range list {
		if Named(cfg.Bug) {
			want[cfg.Name] = cfg
		}
	}
	_, table, _ := strings.Cut(string(page), "| bug | in | caught | by | median | most | known as |\n")
	for row := range strings.Lines(table) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(row), "|"), " | ")
		if strings.HasPrefix(row, "|:") {
			continue
		} else if len(cells) != len(detectionColumns) {
			break
		}
		for i := range cells {
			cells[i] = strings.TrimSpace(cells[i])
		}
		cfg := want[cells[0]]
		if cfg == nil {
			t.Errorf("the page has a bug %q that the catalogue does not name, or has it twice", cells[0])
			continue
		}
		delete(want, cells[0])
		if where := cfg.Protocol + ", " + cfg.Core; cells[1] != where || cells[6] != cfg.Bug.Known {
			t.Errorf("the page has %q, the catalogue %s, %s", row, where, cfg.Bug.Known)
		}
		var hits, seeds int
		if _, err := fmt.Sscanf(cells[2], "%d of %d", &hits, &seeds); err != nil || seeds < 10 {
			t.Errorf("%s: %q: want at least ten seeds", cells[0], cells[2])
		}
		if cfg.Bug.Equivalent != "" && hits > 0 || cfg.Bug.Equivalent == "" && 10*hits < 9*seeds {
			t.Errorf("%s: caught by %s seeds", cells[0], cells[2])
		}
		for by := range strings.SplitSeq(cells[3], ", ") {
			if cfg.Bug.Equivalent == "" && !slices.Contains(cfg.Bug.By, by) {
				t.Errorf("%s: by %s, want %v", cells[0], by, cfg.Bug.By)
			}
		}
	}
	for name := range want {
		t.Errorf("the page does not have %s", name)
	}
}
