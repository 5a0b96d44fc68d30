package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/sim"
)

// Canary counts the runs of a configuration in which a bug is injected.
type Canary struct {
	// About, Known and By are those of the Bug; Control is its Equivalent.
	About   string   `json:"about"`
	Known   string   `json:"known,omitempty"`
	By      []string `json:"by,omitempty"`
	Control string   `json:"control,omitempty"`
	Status  Status   `json:"status"`
	// Caught counts the runs that showed the bug, Otherwise those that failed
	// in another way than By: they neither show it nor are findings.
	Caught    int `json:"caught"`
	Otherwise int `json:"otherwise,omitempty"`
	// First is the first run that showed the bug, Dir its directory; both
	// mean something only where Caught is not 0.
	First int    `json:"first"`
	Dir   string `json:"dir,omitempty"`
	// FirstAt is when that run was recorded; Until counts the operations of the runs
	// up to it, and UntilTime is the time of their simulation and checking.
	FirstAt   time.Duration `json:"-"`
	Until     int           `json:"-"`
	UntilTime time.Duration `json:"-"`
	// Operations is the least number that the bug may need to show; 0 if it is
	// not known.
	Operations int `json:"operations,omitempty"`
	_          struct{}
}

// Status is that of a canary.
type Status string

const (
	// StatusPending: no run showed the bug, but not all runs have ended with a
	// result, or they were too short.
	StatusPending Status = "pending"
	// StatusCaught: some run showed the bug.
	StatusCaught Status = "caught"
	// StatusMissed: no run did, which is a finding of outcome Missed.
	StatusMissed Status = "missed"
	// StatusSurvived: no run of a negative control failed, as expected.
	StatusSurvived Status = "survived"
	// StatusKilled: a run of a negative control failed, which is a finding.
	StatusKilled Status = "killed"
)

// newCanary is nil for a configuration without an injected bug.
func newCanary(c *config.Config) *Canary {
	b := c.Bug
	if b == nil {
		return nil
	}
	k := &Canary{About: b.About, Known: b.Known, By: b.By, Control: b.Equivalent, Status: StatusPending, Operations: b.Budget}
	if b.Equivalent != "" {
		k.Status = StatusSurvived
	}
	return k
}

// add counts a run of the canary's configuration, whose row is counted
// already.
func (k *Canary) add(run *journal.Entry, row *Row) {
	switch {
	case !run.Failed():
	case k.Control != "":
		k.Status = StatusKilled
		k.showed(run, row)
	case run.Caught():
		k.Status = StatusCaught
		k.showed(run, row)
	default:
		k.Otherwise++
	}
	if k.Status == StatusPending && row.Runs == row.Planned && row.Outcomes[sim.Infra] == 0 && row.Runs*run.Config.Operations() >= k.Operations {
		k.Status = StatusMissed
	}
}

func (k *Canary) showed(run *journal.Entry, row *Row) {
	if k.Caught == 0 || run.Number < k.First {
		k.First, k.Dir, k.FirstAt = run.Number, "", run.At
		k.Until, k.UntilTime = row.Runs*run.Config.Operations(), row.Simulated+row.Checked
		if run.Kept {
			k.Dir = string(run.Dir)
		}
	}
	k.Caught++
}

// addCanary counts a run of a configuration with an injected bug. A bug that no
// run shows is a finding, as of the last run.
func (s *Summary) addCanary(run *journal.Entry, row *Row) {
	before := row.Canary.Status
	row.Canary.add(run, row)
	if row.Canary.Status == StatusMissed && before != StatusMissed {
		s.Findings = append(s.Findings, Finding{
			Title: fmt.Sprintf("canary %s is no longer caught", run.Config.Name), Outcome: sim.Missed, System: run.Config.System(s.sim(run.Config)),
			Runs: row.Runs, First: run.Number, FirstAt: run.At, Last: run.Number, LastAt: run.At, Configs: []ConfigCount{{run.Config.Name, row.Runs}},
		})
	}
}

// canaryTable has a line for each injected bug, the unexpected first.
func (s *Summary) canaryTable() *messages.Table {
	t := &messages.Table{Header: []any{"canary", "status", "runs", "caught", "first", "bug"}, Left: []int{1, 5}}
	for _, wrong := range []bool{true, false} {
		for _, r := range s.Rows {
			k := r.Canary
			if k == nil || k.Wrong() != wrong {
				continue
			}
			first, about := "", k.About
			if k.Caught > 0 {
				first = fmt.Sprint(k.First)
			}
			if k.Control != "" {
				about = "equivalent: " + k.Control
			}
			t.Rows = append(t.Rows, []any{r.Config, k.Status, messages.Comma(r.Runs), messages.Comma(k.Caught), first, about})
		}
	}
	return t
}

// Wrong reports a missed canary or a negative control that failed.
func (k *Canary) Wrong() bool { return k.Status == StatusMissed || k.Status == StatusKilled }

// undecided lists the configurations of canaries that no run has caught yet,
// where the campaign ended before all their runs. A shard leaves them to the
// campaign that it is merged into.
func (s *Summary) undecided() []string {
	var names []string
	for _, r := range s.Rows {
		if k := r.Canary; k != nil && k.Status == StatusPending && r.Runs < r.Planned && s.Shard.Whole() {
			names = append(names, r.Config)
		}
	}
	return names
}

// named lists the first canaries of a list.
func named(names []string) string {
	var shown []string
	for _, name := range names[:min(len(names), canariesNamed)] {
		shown = append(shown, messages.Unbroken(name))
	}
	if n := len(names) - len(shown); n > 0 {
		return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), n)
	}
	return strings.Join(shown, ", ")
}

// Canaries are the configurations with an injected bug, by status.
type Canaries map[Status][]string

// Canaries are those of the rows.
func (s *Summary) Canaries() Canaries {
	c := make(Canaries)
	for _, r := range s.Rows {
		if r.Canary != nil {
			c[r.Canary.Status] = append(c[r.Canary.Status], r.Config)
		}
	}
	return c
}

// Caught counts the bugs that were caught.
func (c Canaries) Caught() int { return len(c[StatusCaught]) }

// Of counts the bugs that ought to be caught: not those of negative controls.
func (c Canaries) Of() int { return c.Caught() + len(c[StatusMissed]) + len(c[StatusPending]) }

// canaryMessages summarise the table of canaries.
func (s *Summary) canaryMessages() []string {
	names, otherwise := s.Canaries(), 0
	for _, r := range s.Rows {
		if r.Canary != nil {
			otherwise += r.Canary.Otherwise
		}
	}
	var out []string
	if n := names.Of(); n > 0 {
		text := fmt.Sprintf("Canaries are injected bugs that the campaign should catch: %s of %s caught", messages.Comma(names.Caught()), messages.Comma(n))
		if len(names[StatusMissed]) > 0 {
			text += "; missed: " + named(names[StatusMissed])
		}
		undecided := s.undecided()
		if len(undecided) > 0 {
			text += "; undecided canaries, whose runs had not all ended: " + named(undecided)
		}
		pending := slices.DeleteFunc(slices.Clone(names[StatusPending]), func(name string) bool { return slices.Contains(undecided, name) })
		if len(pending) > 0 {
			text += "; pending: " + named(pending)
		}
		out = append(out, text+".")
	}
	if n := len(names[StatusSurvived]) + len(names[StatusKilled]); n > 0 {
		text := fmt.Sprintf("Negative controls are mutants that no run can kill: %s of %s survived", messages.Comma(len(names[StatusSurvived])), messages.Comma(n))
		if len(names[StatusKilled]) > 0 {
			text += "; killed: " + named(names[StatusKilled])
		}
		out = append(out, text+".")
	}
	if otherwise > 0 {
		out = append(out, fmt.Sprintf("%s of canaries failed in another way than bug.by lists and do not count.", messages.Plural(otherwise, "run")))
	}
	return out
}

// canariesNamed bounds the names in a message.
const canariesNamed = 8
