package config

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"ordeal/campaigns/internal/must"
)

// TestEnvironment records values with variables by the names of these, in the
// campaign and in its configurations, and reads them again: with the same
// environment, another one and none.
func TestEnvironment(t *testing.T) {
	const file = `
name: night
sim: gem5
configs:
  - {name: a, gem5: '$ORDEAL_T_TREE/gem5', gem5-tree: '${ORDEAL_T_TREE}', tree-options: ['--pay=$$5', '--key=${ORDEAL_T_KEY:-none}'], cpu: o3}
  - {name: b, sim: builtin, gem5: '', slicc: '${ORDEAL_T_TREE}/p$$.slicc'}
  - {name: c, sim: host}
`
	t.Setenv("ORDEAL_T_TREE", "/secret/tree")
	t.Setenv("ORDEAL_T_KEY", "secret$key")
	c, err := Parse("night.yaml", []byte(file), nil)
	must.Succeed(t, err)
	values := func(c *Config) []string {
		return append([]string{c.Binary, c.Tree, c.SLICC}, c.TreeOptions...)
	}
	expanded := [][]string{
		{"/secret/tree/gem5", "/secret/tree", "", "--pay=$5", "--key=secret$key"},
		{"", "", "/secret/tree/p$.slicc"},
		{"", "", ""},
	}
	text, err := yaml.Marshal(c)
	must.Succeed(t, err)
	records := []string{string(text)}
	for i := range c.Configs {
		if d := cmp.Diff(expanded[i], values(&c.Configs[i])); d != "" {
			t.Errorf("configuration %d (-want +got):\n%s", i, d)
		}
		data, err := json.Marshal(&c.Configs[i])
		must.Succeed(t, err)
		records = append(records, string(data))
	}
	for _, record := range records {
		if strings.Contains(record, "secret") {
			t.Errorf("a value is recorded:\n%s", record)
		}
	}
	// read gives the configurations of both kinds of record.
	read := func() (list [][]Config) {
		t.Helper()
		again, err := ParseRecord("campaign.yaml", text)
		must.Succeed(t, err)
		var runs []Config
		for _, record := range records[1:] {
			cfg := new(Config)
			must.Succeed(t, json.Unmarshal([]byte(record), cfg))
			runs = append(runs, *cfg)
		}
		return [][]Config{again.Configs, runs}
	}
	for _, configs := range read() {
		for i := range configs {
			if d := cmp.Diff(values(&c.Configs[i]), values(&configs[i])); d != "" {
				t.Errorf("read again (-want +got):\n%s", d)
			}
			if err := configs[i].Complete(); err != nil {
				t.Error(err)
			}
		}
	}
	t.Setenv("ORDEAL_T_TREE", "/moved")
	for _, configs := range read() {
		if got := configs[0].Binary; got != "/moved/gem5" {
			t.Errorf("in another environment: %s", got)
		}
		if err := configs[0].Complete(); err != nil {
			t.Error(err)
		}
	}
	t.Setenv("ORDEAL_T_TREE", "")
	t.Setenv("ORDEAL_T_KEY", "")
	for _, configs := range read() {
		cfg := configs[0]
		err := cfg.Complete()
		if err == nil || !strings.Contains(err.Error(), `gem5, recorded as "$ORDEAL_T_TREE/gem5": the environment variable ORDEAL_T_TREE is not set`) || strings.Contains(err.Error(), "tree-options") {
			t.Errorf("without the variables: %v", err)
		}
		cfg.Override("gem5", "gem5-tree")
		if err := cfg.Complete(); err != nil {
			t.Errorf("with other values: %v", err)
		}
		if configs[0].Complete() == nil {
			t.Error("an override of a copy overrides the original")
		}
		if got := configs[1].System("builtin"); got != "builtin p$$.slicc" {
			t.Errorf("system %s", got)
		}
	}
	if _, err := Parse("campaign.yaml", text, nil); err == nil {
		t.Error("a campaign is read without its variables")
	}
	c.RecordValues()
	text, err = yaml.Marshal(c)
	must.Succeed(t, err)
	c, err = Parse("campaign.yaml", text, nil)
	must.Succeed(t, err)
	if d := cmp.Diff(expanded[0], values(&c.Configs[0])); d != "" {
		t.Errorf("recorded values (-want +got):\n%s", d)
	}
}
