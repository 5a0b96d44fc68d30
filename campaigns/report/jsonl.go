package report

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/compare"
)

// JSONLFormat is the version of the lines that WriteJSONL writes. Fields keep
// their names and meanings as long as it stays the same; there may be new
// ones. Times are in seconds.
const JSONLFormat = 1

// CampaignLine is the first line.
type CampaignLine struct {
	Event  string `json:"event"` // "campaign"
	Format int    `json:"format"`
	Name   string `json:"campaign"`
	Seed   uint64 `json:"seed"`
	// Dir is the campaign directory, as the command line names it.
	Dir     string            `json:"dir"`
	Started time.Time         `json:"started"`
	Planned int               `json:"planned"` // runs
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"` // versions
}

// RunLine is the line of a run.
type RunLine struct {
	Event   string `json:"event"` // "run"
	Number  int    `json:"run"`
	Config  string `json:"config"`
	Outcome string `json:"outcome"`
	// Title names the failure, the same for the same bug.
	Title string `json:"title,omitempty"`
	// Finding says that the run belongs to a finding; Caught that it shows the
	// bug that was injected into its configuration.
	Finding bool `json:"finding"`
	Caught  bool `json:"caught,omitempty"`
	// At is the time since the campaign's start when the run was recorded,
	// Simulated the time of the simulator.
	At         float64 `json:"at_s"`
	Simulated  float64 `json:"simulated_s"`
	Operations int     `json:"operations"`
	// Answers are "allowed", "forbidden" or "unknown", by model.
	Answers map[string]string `json:"answers"`
	// Program is the SHA-256 of the program's text.
	Program string `json:"program"`
	// Dir is the run directory; empty where it was not kept.
	Dir string `json:"dir,omitempty"`
}

// FindingLine is the line of a finding.
type FindingLine struct {
	Event   string `json:"event"` // "finding"
	Outcome string `json:"outcome"`
	Title   string `json:"title"`
	System  string `json:"system"` // simulator and protocol
	Runs    int    `json:"runs"`
	// Configs counts the runs by configuration.
	Configs map[string]int `json:"configs"`
	First   int            `json:"first_run"`
	FirstAt float64        `json:"first_at_s"`
	Last    int            `json:"last_run"`
	LastAt  float64        `json:"last_at_s"`
	// Dir is the directory of the best reproducer, Operations its length,
	// Reduced whether it was made smaller.
	Dir        string `json:"dir,omitempty"`
	Operations int    `json:"operations,omitempty"`
	Reduced    bool   `json:"reduced,omitempty"`
	// Change is "new", "recurring" or "flaky" against an earlier campaign; absent
	// without one.
	Change compare.Change `json:"change,omitempty"`
	// Known is the known issue that it is; absent for a new one.
	Known *config.Known `json:"known,omitempty"`
	// Commands reproduce it, for a shell.
	Commands []string `json:"commands"`
}

// GoneLine is the line of a finding of an earlier campaign that this one does
// not have.
type GoneLine struct {
	Event string `json:"event"` // "gone"
	// Fixed says that it is not by chance.
	Fixed bool `json:"fixed"`
	*compare.Finding
}

// CanaryLine is the line of an injected bug.
type CanaryLine struct {
	Event  string `json:"event"` // "canary"
	Config string `json:"config"`
	About  string `json:"about"`
	Status string `json:"status"` // a summary.Status
	Runs   int    `json:"runs"`
	Caught int    `json:"caught"`
}

// SummaryLine is the last line.
type SummaryLine struct {
	Event      string  `json:"event"` // "summary"
	Planned    int     `json:"planned"`
	Runs       int     `json:"runs"`
	Operations int     `json:"operations"`
	Elapsed    float64 `json:"elapsed_s"`
	// Recorded is when the last run was recorded; reductions come after it.
	Recorded float64        `json:"recorded_s"`
	Outcomes map[string]int `json:"outcomes"`
	Findings int            `json:"findings"`
	Canaries int            `json:"canaries"`
	Caught   int            `json:"canaries_caught"`
	// Status is the exit status of the campaign as far as it ran.
	Status int `json:"exit_status"`
}

// WriteJSONL writes a campaign, ended or not, as one JSON object a line: one
// CampaignLine, a RunLine for each run, a FindingLine for each finding, a GoneLine
// for each one that only the earlier campaign has, a CanaryLine for each injected
// bug, one SummaryLine. What acts on a terminal is escaped.
func WriteJSONL(w io.Writer, a *journal.Archive, b *compare.Diff) error {
	if err := encodeLines(json.NewEncoder(&messages.Escaper{W: w}), a, b); err != nil {
		return fmt.Errorf("write JSON lines of %s: %w", a.Dir, err)
	}
	return nil
}

func encodeLines(enc *json.Encoder, a *journal.Archive, b *compare.Diff) error {
	enc.SetEscapeHTML(false)
	begin := summary.New(a.Campaign, a.Dir, a.Header.Shard, a.Header.Started)
	if err := enc.Encode(&CampaignLine{
		Event: "campaign", Format: JSONLFormat, Name: begin.Campaign, Seed: begin.Seed, Dir: a.Dir, Started: a.Header.Started,
		Planned: begin.Planned, Command: a.Header.Command, Tools: a.Header.Tools,
	}); err != nil {
		return err
	}
	s, err := summary.ReadEach(a, func(e *journal.Entry) error { return enc.Encode(runLine(e)) })
	if err != nil {
		return err
	}
	for i := range s.Findings {
		line := findingLine(a, &s.Findings[i])
		line.Change = b.Change(&s.Findings[i])
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	for _, f := range b.Gone() {
		if err := enc.Encode(&GoneLine{"gone", f.Fixed(), &f}); err != nil {
			return err
		}
	}
	total := s.Total()
	last := &SummaryLine{
		Event: "summary", Planned: s.Planned, Runs: total.Runs, Operations: total.Operations, Elapsed: s.Elapsed.Seconds(), Recorded: s.Recorded.Seconds(),
		Outcomes: make(map[string]int), Findings: len(s.Findings), Status: s.ExitStatus(), Canaries: s.Canaries().Of(), Caught: s.Canaries().Caught(),
	}
	for o, n := range total.Outcomes {
		last.Outcomes[o.String()] = n
	}
	for i := range s.Rows {
		k := s.Rows[i].Canary
		if k == nil {
			continue
		}
		if err := enc.Encode(&CanaryLine{"canary", s.Rows[i].Config, k.About, string(k.Status), s.Rows[i].Runs, k.Caught}); err != nil {
			return err
		}
	}
	return enc.Encode(last)
}

func runLine(e *journal.Entry) *RunLine {
	r := &RunLine{
		Event: "run", Number: e.Number, Config: e.ConfigName, Outcome: e.Outcome.String(), Title: e.Title, Finding: e.Finding(), Caught: e.Caught(),
		At: e.At.Seconds(), Simulated: e.Elapsed.Seconds(), Operations: e.Operations, Program: e.Program, Answers: make(map[string]string),
	}
	for _, x := range e.Answers {
		r.Answers[x.Model] = x.Answer
	}
	if e.Kept || e.Quarantined() {
		r.Dir = filepath.Clean(string(e.Dir))
	}
	return r
}

func findingLine(a *journal.Archive, f *summary.Finding) *FindingLine {
	x := &FindingLine{
		Event: "finding", Outcome: f.Outcome.String(), Title: f.Title, System: f.System, Runs: f.Runs, Configs: make(map[string]int),
		First: f.First, FirstAt: f.FirstAt.Seconds(), Last: f.Last, LastAt: f.LastAt.Seconds(), Known: f.Known,
	}
	for _, c := range Commands(a.Dir, f, f.Best) {
		x.Commands = append(x.Commands, c.Line)
	}
	for _, c := range f.Configs {
		x.Configs[c.Config] = c.Runs
	}
	if f.Best != nil {
		x.Dir, x.Operations, x.Reduced = f.Best.Dir, f.Best.Operations, f.Best.Reduced
	}
	return x
}
