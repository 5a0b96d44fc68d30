package papers

import (
	"bytes"
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"
	"ordeal/parse"
	"ordeal/sim"
)

// The campaign files belong to the experiments, and have the papers'
// numbers of histories and values of parameters.
func TestFiles(t *testing.T) {
	used := map[string]bool{}
	for _, e := range All() {
		if e.Campaign != "" {
			used[e.Campaign] = true
		}
	}
	drawn := fmt.Sprintf("here %d reads, up to %d stores away", rewiredReads, rewiredDistance)
	if !bytes.Contains(bytes.Join(bytes.Fields(catalogue), []byte(" ")), []byte(drawn)) {
		t.Errorf("no note says %q", drawn)
	}
	all, err := filepath.Glob("*-*.yaml")
	must.Succeed(t, err)
	embedded, err := fs.Glob(files, "*.yaml")
	if diff := cmp.Diff(all, embedded); err != nil || diff != "" {
		t.Fatalf("%v; -files +embedded\n%s", err, diff)
	}
	want := map[string]struct {
		axis axis
		x    []int
		runs int // of each point
	}{
		"gcc-operations.yaml":   {byOps, []int{100, 200, 300, 400, 500}, 200},
		"gcc-threads.yaml":      {byThreads, []int{2, 3, 4, 5, 6}, 200},
		"gcc-violations.yaml":   {byThreads, []int{2, 3, 4, 5, 6, 7, 8}, 240},
		"gcc-unordered.yaml":    {axis{of: func(c *config.Config) int { return c.Locations }}, []int{4, 8, 16, 32}, 400},
		"gcc-buffers.yaml":      {byThreads, []int{2, 3, 4, 5, 6}, 200},
		"wsc-operations.yaml":   {byOps, []int{198, 300, 396, 498, 600, 696, 798}, 200},
		"wsc-threads.yaml":      {byThreads, []int{4, 8, 12, 16}, 200},
		"wsc-kernel.yaml":       {byThreads, []int{4, 6, 8, 12, 16}, 0},
		"tsotool-grid.yaml":     {byOps, []int{64 << 10, 128 << 10, 192 << 10, 256 << 10}, 16 * 32},
		"tsotool-variants.yaml": {byOps, []int{8 << 10, 16 << 10, 32 << 10, 64 << 10}, 32},
	}
	for _, file := range all {
		c, err := Campaign(file)
		if err != nil {
			t.Error(err)
			continue
		}
		if !used[file] {
			t.Errorf("no experiment uses %s", file)
		}
		if want[file].x == nil {
			t.Errorf("%s: this test does not know it", file)
		}
		if c.Name+".yaml" != file {
			t.Errorf("%s is named %s", file, c.Name)
		}
		var xs []int
		for _, p := range points(c, want[file].axis) {
			xs = append(xs, p.x)
			runs := 0
			for _, i := range p.configs {
				runs += c.Configs[i].Runs
			}
			if n := want[file].runs; n > 0 && runs != n {
				t.Errorf("%s: %d histories for %d, want %d", file, runs, p.x, n)
			}
		}
		if !slices.Equal(xs, want[file].x) {
			t.Errorf("%s: values %v, want %v", file, xs, want[file].x)
		}
		for i := range c.Configs {
			if cfg := &c.Configs[i]; cfg.Expect != cfg.Promise() {
				t.Errorf("%s: %s expects %s of %s cores", file, cfg.Name, cfg.Expect, cfg.Core)
			}
		}
	}
	if c, _ := Campaign("wsc-kernel.yaml"); c.Runs() < 1742 {
		t.Errorf("wsc-kernel.yaml has %d runs, the paper 1742", c.Runs())
	}
	if _, err := Campaign("none.yaml"); err == nil {
		t.Error("none.yaml is found")
	}
}

// The files run as campaigns, the first configurations at least.
func TestCampaignsRun(t *testing.T) {
	embedded, err := fs.Glob(files, "*.yaml")
	must.Succeed(t, err)
	for _, file := range embedded {
		c, err := Campaign(file)
		must.Succeed(t, err)
		c.Configs = c.Configs[:4]
		for i := range c.Configs {
			c.Configs[i].Runs, c.Configs[i].Rounds = 1, 1
		}
		loop := engine.Engine{Dir: filepath.Join(t.TempDir(), "run")}
		sum, err := loop.Run(context.Background(), c)
		must.Succeed(t, err)
		if got := sum.Total().Runs; got != 4 {
			t.Errorf("%s: %d runs, want 4", file, got)
		}
		if len(sum.Findings) > 0 && c.Configs[0].Bug == nil {
			t.Errorf("%s: findings without a bug: %+v", file, sum.Findings)
		}
	}
}

// A run of the experiments is the campaign's run of the same number.
func TestSameRuns(t *testing.T) {
	c, err := Campaign("gcc-threads.yaml")
	must.Succeed(t, err)
	runs, err := newSource(c).make(context.Background(), 3, 1, 2, 1)
	must.Succeed(t, err)
	cfg, p, seed, err := c.Number(runs[0].number)
	if err != nil || cfg != &c.Configs[3] {
		t.Fatalf("run %d is of %v, %v", runs[0].number, cfg, err)
	}
	runner, err := run.NewRunner(config.SimBuiltin, cfg)
	must.Succeed(t, err)
	for i, same := range []bool{true, false} {
		res, err := runner.Run(context.Background(), sim.Job{Program: p, Rounds: cfg.Rounds, Seed: seed + uint64(i)})
		must.Succeed(t, err)
		h, err := parse.Native(p, cfg.Rounds, res.Log)
		must.Succeed(t, err)
		if slices.Equal(h.Ops, runs[0].history.Ops) != same {
			t.Errorf("the history is that of seed %d: %v, want %v", seed+uint64(i), !same, same)
		}
	}
}

// An injected bug is one of the catalogue, mutant and all.
func TestViolationsAreOfTheCatalogue(t *testing.T) {
	data, err := os.ReadFile("../../injected.yaml")
	must.Succeed(t, err)
	catalogue, err := config.Parse("injected.yaml", data, nil)
	must.Succeed(t, err)
	c, err := Campaign("gcc-violations.yaml")
	must.Succeed(t, err)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		if !slices.ContainsFunc(catalogue.Configs, func(k config.Config) bool {
			return k.Name == cfg.Bug.Known && k.Mutant == cfg.Mutant && k.Bug.About == cfg.Bug.About
		}) {
			t.Errorf("%s: %q is not in the catalogue", cfg.Name, cfg.Bug.Known)
		}
	}
}

// Histories are dealt by turns, and all of them at full scale; they have
// neither store order nor final values.
func TestDeal(t *testing.T) {
	_, b, c := tiny(t, "gcc-fig4b")
	s := newSource(c)
	configs := []int{0, 1, 2}
	for _, deal := range []struct {
		scale        float64
		least, begin int
		want         []int
	}{{DefaultScale, 4, 0, []int{2, 1, 1}}, {DefaultScale, 4, 2, []int{1, 1, 2}}, {DefaultScale / 2, 3, 1, []int{0, 1, 1}}, {1e-4, 4, 1, []int{0, 1, 0}}, {0.25, 1, 1, []int{2, 2, 2}}} {
		b.Scale = deal.scale
		runs, err := b.deal(context.Background(), s, configs, deal.least, deal.begin)
		must.Succeed(t, err)
		got := make([]int, 3)
		for _, r := range runs {
			for i := range got {
				if r.config == &c.Configs[i] {
					got[i]++
				}
			}
			if r.history.StoreOrder != nil || r.history.Final != nil {
				t.Errorf("%s has the order of stores or final values", configName(&r))
			}
		}
		if !slices.Equal(got, deal.want) {
			t.Errorf("%+v: dealt %v", deal, got)
		}
	}
	total := 0
	for i, runs := range s.runs {
		total += len(runs)
		if len(runs) != c.Configs[i].Runs {
			t.Errorf("%s has %d runs, want %d", c.Configs[i].Name, len(runs), c.Configs[i].Runs)
		}
	}
	if total != c.Runs() {
		t.Errorf("%d runs, want %d", total, c.Runs())
	}
}

// A run that fails without an injected bug is an error that names it.
func TestSourceFails(t *testing.T) {
	_, _, c := tiny(t, "gcc-fig4a")
	c.Configs[0].StepBudget = 10
	if _, err := newSource(c).make(context.Background(), 0, 0, 1, 1); err == nil || !strings.Contains(err.Error(), c.Configs[0].Name+": run ") {
		t.Errorf("%v", err)
	}
	c.Configs[0].Bug = &config.Bug{About: "none"}
	if runs, err := newSource(c).make(context.Background(), 0, 0, 1, 1); err != nil || len(runs) != 0 {
		t.Errorf("%v, %v", runs, err)
	}
}
