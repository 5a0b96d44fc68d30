package run

import (
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/must"
	"ordeal/sim/gem5"
)

// TestGem5WithoutTree requires that a campaign with a mutant of a tree can be
// read where there is no tree, for its report, but not run.
func TestGem5WithoutTree(t *testing.T) {
	const text = "name: x\nsim: gem5\nconfigs: [{name: a, gem5: /no/binary, gem5-tree: /no/tree, mutant: 'MI_example/L1Cache/(M,Store)/drop:s_store_hit', rebuild: [scons]}]\n"
	c, err := config.Parse("f.yaml", []byte(text), nil)
	must.Succeed(t, err)
	if _, err := NewRunner(c.Sim, &c.Configs[0]); err == nil || !strings.Contains(err.Error(), "mutant MI_example/L1Cache/(M,Store)/drop:s_store_hit: ") {
		t.Errorf("without the tree: %v", err)
	}
}

// TestGem5Batches requires that gem5 runs batches.
func TestGem5Batches(t *testing.T) {
	t.Setenv("ORDEAL_GEM5_TREE", "/trees/gem5")
	c, err := config.Ready("gem5.yaml")
	must.Succeed(t, err)
	runner, err := NewRunner(c.Sim, &c.Configs[0])
	must.Succeed(t, err)
	if _, ok := runner.(BatchRunner); !ok {
		t.Error("gem5 runs no batches")
	}
	if _, ok := runner.(*gem5.Runner); !ok {
		t.Errorf("the runner is a %T", runner)
	}
}
