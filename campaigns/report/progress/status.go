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

	at    time.Time
	state *state
	_     struct{}
}

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
	p := newState(a.Campaign)
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
	p.spent, p.findings, p.coverage = spent, len(sum.Findings), coverageOf(a.Campaign, sum)
	if running {
		p.noted = now
		if p.runs == lately.runs { // a run takes longer
			lately = session
		}
		if p.runs > lately.runs {
			p.pace = samples{lately, {now, p.runs, p.operations}}
		}
	}
	s := &Status{
		Campaign: sum.Campaign, Seed: sum.Seed, Dir: a.Dir, Shard: sum.Shard, State: string(h.End), Complete: !running && h.Ended(),
		Runs: p.runs, Planned: p.planned, Operations: p.operations, Spent: spent, Budget: time.Duration(a.Campaign.Budget),
		Outcomes: make(map[string]int), Canaries: p.canaries, Caught: p.caught, Missed: append([]string{}, p.missed...), Coverage: append([]Covered{}, p.coverage...),
		Findings: append([]summary.Finding{}, sum.Findings...), Failing: len(sum.Unknown()) > 0, at: now, state: p,
	}
	switch {
	case running:
		s.State = Running
	case h.End == "":
		s.State = Killed
	}
	for o, n := range p.outcomes {
		s.Outcomes[o.String()] = n
	}
	if running {
		s.Rate, s.OperationRate, _ = p.pace.rates()
		s.Left, _ = p.leftFor(now)
	}
	return s, nil
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
	for _, line := range s.state.lines(s.at, columns) {
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
	_, err := fmt.Fprintf(w, "%s: %s; %s\n", messages.EscapeLine(s.Campaign), s.State, messages.EscapeLine(s.state.line(s.at)))
	return err
}
