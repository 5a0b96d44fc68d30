package config

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"

	"ordeal/campaigns/internal/must"
	"ordeal/gen"
)

// gem5Campaign is campaigns/gem5.yaml with a tree in the environment.
func gem5Campaign(t *testing.T) *Campaign {
	t.Helper()
	t.Setenv("ORDEAL_GEM5_TREE", "/trees/gem5")
	c, err := Ready("gem5.yaml")
	must.Succeed(t, err)
	return c
}

// TestGem5Campaign requires four protocols, each with cores of all kinds,
// and one folder with their binaries.
func TestGem5Campaign(t *testing.T) {
	c := gem5Campaign(t)
	seen := make(map[string]bool)
	for i := range c.Configs {
		cfg := &c.Configs[i]
		o, err := cfg.Gem5Options()
		if err != nil {
			t.Errorf("%s: %v", cfg.Name, err)
		}
		want := []string{"/trees/gem5/build", "/trees/gem5"}
		if diff := gocmp.Diff(want, []string{o.Binary, o.Tree}); diff != "" {
			t.Errorf("%s: binary and tree (-want +got):\n%s", cfg.Name, diff)
		}
		seen[cfg.Protocol+" "+o.CPU] = true
	}
	for _, protocol := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
		for _, cpu := range []string{"timing", "o3", "minor"} {
			if !seen[protocol+" "+cpu] {
				t.Errorf("nothing runs %s with %s cores", protocol, cpu)
			}
		}
	}
}

// TestGem5Defect pins the parameters that found the defect of MESI_Two_Level,
// in the campaign and in the programs that it generates.
func TestGem5Defect(t *testing.T) {
	c := gem5Campaign(t)
	for _, test := range []struct {
		name      string
		locations int
	}{{"mesi-o3-16", 16}, {"mesi-o3-32", 32}} {
		i := slices.IndexFunc(c.Configs, func(cfg Config) bool { return cfg.Name == test.name })
		if i < 0 {
			t.Fatalf("no configuration %s", test.name)
		}
		cfg := &c.Configs[i]
		o, err := cfg.Gem5Options()
		must.Succeed(t, err)
		type machine struct {
			L1D, L1I, L2, CPU, Protocol string
			Assoc                       int
		}
		if diff := gocmp.Diff(machine{"512B", "4096B", "8192B", "o3", "MESI_Two_Level", 2}, machine{o.L1DSize, o.L1ISize, o.L2Size, o.CPU, o.Protocol, o.L1DAssoc}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", test.name, diff)
		}
		p, err := cfg.Program(c.Seed, 1)
		must.Succeed(t, err)
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
		// 480 operations, of which 25 % are stores: 120, ± five standard deviations.
		if stores < 72 || stores > 168 {
			t.Errorf("%s: %d stores", test.name, stores)
		}
		if diff := gocmp.Diff([]int{8, test.locations, 60}, []int{len(p.Threads), len(p.Locations), cfg.Rounds}); diff != "" {
			t.Errorf("%s: threads, locations and rounds (-want +got):\n%s", test.name, diff)
		}
		if p.Layout != gen.Spread {
			t.Errorf("%s: layout %v", test.name, p.Layout)
		}
	}
}

func TestGem5Errors(t *testing.T) {
	for name, test := range map[string]struct{ change, want string }{
		"no binary": {"gem5-tree: /tree", "f.yaml:4: gem5: is missing: want the path of a gem5 binary"},
		"size":      {"gem5: /bin\n    gem5-tree: /tree\n    l1d-size: 512", `f.yaml:7: l1d-size: "512" is not a size`},
		"cpu":       {"gem5: /bin\n    gem5-tree: /tree\n    cpu: fast", `unknown value "fast"`},
		"batch":     {"gem5: /bin\n    gem5-tree: /tree\n    batch: -1", "f.yaml:7: batch: -1: want at least 0"},
		"unset":     {"gem5: $ORDEAL_NOWHERE\n    gem5-tree: /tree", "the environment variable ORDEAL_NOWHERE is not set"},
		"mutant":    {"gem5: /bin\n    gem5-tree: /tree\n    mutant: MI_example/L1Cache/x/drop:y", "rebuild: is missing: a mutant or repair needs a command that rebuilds gem5"},
		"machine":   {"gem5: /bin\n    gem5-tree: /tree\n    core: ooo", "core: is no option of simulator gem5, but of builtin"},
	} {
		_, err := Parse("f.yaml", []byte("name: x\nsim: gem5\nconfigs:\n  - name: a\n    "+test.change+"\n"), nil)
		if err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%s: %v\nwant %q", name, err, test.want)
		}
	}
}

// TestGem5Machines requires each machine of campaigns/gem5-machines.yaml once.
func TestGem5Machines(t *testing.T) {
	t.Setenv("ORDEAL_GEM5_TREE", "/trees/gem5")
	c, err := Ready("gem5-machines.yaml")
	must.Succeed(t, err)
	seen := make(map[string]int)
	for i := range c.Configs {
		o, err := c.Configs[i].Gem5Options()
		if err != nil {
			t.Errorf("%s: %v", c.Configs[i].Name, err)
		}
		l1d, dirs, network := cmp.Or(o.L1DSize, "512B"), cmp.Or(o.Dirs, 1), cmp.Or(o.Network, "simple")
		seen[fmt.Sprint(c.Configs[i].Protocol, " ", o.CPU, " ", l1d, " ", dirs, " ", network)]++
	}
	for _, protocol := range []string{"MI_example", "MESI_Two_Level", "MOESI_hammer", "MOESI_AMD_Base"} {
		for _, cpu := range []string{"timing", "o3", "minor"} {
			for _, l1d := range []string{"512B", "65536B"} {
				for _, dirs := range []string{"1", "2"} {
					for _, network := range []string{"simple", "garnet"} {
						machine := strings.Join([]string{protocol, cpu, l1d, dirs, network}, " ")
						if seen[machine] != 1 {
							t.Errorf("%s: %d configurations", machine, seen[machine])
						}
					}
				}
			}
		}
	}
	if len(c.Configs) != 96 {
		t.Errorf("%d configurations", len(c.Configs))
	}
}
