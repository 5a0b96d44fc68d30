package summary

import (
	"strings"
	"testing"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// TestStopCondition adds runs until a condition is met. Letters are the titles
// of failures, a dot is a run that passes, capitals are of a canary.
func TestStopCondition(t *testing.T) {
	for _, tt := range []struct {
		stop config.Stop
		runs string
		want string
	}{
		{config.Stop{}, "aaaabbbb", ""},
		{config.Stop{Findings: 1}, "..a", "run 2: stop.findings is 1"},
		{config.Stop{Findings: 2}, "a.a.b", "run 4: stop.findings is 2"},
		{config.Stop{Findings: 2}, "aaaa", ""},
		{config.Stop{Same: 3}, "abab.b", "run 5: stop.same is 3"},
		{config.Stop{Findings: 3, Same: 2}, "a.a", "run 2: stop.same is 2"},
		{config.Stop{Findings: 1, Same: 1}, "A..A", ""},
		{config.Stop{Findings: 1}, "--", "run 1: stop.findings is 1"}, // a missed canary
		{config.Stop{Same: 2}, "--", ""},
	} {
		c := &config.Campaign{Stop: tt.stop, Configs: []config.Config{{Name: "clean", Runs: 8}, {Name: "canary", Runs: 2, Bug: &config.Bug{}}}}
		s := New(c, "dir", config.Shard{}, time.Now())
		for number, r := range tt.runs {
			if s.Stopped != "" {
				t.Errorf("%+v: %s: stopped before run %d: %s", tt.stop, tt.runs, number, s.Stopped)
			}
			e := &journal.Entry{Number: number, Config: &c.Configs[0], Result: &run.Result{Outcome: sim.Crash, Title: string(r)}}
			if strings.ContainsRune(".-", r) {
				e.Outcome = sim.Passed
			}
			if r == '-' || r == 'A' {
				e.Config = &c.Configs[1]
			}
			s.Add(e)
		}
		if s.Stopped != tt.want {
			t.Errorf("%+v: %s: stopped: %q, want %q", tt.stop, tt.runs, s.Stopped, tt.want)
		}
	}
}
