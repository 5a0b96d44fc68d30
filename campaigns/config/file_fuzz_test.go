package config

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns"
	"ordeal/campaigns/internal/must"
)

// FuzzFile reads a campaign file that may include another, with an override.
// What is accepted can be written as one file and read back as it is, is within
// the limits, and has defaults filled in.
func FuzzFile(f *testing.F) {
	for _, file := range []string{"quick.yaml", "host.yaml"} {
		text, err := campaigns.Files.ReadFile(file)
		must.Succeed(f, err)
		f.Add(string(text), "name: b\nconfigs: [{name: shapes}]\n", "configs.*.runs=2")
	}
	f.Add("include: b.yaml\nconfigs: [{name: x, runs: 3}]\n", "name: b\nconfigs: [{name: x, ops: 4}]\n", "configs.x.bug={about: a}")
	f.Add("name: a\nsim: gem5\nconfigs: [{name: b, gem5: '$$/${A:-b}$HOME', gem5-tree: /}]\n", "", "budget=1h")
	f.Add("name: a\nsim: builtin\nconfigs: [&a {name: b, core: ooo, protocol: mi, core-bugs: [split-rmw]}, {<<: *a, name: c}]\n", "", "stop.same=~")
	f.Fuzz(func(t *testing.T, text, below, set string) {
		var sets []string
		if set != "" {
			sets = []string{set}
		}
		c, err := assemble("a.yaml", []byte(text), func(_, path string) (string, []byte, error) {
			if path != "b.yaml" && path != "host.yaml" {
				return "", nil, errors.New("no such file")
			}
			return path, []byte(below), nil
		}, sets, new(expansion))
		if err != nil {
			return
		}
		if n := c.Runs(); n < 1 || n > MaxRuns {
			t.Fatalf("%d runs", n)
		}
		if c.Name == "" {
			t.Fatal("no name")
		}
		if c.Workers < 0 || c.Budget < 0 {
			t.Fatalf("%d workers, budget %d", c.Workers, c.Budget)
		}
		written, err := yaml.Marshal(c)
		must.Succeed(t, err)
		again, err := Parse("again.yaml", written, nil)
		if err != nil {
			t.Fatalf("%v\n%s", err, written)
		}
		for _, x := range []*Campaign{c, again} {
			for i := range x.Configs { // no list and an empty one are the same
				cfg := &x.Configs[i]
				for _, list := range []*[]string{&cfg.Classify, &cfg.Shapes, &cfg.CoreBugs, &cfg.Rebuild, &cfg.TreeOptions} {
					*list = append([]string{}, *list...)
				}
				if cfg.Bug != nil {
					cfg.Bug.By = append([]string{}, cfg.Bug.By...)
				}
			}
		}
		if d := cmp.Diff(c, again); d != "" {
			t.Fatalf("(-read +again):\n%s\n%s", d, written)
		}
	})
}
