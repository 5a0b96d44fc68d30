package engine

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
)

// TestExtend makes a complete campaign longer, twice, and requires the files of one
// that was as long from the beginning.
func TestExtend(t *testing.T) {
	const set = "configs.*.runs=8"
	whole, _ := newEngine(t, nil)
	runEngine(t, whole, parse(t, embeddedCampaign, set, "runs=41"))
	e, _ := newEngine(t, nil)
	if n := runEngine(t, e, parse(t, embeddedCampaign, set)).Total().Runs; n != 16 {
		t.Fatalf("%d runs, want 16", n)
	}
	extend := func(x config.Extension) (*summary.Summary, error) {
		longer := *e
		longer.Extension = x
		return longer.Resume(t.Context())
	}
	for _, runs := range []int{23, 41} {
		sum, err := extend(config.Extension{Runs: runs})
		must.Succeed(t, err)
		if total := sum.Total(); total.Runs != runs || sum.Planned != runs || total.Planned != runs {
			t.Errorf("%d runs of %d (%d), want %d", total.Runs, sum.Planned, total.Planned, runs)
		}
	}
	want, got := contents(t, whole.Dir), contents(t, e.Dir)
	delete(want, journal.CampaignFile) // its keys have another order
	delete(got, journal.CampaignFile)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("files (-whole +extended):\n%s", diff)
	}
	a, err := journal.Open(whole.Dir)
	must.Succeed(t, err)
	b, err := journal.Open(e.Dir)
	must.Succeed(t, err)
	if diff := cmp.Diff(a.Campaign, b.Campaign); diff != "" {
		t.Errorf("campaign (-whole +extended):\n%s", diff)
	}
	for name, x := range map[string]config.Extension{
		"as many runs": {Runs: 41}, "no budget before": {Budget: config.Duration(time.Hour)}, "too many": {Runs: config.MaxRuns + 1},
	} {
		if _, err := extend(x); !errors.Is(err, config.ErrExtension) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestExtendBudget goes on with a campaign whose budget is spent, and refuses one that
// a condition stopped, and a shard.
func TestExtendBudget(t *testing.T) {
	const hour = config.Duration(time.Hour)
	e, _ := newEngine(t, nil)
	sum := runEngine(t, e, parse(t, embeddedCampaign, "configs.*.runs=4", "budget=1ns"))
	if !sum.BudgetSpent || sum.Total().Runs == 8 {
		t.Fatalf("%d runs, budget spent: %v", sum.Total().Runs, sum.BudgetSpent)
	}
	spent := *e
	spent.Extension = config.Extension{Budget: 2}
	if _, err := spent.Resume(t.Context()); !errors.Is(err, config.ErrExtension) {
		t.Errorf("a budget that is spent: %v", err)
	}
	e.Extension = config.Extension{Budget: hour}
	sum, err := e.Resume(t.Context())
	must.Succeed(t, err)
	if sum.BudgetSpent || sum.Total().Runs != 8 {
		t.Errorf("%d runs, budget spent: %v", sum.Total().Runs, sum.BudgetSpent)
	}
	stopped, _ := newEngine(t, nil)
	runEngine(t, stopped, parse(t, embeddedCampaign, "stop.findings=1"))
	shard, _ := newEngine(t, nil)
	shard.Shard = config.Shard{Index: 1, Of: 2}
	runEngine(t, shard, parse(t, embeddedCampaign, "configs.*.runs=2"))
	for name, e := range map[string]*Engine{"stopped": stopped, "shard": shard} {
		e.Extension = config.Extension{Runs: 1000}
		if _, err := e.Resume(t.Context()); !errors.Is(err, config.ErrExtension) {
			t.Errorf("%s: %v", name, err)
		}
	}
}
