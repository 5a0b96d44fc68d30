package engine

import (
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/summary"
	"ordeal/sim/builtin/core"
	"ordeal/sim/protocols"
)

// TestNightly wants a night to have what it says: each protocol with each kind
// of core on three machines, the processor, and canaries of every protocol that
// are those of the catalogue and run often enough to be judged.
func TestNightly(t *testing.T) {
	c, err := config.Load("../nightly.yaml", nil)
	if err != nil {
		t.Fatal(err)
	}
	catalogue, err := config.Ready("bugs.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.Name != "nightly" || time.Duration(c.Budget) != 8*time.Hour || time.Duration(c.Reduce) != time.Minute || c.Keep != config.KeepFindings {
		t.Errorf("name %s, budget %v, reduce %v, keep %s", c.Name, time.Duration(c.Budget), time.Duration(c.Reduce), c.Keep)
	}
	machines, canaries := make(map[string]int), make(map[string]int)
	host, controls := 0, 0
	for i := range c.Configs {
		cfg := &c.Configs[i]
		switch {
		case c.SimOf(cfg) == config.SimHost:
			host++
		case cfg.Bug != nil:
			k := slices.IndexFunc(catalogue.Configs, func(b config.Config) bool { return b.Name == cfg.Name })
			if k < 0 {
				t.Errorf("no bug %s in the catalogue", cfg.Name)
				continue
			}
			known := &catalogue.Configs[k]
			bug := *cfg.Bug
			bug.Budget, bug.Known = known.Bug.Budget, known.Bug.Known
			if d := cmp.Diff(*known.Bug, bug); d != "" || cfg.Mutant != known.Mutant || !slices.Equal(cfg.CoreBugs, known.CoreBugs) || cfg.Core != known.Core || cfg.Protocol != known.Protocol || cfg.Expect != known.Expect {
				t.Errorf("%s is not that of the catalogue:\n%+v\n%+v\n%s", cfg.Name, cfg, known, d)
			}
			if bug.Equivalent != "" {
				controls++
				continue
			}
			canaries[cfg.Protocol]++
			// Reads and writes are nine of ten operations at least, but for fences.
			if ops := cfg.Runs * cfg.Threads * cfg.Ops * cfg.Rounds; cfg.Bug.Budget < 50_000 || ops < 3*cfg.Bug.Budget/2 {
				t.Errorf("%s: %d operations, and judged after %d", cfg.Name, ops, cfg.Bug.Budget)
			}
		default:
			machines[cfg.Protocol+" "+cfg.Core]++
			if cfg.Expect != cfg.Promise() || cfg.Runs < 1000 {
				t.Errorf("%s: %d runs expected to be %s, but it promises %s", cfg.Name, cfg.Runs, cfg.Expect, cfg.Promise())
			}
		}
	}
	for _, protocol := range protocols.Names() {
		if canaries[protocol] < 5 {
			t.Errorf("%s: %d canaries", protocol, canaries[protocol])
		}
		for _, kind := range core.Kinds() {
			if n := machines[protocol+" "+kind.String()]; n < 3 {
				t.Errorf("%s with %s cores on %d machines", protocol, kind, n)
			}
		}
	}
	if host < 4 || controls < 1 {
		t.Errorf("%d kinds of run on the processor, %d negative controls", host, controls)
	}
}

// TestNightlySmoke makes one short run of each kind, but on the processor: it
// must be green though no canary has had the operations that it is judged by.
func TestNightlySmoke(t *testing.T) {
	c, err := config.Ready("nightly.yaml", "configs.*.runs=1", "configs.*.rounds=1")
	if err != nil {
		t.Fatal(err)
	}
	share, n := 1, 0
	if testing.Short() {
		share = 5
	}
	c.Configs = slices.DeleteFunc(c.Configs, func(cfg config.Config) bool {
		n++
		return c.SimOf(&cfg) == config.SimHost || n%share != 0
	})
	l := Engine{Dir: filepath.Join(t.TempDir(), "night"), Command: []string{"ordeal"}}
	sum, err := l.Run(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	if sum.ExitStatus() != summary.ExitOK || sum.Total().Runs != len(c.Configs) {
		t.Errorf("exit status %d after %d of %d runs\n%s", sum.ExitStatus(), sum.Total().Runs, len(c.Configs), sum.Text())
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
