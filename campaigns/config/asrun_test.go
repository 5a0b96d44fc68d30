package config

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/must"
)

// TestAsRun writes every ready-made campaign, and one whose values are all
// traps, and wants to read the same again: with the environment, and without it
// if the values are recorded.
func TestAsRun(t *testing.T) {
	const traps = `
name: threads
stop: {same: 3}
keep: all
configs:
  - {name: rounds, sim: gem5, gem5: '$$HOME/$ORDEAL_TRAP/gem5', gem5-tree: /, rebuild: ['${ORDEAL_NOT:-x y}', '$$'], classify: [], link-latency: 2}
  - {name: 'null', delays: 0, bug: {about: "5"}}
`
	t.Setenv("ORDEAL_TRAP", "a$b")
	t.Setenv("ORDEAL_GEM5_TREE", "/trees/gem5")
	t.Setenv("ORDEAL_GEM5_MUTANTS", "/mutants")
	t.Setenv("ORDEAL_PROTOCOL", "/protocols/own.slicc")
	trapped, err := Parse("traps.yaml", []byte(traps), nil)
	must.Succeed(t, err)
	got := append([]string{trapped.Configs[0].Binary}, trapped.Configs[0].Rebuild...)
	if d := cmp.Diff([]string{"$HOME/a$b/gem5", "x y", "$"}, got); d != "" {
		t.Errorf("expanded gem5 and rebuild (-want +got):\n%s", d)
	}
	list := map[string]*Campaign{"traps": trapped}
	files, err := filepath.Glob("../*.yaml")
	if err != nil || len(files) < 4 {
		t.Fatalf("%v: files %v", err, files)
	}
	for _, file := range files {
		if list[file], err = Load(file, nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range list {
		readsBack(t, name, c)
	}
	t.Setenv("ORDEAL_GEM5_TREE", "")
	t.Setenv("ORDEAL_GEM5_MUTANTS", "")
	t.Setenv("ORDEAL_PROTOCOL", "")
	t.Setenv("ORDEAL_TRAP", "")
	for name, c := range list {
		c.RecordValues()
		readsBack(t, name, c)
	}
}

// readsBack writes a campaign, and wants to read the same again.
func readsBack(t *testing.T, name string, c *Campaign) {
	t.Helper()
	text, err := yaml.Marshal(c)
	must.Succeed(t, err)
	got, err := Parse(name, text, nil)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if d := cmp.Diff(c, got); d != "" {
		t.Errorf("%s (-written +read):\n%s", name, d)
	}
	if strings.Contains(string(text), "watchdog") {
		t.Errorf("%s is not tidy:\n%s", name, text)
	}
}
