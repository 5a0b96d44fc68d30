package jsonl

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/campaigns/summary"
)

const night = `
name: night
sim: builtin
seed: 3
configs:
  - &fine {name: fine, runs: 4, threads: 2, ops: 30, locations: 3, rounds: 2, protocol: mi, core: tso}
  - {<<: *fine, name: bad, threads: 4, rounds: 5, core-bugs: [buffer-out-of-order]}
  - {<<: *fine, name: bird, threads: 4, rounds: 5, core-bugs: [buffer-out-of-order], bug: {about: "stores <out> of order"}}
  - {<<: *fine, name: control, mutant: 'MI_example/L1Cache/(M,Store)/swap:s_store_hit,p_profileHit', bug: {about: counts, equivalent: it counts}}
`

// TestWrite reads the lines back by the documented fields alone, and compares
// them with the summary.
func TestWrite(t *testing.T) {
	c, err := config.Parse("night.yaml", []byte(night), nil)
	if err != nil {
		t.Fatal(err)
	}
	l := engine.Engine{Dir: filepath.Join(t.TempDir(), "a night"), Command: []string{"ordeal", "x"}}
	if _, err := l.Run(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	a, err := journal.Open(l.Dir)
	if err != nil {
		t.Fatal(err)
	}
	s, err := summary.Read(a)
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := Write(&text, a); err != nil {
		t.Fatal(err)
	}
	var events []string
	found, caught, kept := 0, 0, 0
	lines := strings.Split(strings.TrimSuffix(text.String(), "\n"), "\n")
	for _, line := range lines {
		var x map[string]any
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		event := x["event"].(string)
		events = append(events, event)
		switch event {
		case "campaign":
			if x["format"] != 1.0 || x["campaign"] != "night" || x["seed"] != 3.0 || x["planned"] != 16.0 || x["command"].([]any)[1] != "x" || x["tools"].(map[string]any)["ordeal"] == "" {
				t.Errorf("%s", line)
			}
		case "run":
			if x["run"] != float64(len(events)-2) || x["answers"].(map[string]any)["tso"] == nil || len(x["program"].(string)) != 64 || x["simulated_s"].(float64) <= 0 {
				t.Errorf("%s", line)
			}
			if x["finding"].(bool) {
				found++
			}
			if x["caught"] == true {
				caught++
			}
			if dir, ok := x["dir"].(string); ok {
				kept++
				if _, err := rundir.Dir(dir).Record(); err != nil {
					t.Error(err)
				}
			}
		case "finding":
			commands := x["commands"].([]any)
			if x["outcome"] != "violation" || x["runs"] != float64(s.Findings[0].Runs) || x["configs"].(map[string]any)["bad"] != x["runs"] || x["first_run"] != float64(s.Findings[0].First) ||
				!slices.Contains(commands, any("ordeal repro '"+x["dir"].(string)+"'")) {
				t.Errorf("%s", line)
			}
		case "canary":
			if want := map[string]string{"bird": "caught", "control": "quiet"}[x["config"].(string)]; x["fate"] != want || x["runs"] != 4.0 {
				t.Errorf("%s", line)
			}
		case "summary":
			if x["runs"] != 16.0 || x["findings"] != 1.0 || x["canaries"] != 1.0 || x["canaries_caught"] != 1.0 || x["exit_status"] != 1.0 || x["operations"] != float64(s.Total().Operations) {
				t.Errorf("%s", line)
			}
		}
	}
	want := append(append([]string{"campaign"}, slices.Repeat([]string{"run"}, 16)...), "finding", "canary", "canary", "summary")
	if !slices.Equal(events, want) {
		t.Errorf("events %v", events)
	}
	if found != s.Findings[0].Runs || caught != s.Rows[2].Canary.Caught || found == 0 || caught == 0 || kept == 0 {
		t.Errorf("%d runs of findings, %d of canaries, %d directories", found, caught, kept)
	}
	if strings.Contains(text.String(), `\u003c`) {
		t.Error("< is written as an escape")
	}
}
