package engine

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/gen"
	"ordeal/sim/gem5"
)

// nightly reads campaigns/gem5.yaml with a tree in the environment.
func nightly(t *testing.T) *config.Campaign {
	t.Helper()
	t.Setenv("ORDEAL_GEM5_TREE", "/trees/gem5")
	data, err := os.ReadFile("../gem5.yaml")
	if err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse("gem5.yaml", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestGem5Campaign has four protocols, each with cores in order and out of
// order, from binaries whose folders name the protocol.
func TestGem5Campaign(t *testing.T) {
	c := nightly(t)
	seen := make(map[string]bool)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		o, err := cfg.Gem5Options()
		if err != nil {
			t.Errorf("%s: %v", cfg.Name, err)
		}
		if want := filepath.Join("/trees/gem5/build", "X86_"+cfg.Protocol, "gem5.opt"); o.Binary != want || o.Tree != "/trees/gem5" {
			t.Errorf("%s: binary %s in tree %s, want %s", cfg.Name, o.Binary, o.Tree, want)
		}
		seen[cfg.Protocol+" "+o.CPU] = true
	}
	for _, protocol := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
		for _, cpu := range []string{"timing", "o3"} {
			if !seen[protocol+" "+cpu] {
				t.Errorf("nothing runs %s with %s cores", protocol, cpu)
			}
		}
	}
}

// TestYardstick pins the parameters that found the defect of MESI_Two_Level,
// in the campaign and in the programs that it draws.
func TestYardstick(t *testing.T) {
	c := nightly(t)
	for _, test := range []struct {
		name      string
		locations int
	}{{"mesi-o3-16", 16}, {"mesi-o3-32", 32}} {
		i := slices.IndexFunc(c.Configs, func(cfg config.Config) bool { return cfg.Name == test.name })
		if i < 0 {
			t.Fatalf("no configuration %s", test.name)
		}
		cfg := &c.Configs[i]
		o, err := cfg.Gem5Options()
		if err != nil {
			t.Fatal(err)
		}
		if o.L1DSize != "512B" || o.L1DAssoc != 2 || o.L1ISize != "4096B" || o.L2Size != "8192B" || o.CPU != "o3" || o.Protocol != "MESI_Two_Level" {
			t.Errorf("%s: %+v", test.name, o)
		}
		p, err := cfg.Program(c.Seed, 1)
		if err != nil {
			t.Fatal(err)
		}
		stores := 0
		for _, ops := range p.Threads {
			if len(ops) != 60 {
				t.Errorf("%s: a thread of %d operations, want 60", test.name, len(ops))
			}
			for _, op := range ops {
				switch op.Kind {
				case gen.Store:
					stores++
				case gen.Load:
				default:
					t.Errorf("%s: an operation that is neither load nor store", test.name)
				}
			}
		}
		// 480 draws of 25 %: 120, give or take five standard deviations.
		if len(p.Threads) != 8 || len(p.Locations) != test.locations || cfg.Rounds != 60 || stores < 72 || stores > 168 || p.Layout != gen.Spread {
			t.Errorf("%s: %d threads, %d locations, %d rounds, %d stores, layout %v",
				test.name, len(p.Threads), len(p.Locations), cfg.Rounds, stores, p.Layout)
		}
	}
}

func TestGem5Faults(t *testing.T) {
	for name, test := range map[string]struct{ change, want string }{
		"no binary": {"gem5-tree: /tree", "f.yaml:4: gem5: is missing: want the path of a gem5 binary"},
		"size":      {"gem5: /bin\n    gem5-tree: /tree\n    l1d-size: 512", `f.yaml:7: l1d-size: "512" is not a size`},
		"cpu":       {"gem5: /bin\n    gem5-tree: /tree\n    cpu: fast", `unknown value "fast"`},
		"batch":     {"gem5: /bin\n    gem5-tree: /tree\n    batch: -1", "f.yaml:7: batch: -1: want at least 0"},
		"unset":     {"gem5: $ORDEAL_NOWHERE\n    gem5-tree: /tree", "the environment variable ORDEAL_NOWHERE is not set"},
		"mutant":    {"gem5: /bin\n    gem5-tree: /tree\n    mutant: MI_example/L1Cache/x/drop:y", "rebuild: is missing: a mutant needs a command that rebuilds gem5"},
		"machine":   {"gem5: /bin\n    gem5-tree: /tree\n    core: ooo", "core: is no option of simulator gem5, but of builtin"},
	} {
		_, err := config.Parse("f.yaml", []byte("name: x\nsim: gem5\nconfigs:\n  - name: a\n    "+test.change+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %q", name, err, test.want)
		}
	}
}

// TestGem5Elsewhere wants a campaign with a mutant in a tree to be read where
// there is no tree, for its report, and refused by the runner.
func TestGem5Elsewhere(t *testing.T) {
	const text = "name: x\nsim: gem5\nconfigs: [{name: a, gem5: /no/binary, gem5-tree: /no/tree, mutant: 'MI_example/L1Cache/(M,Store)/drop:s_store_hit', rebuild: [scons]}]\n"
	c, err := config.Parse("f.yaml", []byte(text), nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := execute.NewRunner(c.Sim, &c.Configs[0]); err == nil || !strings.Contains(err.Error(), "mutant MI_example/L1Cache/(M,Store)/drop:s_store_hit: ") {
		t.Errorf("without the tree: %v", err)
	}
}

// TestGem5Runs is that the runner of a configuration can run batches.
func TestGem5Runs(t *testing.T) {
	c := nightly(t)
	runner, err := execute.NewRunner(c.Sim, &c.Configs[0])
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := runner.(execute.BatchRunner); !ok {
		t.Error("gem5 runs no batches")
	}
	if _, ok := runner.(*gem5.Runner); !ok {
		t.Errorf("the runner is a %T", runner)
	}
}
