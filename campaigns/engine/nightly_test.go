package engine

import (
	"slices"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestNightlySmoke executes one short run of each configuration that is not on
// the processor: nothing is found, and canaries that are not caught are pending.
func TestNightlySmoke(t *testing.T) {
	c, err := config.Ready("nightly.yaml", "configs.*.runs=1", "configs.*.rounds=1")
	must.Succeed(t, err)
	share, n := 1, 0
	if testing.Short() {
		share = 5
	}
	c.Configs = slices.DeleteFunc(c.Configs, func(cfg config.Config) bool {
		n++
		return c.SimOf(&cfg) == config.SimHost || n%share != 0
	})
	e, _ := newEngine(t, nil)
	sum := runEngine(t, e, c)
	if n := sum.Total().Runs; n != len(c.Configs) {
		t.Errorf("%d runs, want %d", n, len(c.Configs))
	}
	if got := sum.ExitStatus(); got != summary.ExitOK {
		t.Errorf("exit status %d\n%s", got, sum.Text())
	}
	caught := 0
	for _, r := range sum.Rows {
		if r.Canary != nil && r.Canary.Status == summary.StatusCaught {
			caught++
		}
	}
	if caught < 20/share {
		t.Errorf("%d canaries caught by one round each", caught)
	}
}
