package report

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/must"
	"ordeal/campaigns/run"

	"github.com/google/go-cmp/cmp"
)

// pick returns some fields of a line.
func pick(line map[string]any, fields ...string) map[string]any {
	some := make(map[string]any)
	for _, f := range fields {
		some[f] = line[f]
	}
	return some
}

// TestJSONL reads the lines back by the documented fields alone, and compares
// them with the summary.
func TestJSONL(t *testing.T) {
	a, s := archived(t, mixed)
	var text bytes.Buffer
	must.Succeed(t, WriteJSONL(&text, a, nil))
	if strings.Contains(text.String(), `\u003c`) {
		t.Error("< is written as an escape")
	}
	var events []string
	lines := make(map[string][]map[string]any)
	for line := range strings.Lines(text.String()) {
		var x map[string]any
		if err := json.Unmarshal([]byte(line), &x); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		event := x["event"].(string)
		events = append(events, event)
		lines[event] = append(lines[event], x)
	}
	want := slices.Concat([]string{"campaign"}, slices.Repeat([]string{"run"}, s.Planned),
		slices.Repeat([]string{"finding"}, len(s.Findings)), slices.Repeat([]string{"canary"}, 5), []string{"summary"})
	if diff := cmp.Diff(want, events); diff != "" {
		t.Fatalf("events: -want +got\n%s", diff)
	}
	head := lines["campaign"][0]
	if diff := cmp.Diff(map[string]any{"format": 1.0, "campaign": "mixed", "seed": 3.0, "planned": float64(s.Planned), "command": []any{"ordeal"}},
		pick(head, "format", "campaign", "seed", "planned", "command")); diff != "" || head["tools"].(map[string]any)["ordeal"] == "" {
		t.Errorf("campaign line %v: -want +got\n%s", head, diff)
	}
	found, kept := 0, 0
	caught := make(map[string]float64)
	for i, x := range lines["run"] {
		got := map[string]any{"run": x["run"], "tso": x["answers"].(map[string]any)["tso"] != nil, "program": len(x["program"].(string)), "simulated": x["simulated_s"].(float64) > 0}
		if diff := cmp.Diff(map[string]any{"run": float64(i), "tso": true, "program": 64, "simulated": true}, got); diff != "" {
			t.Errorf("run %d: -want +got\n%s", i, diff)
		}
		if x["finding"].(bool) {
			found++
		}
		if x["caught"] == true {
			caught[x["config"].(string)]++
		}
		if dir, ok := x["dir"].(string); ok {
			kept++
			if _, err := run.Dir(dir).Spec(); err != nil {
				t.Error(err)
			}
		}
	}
	runs := 0
	for i, x := range lines["finding"] {
		f := &s.Findings[i]
		if f.Best != nil {
			runs += f.Runs
			if !slices.Contains(x["commands"].([]any), any("ordeal repro '"+x["dir"].(string)+"'")) {
				t.Errorf("finding %d: commands %q", i, x["commands"])
			}
		}
		want := map[string]any{"outcome": f.Outcome.String(), "runs": float64(f.Runs), "first_run": float64(f.First), "configs": map[string]any{f.Configs[0].Config: float64(f.Runs)}}
		if diff := cmp.Diff(want, pick(x, "outcome", "runs", "first_run", "configs")); diff != "" {
			t.Errorf("finding %d: -want +got\n%s", i, diff)
		}
	}
	if found != runs || found == 0 {
		t.Errorf("%d runs of findings, want %d and not 0", found, runs)
	}
	if kept == 0 {
		t.Error("no run has a directory")
	}
	canaries := lines["canary"]
	for i, r := range slices.DeleteFunc(slices.Clone(s.Rows), func(r summary.Row) bool { return r.Canary == nil }) {
		want := map[string]any{"config": r.Config, "about": r.Canary.About, "status": string(r.Canary.Status), "runs": 4.0, "caught": float64(r.Canary.Caught)}
		if diff := cmp.Diff(want, pick(canaries[i], "config", "about", "status", "runs", "caught")); diff != "" {
			t.Errorf("canary %d: -want +got\n%s", i, diff)
		}
		if n := caught[r.Config]; r.Config == "bird" && n != float64(r.Canary.Caught) {
			t.Errorf("canary %d: %v runs caught it, want %d", i, n, r.Canary.Caught)
		}
	}
	all := s.Total()
	summary := map[string]any{"runs": float64(all.Runs), "findings": float64(len(s.Findings)), "canaries": 3.0, "canaries_caught": 1.0, "exit_status": 1.0, "operations": float64(all.Operations)}
	if diff := cmp.Diff(summary, pick(lines["summary"][0], "runs", "findings", "canaries", "canaries_caught", "exit_status", "operations")); diff != "" {
		t.Errorf("summary: -want +got\n%s", diff)
	}
}
