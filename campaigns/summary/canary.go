package summary

import (
	"fmt"
	"strings"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/sim"
)

// Canary is what came of a configuration in which a fault is planted.
type Canary struct {
	// About, Known and By are those of the Bug; Control is its Equivalent.
	About   string   `json:"about"`
	Known   string   `json:"known,omitempty"`
	By      []string `json:"by,omitempty"`
	Control string   `json:"control,omitempty"`
	Fate    Status   `json:"fate"`
	// Caught counts the runs that showed the fault, Otherwise those that
	// failed in another way than By: they neither show it nor are findings.
	Caught    int `json:"caught"`
	Otherwise int `json:"otherwise,omitempty"`
	// First is the first run that showed the fault, Dir its directory; both
	// mean something only where Caught is not 0.
	First int    `json:"first"`
	Dir   string `json:"dir,omitempty"`
	// Operations is what the fault needs at least to show, 0 where that is
	// not known; fewer say nothing.
	Operations int `json:"operations,omitempty"`
	_          struct{}
}

// Fate says how a canary does.
type Status string

// The fates.
const (
	// FateOpen: not all runs ended with a result, or they were too short, and
	// none showed the fault.
	StatusPending Status = "open"
	// FateCaught: some run showed the fault, as it should.
	StatusCaught Status = "caught"
	// FateMissed: no run did, which is a finding of outcome Missed.
	StatusMissed Status = "missed"
	// FateQuiet: of a negative control, no run has failed, as it should be.
	StatusQuiet Status = "quiet"
	// FateLoud: of a negative control, some run failed, which is a finding.
	StatusFailing Status = "loud"
)

// newCanary is nil for a configuration without a planted fault.
func newCanary(c *config.Config) *Canary {
	b := c.Bug
	if b == nil {
		return nil
	}
	k := &Canary{About: b.About, Known: b.Known, By: b.By, Control: b.Equivalent, Fate: StatusPending, Operations: b.Budget}
	if b.Equivalent != "" {
		k.Fate = StatusQuiet
	}
	return k
}

// add counts a run of the canary's configuration, whose row is counted
// already.
func (k *Canary) add(run *journal.Run, row *Row) {
	switch {
	case !run.Case.Finding():
	case k.Control != "":
		k.Fate = StatusFailing
		k.showed(run)
	case run.Caught():
		k.Fate = StatusCaught
		k.showed(run)
	default:
		k.Otherwise++
	}
	if k.Fate == StatusPending && row.Runs == row.Planned && row.Outcomes[sim.Infra] == 0 && row.Operations >= k.Operations {
		k.Fate = StatusMissed
	}
}

func (k *Canary) showed(run *journal.Run) {
	if k.Caught == 0 || run.Number < k.First {
		k.First, k.Dir = run.Number, ""
		if run.Kept {
			k.Dir = string(run.Dir)
		}
	}
	k.Caught++
}

// addCanary counts a run of a configuration with a planted fault. That nothing
// shows a fault any more is a finding, as of the last run.
func (s *Summary) addCanary(run *journal.Run, row *Row) {
	before := row.Canary.Fate
	row.Canary.add(run, row)
	if row.Canary.Fate == StatusMissed && before != StatusMissed {
		s.Findings = append(s.Findings, Finding{
			Title: fmt.Sprintf("canary %s is no longer caught", run.Config.Name), Outcome: sim.Missed, System: run.Config.System(s.sim(run.Config)),
			Runs: row.Runs, First: run.Number, FirstAt: run.At, Last: run.Number, LastAt: run.At, Configs: []ConfigCount{{run.Config.Name, row.Runs}},
		})
	}
}

// canaryTable has a line for each planted fault, those that did what they
// should not first.
func (s *Summary) canaryTable() string {
	t := messages.Table{Header: []any{"canary", "fate", "runs", "caught", "first", "fault"}, Left: []int{1, 5}}
	for _, wrong := range []bool{true, false} {
		for _, r := range s.Rows {
			k := r.Canary
			if k == nil || k.wrong() != wrong {
				continue
			}
			first, about := "", k.About
			if k.Caught > 0 {
				first = fmt.Sprint(k.First)
			}
			if k.Control != "" {
				about = "none that can show: " + k.Control
			}
			t.Rows = append(t.Rows, []any{r.Config, k.Fate, messages.Comma(r.Runs), messages.Comma(k.Caught), first, about})
		}
	}
	if len(t.Rows) == 0 {
		return ""
	}
	return t.String()
}

// wrong tells whether the canary did what it should not.
func (k *Canary) wrong() bool { return k.Fate == StatusMissed || k.Fate == StatusFailing }

// canarySentences say what the table of canaries means.
func (s *Summary) canarySentences() []string {
	count := make(map[Status]int)
	names := make(map[Status][]string)
	otherwise := 0
	for _, r := range s.Rows {
		if r.Canary != nil {
			count[r.Canary.Fate]++
			names[r.Canary.Fate] = append(names[r.Canary.Fate], r.Config)
			otherwise += r.Canary.Otherwise
		}
	}
	list := func(f Status) string {
		shown := names[f][:min(len(names[f]), canariesNamed)]
		if n := len(names[f]) - len(shown); n > 0 {
			return fmt.Sprintf("%s and %d more", strings.Join(shown, ", "), n)
		}
		return strings.Join(shown, ", ")
	}
	var out []string
	if n := count[StatusCaught] + count[StatusMissed] + count[StatusPending]; n > 0 {
		text := fmt.Sprintf("Canaries are faults planted to see that they are noticed: %s of %s caught", messages.Comma(count[StatusCaught]), messages.Comma(n))
		if count[StatusMissed] > 0 {
			text += "; missed: " + list(StatusMissed)
		}
		if count[StatusPending] > 0 {
			text += "; still open: " + list(StatusPending)
		}
		out = append(out, text+".")
	}
	if n := count[StatusQuiet] + count[StatusFailing]; n > 0 {
		text := fmt.Sprintf("Negative controls are faults that cannot show: %s of %s quiet", messages.Comma(count[StatusQuiet]), messages.Comma(n))
		if count[StatusFailing] > 0 {
			text += "; but failing: " + list(StatusFailing)
		}
		out = append(out, text+".")
	}
	if otherwise > 0 {
		out = append(out, fmt.Sprintf("%s of canaries failed in another way than bug.by says and count as nothing.", messages.Plural(otherwise, "run")))
	}
	return out
}

// canariesNamed bounds the names in a sentence.
const canariesNamed = 8
