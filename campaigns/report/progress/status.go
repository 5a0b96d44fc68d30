package progress

import (
	"fmt"
	"io"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// States of a campaign that has no journal.End.
const (
	Running = "running" // a process runs it
	Killed  = "killed"  // none does, and it did not end by itself
)

// Status is how far a campaign has come, as its directory says.
type Status struct {
	Campaign string       `json:"campaign"`
	Seed     uint64       `json:"seed"`
	Dir      string       `json:"dir"`
	Shard    config.Shard `json:"shard,omitzero"`
	// State is Running, Killed, or the journal.End of the latest session.
	State string `json:"state"`
	// Complete means that there is nothing to resume.
	Complete bool `json:"complete"`
	// Runs counts the recorded ones, Planned those of the file or the shard.
	Runs       int `json:"runs"`
	Planned    int `json:"planned"`
	Operations int `json:"operations"`
	// Spent is the time spent on it, Budget what it may spend; 0 without one.
	Spent  time.Duration `json:"spent_ns"`
	Budget time.Duration `json:"budget_ns,omitempty"`
	// Rate and OperationRate are per second, of the last minutes, and Left is how long it
	// will go on at these; 0 where it does not run, or nothing is known yet.
	Rate          float64       `json:"runs_per_second,omitempty"`
	OperationRate float64       `json:"operations_per_second,omitempty"`
	Left          time.Duration `json:"left_ns,omitempty"`
	// Outcomes counts runs by outcome, those of canaries aside.
	Outcomes map[string]int `json:"outcomes"`
	// Canaries counts the injected bugs that the campaign should catch.
	Canaries int      `json:"canaries"`
	Caught   int      `json:"canaries_caught"`
	Missed   []string `json:"canaries_missed"`
	// Coverage has a protocol each.
	Coverage []Covered         `json:"coverage"`
	Findings []summary.Finding `json:"findings"`
	// Failing is set where one of the findings is not a known issue.
	Failing bool `json:"failing"`

	campaign *config.Campaign
	at       time.Time // that it is read for
	noted    time.Time // when Spent was
	counted  time.Time // when the rows were added up
	covering time.Time // when the coverage was, which is stale if there is more
	stale    bool
	found    int       // findings; -1: no run was noted
	last     string    // finding, in short
	lastAt   time.Time // when it came; zero: long ago
	pace     samples
	_        struct{}
}

func newStatus(c *config.Campaign) *Status { return &Status{campaign: c, Planned: c.Runs(), found: -1} }

// statusOver is the time that the rates of a Status are of: runs of gem5 take
// minutes.
const statusOver = 5 * time.Minute

// Read reads the status of a campaign at a time; running says that a process runs it.
func Read(a *journal.Archive, running bool, now time.Time) (*Status, error) {
	h := &a.Header
	spent := h.Spent
	if running {
		spent += max(0, now.Sub(h.Session))
	}
	from := max(h.Spent, spent-statusOver)
	lately, session := sample{at: now.Add(from - spent)}, sample{at: now.Add(h.Spent - spent)}
	p := newStatus(a.Campaign)
	sum, err := summary.ReadEach(a, func(e *journal.Entry) error {
		for _, s := range []*sample{&lately, &session} {
			if now.Add(e.At - spent).After(s.at) {
				break
			}
			s.runs, s.operations = s.runs+1, s.operations+e.Operations
		}
		if e.Finding() {
			at := time.Time{} // without an age where it does not run
			if running {
				at = now.Add(e.At - spent)
			}
			p.noteFinding(e, at)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if !running && h.End == "" {
		spent = sum.Elapsed
	}
	p.count(sum)
	p.Campaign, p.Seed, p.Dir, p.Shard, p.State, p.Complete = sum.Campaign, sum.Seed, a.Dir, sum.Shard, string(h.End), !running && h.Ended()
	p.Spent, p.Budget, p.Coverage, p.at = spent, time.Duration(a.Campaign.Budget), coverageOf(a.Campaign, sum), now
	p.Findings, p.found, p.Failing = append([]summary.Finding{}, sum.Findings...), len(sum.Findings), len(sum.Unknown()) > 0
	switch {
	case running:
		p.State, p.noted = Running, now
		if p.Runs == lately.runs { // a run takes longer
			lately = session
		}
		if p.Runs > lately.runs {
			p.pace = samples{lately, {now, p.Runs, p.Operations}}
		}
		p.Rate, p.OperationRate, _ = p.pace.rates()
		p.Left, _ = p.leftFor(now)
	case h.End == "":
		p.State = Killed
	}
	return p, nil
}

// statesText says what the states mean.
var statesText = map[string]string{
	Running: "running", Killed: "neither running nor ended: it was killed",
	string(journal.EndComplete): "complete", string(journal.EndStopped): "stopped by its stop condition", string(journal.EndBudget): "its budget is spent",
	string(journal.EndInterrupted): "interrupted", string(journal.EndInfra): "ended by infrastructure errors",
}

// WriteText writes the status in a number of columns, and what to do next with
// command, which is how ordeal is called.
func (s *Status) WriteText(w io.Writer, columns int, command string) error {
	var b strings.Builder
	shard := ""
	if !s.Shard.Whole() {
		shard = ", shard " + s.Shard.String()
	}
	fmt.Fprintf(&b, "campaign %s%s, seed %d, in %s: %s\n", messages.EscapeLine(s.Campaign), shard, s.Seed, messages.EscapeLine(s.Dir), statesText[s.State])
	for _, line := range s.lines(s.at, columns) {
		fmt.Fprintln(&b, line)
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		text := fmt.Sprintf("%s; %s, run %d first", f.Outcome.Titled(messages.EscapeLine(f.Title)), messages.Plural(f.Runs, "run"), f.First)
		if f.Known != nil {
			text += "; a known issue"
		}
		if f.Dir != "" {
			text += ", in " + messages.EscapeLine(f.Dir)
		}
		fmt.Fprintln(&b, messages.Wrap(text, fmt.Sprintf("%-*s", labelWidth, "finding"), strings.Repeat(" ", labelWidth), columns))
	}
	next := "report"
	if s.State != Running && !s.Complete {
		next = "resume"
	}
	fmt.Fprintf(&b, "%-*s%s campaign %s %s\n", labelWidth, next, command, next, messages.QuotedPath(s.Dir))
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteBrief writes one line.
func (s *Status) WriteBrief(w io.Writer) error {
	_, err := fmt.Fprintf(w, "%s: %s; %s\n", messages.EscapeLine(s.Campaign), s.State, messages.EscapeLine(s.line(s.at)))
	return err
}
