package journal

import (
	"testing"

	"ordeal/campaigns/config"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// TestRetention requires that the first run of each kind stays, and of what a
// user may look into all of them.
func TestRetention(t *testing.T) {
	clean := &config.Config{Name: "clean"}
	canary := &config.Config{Name: "canary", Bug: &config.Bug{By: []string{"crash"}}}
	run := func(c *config.Config, outcome sim.Outcome, answer string) *Entry {
		r := &rundir.Result{Outcome: outcome, Answers: []rundir.Answer{{Model: "sc", Answer: answer}}}
		return &Entry{ConfigName: c.Name, Config: c, Result: r}
	}
	for keep, wants := range map[config.Keep][2]bool{config.KeepFindings: {true, false}, config.KeepAll: {true, true}} {
		r := NewRetention(&config.Campaign{Keep: keep, KeepPerFinding: 1})
		for _, tt := range []struct {
			name  string
			entry *Entry
			wants [2]bool // the first such run, the second one
		}{
			{"pass", run(clean, sim.Passed, "allowed"), wants},
			{"pass with another answer", run(clean, sim.Passed, "forbidden"), wants},
			{"undecided", run(clean, sim.Passed, "unknown"), [2]bool{true, true}},
			{"failure", run(clean, sim.Crash, "allowed"), wants},
			{"infrastructure", run(canary, sim.Infra, ""), [2]bool{true, true}},
			{"caught", run(canary, sim.Crash, ""), wants},
			{"fails otherwise", run(canary, sim.Deadlock, ""), wants},
			{"canary passes", run(canary, sim.Passed, "allowed"), [2]bool{wants[1], wants[1]}},
		} {
			may := r.MayKeep(tt.entry)
			if first := r.Keep(tt.entry); may != tt.wants[0] || first != may {
				t.Errorf("keep=%s: %s: the first run may stay: %v, stays: %v; want %v", keep, tt.name, may, first, tt.wants[0])
			}
			if got := r.Keep(tt.entry); got != tt.wants[1] {
				t.Errorf("keep=%s: %s: the second run stays: %v, want %v", keep, tt.name, got, tt.wants[1])
			}
		}
	}
}

// TestRetentionOfFindings has a finding of three configurations: half of the
// limit are its first runs, the other half the first of other configurations.
func TestRetentionOfFindings(t *testing.T) {
	r := NewRetention(&config.Campaign{Keep: config.KeepFindings, KeepPerFinding: 4})
	got := ""
	for _, name := range []string{"a", "a", "a", "b", "b", "c", "a"} {
		e := &Entry{ConfigName: name, Config: &config.Config{Name: name}, Result: &rundir.Result{Outcome: sim.Crash, Title: "t"}}
		if r.Keep(e) {
			got += name
		} else {
			got += "-"
		}
	}
	if got != "aa-b---" {
		t.Errorf("%s stay, want aa-b---", got)
	}
	other := &Entry{ConfigName: "a", Config: &config.Config{Name: "a"}, Result: &rundir.Result{Outcome: sim.Crash, Title: "other"}}
	if !r.Keep(other) {
		t.Error("the first run of another finding does not stay")
	}
}
