// Package jsonl writes what came of a campaign as JSON, an object a line, for
// programs. The lines come in this order: one "campaign", a "run" for each run
// that is recorded, a "finding" for each finding, a "canary" for each planted
// fault, one "summary". Fields keep their names and meanings as long as
// "format" in the first line stays the same; there may be new ones. Times are
// in seconds.
package jsonl

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"ordeal/campaigns/journal"
	"ordeal/campaigns/report"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// Format is the version of the lines.
const Format = 1

// Campaign is the first line.
type Campaign struct {
	Event  string `json:"event"` // "campaign"
	Format int    `json:"format"`
	Name   string `json:"campaign"`
	Seed   uint64 `json:"seed"`
	// Dir is the campaign's directory as it was named.
	Dir     string            `json:"dir"`
	Started time.Time         `json:"started"`
	Planned int               `json:"planned"` // runs
	Command []string          `json:"command"`
	Tools   map[string]string `json:"tools"` // versions
}

// Run is the line of a run.
type Run struct {
	Event   string `json:"event"` // "run"
	Number  int    `json:"run"`
	Config  string `json:"config"`
	Outcome string `json:"outcome"`
	// Title says what went wrong, the same for the same bug.
	Title string `json:"title,omitempty"`
	// Finding says that the run is one of a finding; Caught that it shows the
	// fault that was planted for it.
	Finding bool `json:"finding"`
	Caught  bool `json:"caught,omitempty"`
	// At is when the run was recorded, in time spent on the campaign; Simulated
	// the time of the simulator.
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

// Finding is the line of a finding.
type Finding struct {
	Event   string `json:"event"` // "finding"
	Outcome string `json:"outcome"`
	Title   string `json:"title"`
	// System is what was tested: simulator and protocol.
	System string `json:"system"`
	Runs   int    `json:"runs"`
	// Configs counts the runs by configuration.
	Configs map[string]int `json:"configs"`
	First   int            `json:"first_run"`
	FirstAt float64        `json:"first_at_s"`
	Last    int            `json:"last_run"`
	LastAt  float64        `json:"last_at_s"`
	// Dir is the directory of the best reproducer, Operations its length;
	// Reduced says that it was made smaller.
	Dir        string `json:"dir,omitempty"`
	Operations int    `json:"operations,omitempty"`
	Reduced    bool   `json:"reduced,omitempty"`
	// Commands show and repeat it, for a shell.
	Commands []string `json:"commands"`
}

// Canary is the line of a planted fault.
type Canary struct {
	Event  string `json:"event"` // "canary"
	Config string `json:"config"`
	About  string `json:"about"`
	// Fate is "caught", "missed" or "open", of a negative control "quiet" or
	// "loud".
	Fate   string `json:"fate"`
	Runs   int    `json:"runs"`
	Caught int    `json:"caught"`
}

// Summary is the last line.
type Summary struct {
	Event      string         `json:"event"` // "summary"
	Planned    int            `json:"planned"`
	Runs       int            `json:"runs"`
	Operations int            `json:"operations"`
	Elapsed    float64        `json:"elapsed_s"`
	Outcomes   map[string]int `json:"outcomes"`
	Findings   int            `json:"findings"`
	Canaries   int            `json:"canaries"`
	Caught     int            `json:"canaries_caught"`
	// Status is the exit status of the campaign as far as it went.
	Status int `json:"exit_status"`
}

// Write writes the lines of a campaign, ended or not.
func Write(w io.Writer, a *journal.Archive) error {
	s, err := summary.Read(a)
	if err != nil {
		return err
	}
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(&Campaign{
		Event: "campaign", Format: Format, Name: s.Campaign, Seed: s.Seed, Dir: a.Dir, Started: a.Head.Started, Planned: s.Planned,
		Command: a.Head.Command, Tools: a.Head.Tools,
	}); err != nil {
		return err
	}
	for e, err := range a.Entries() {
		if err != nil {
			return err
		}
		if err := enc.Encode(runOf(a, e)); err != nil {
			return err
		}
	}
	for i := range s.Findings {
		if err := enc.Encode(findingOf(a, &s.Findings[i])); err != nil {
			return err
		}
	}
	last := &Summary{
		Event: "summary", Planned: s.Planned, Elapsed: s.Elapsed.Seconds(), Outcomes: make(map[string]int), Findings: len(s.Findings), Status: s.ExitStatus(),
	}
	total := s.Total()
	last.Runs, last.Operations = total.Runs, total.Operations
	for o, n := range total.Outcomes {
		last.Outcomes[o.String()] = n
	}
	for i := range s.Rows {
		k := s.Rows[i].Canary
		if k == nil {
			continue
		}
		if k.Control == "" {
			last.Canaries++
		}
		if k.Fate == summary.StatusCaught {
			last.Caught++
		}
		if err := enc.Encode(&Canary{"canary", s.Rows[i].Config, k.About, string(k.Fate), s.Rows[i].Runs, k.Caught}); err != nil {
			return err
		}
	}
	if err := enc.Encode(last); err != nil {
		return fmt.Errorf("write JSON lines: %w", err)
	}
	return nil
}

func runOf(a *journal.Archive, e *journal.Entry) *Run {
	run := a.Ended(e)
	r := &Run{
		Event: "run", Number: e.Number, Config: e.Config, Outcome: e.Outcome.String(), Title: e.Title, Finding: run.Finding(), Caught: run.Caught(),
		At: e.At.Seconds(), Simulated: e.Elapsed.Seconds(), Operations: e.Operations, Program: e.Program, Answers: make(map[string]string),
	}
	for _, x := range e.Answers {
		r.Answers[x.Model] = x.Answer
	}
	if e.Kept || e.Outcome == sim.Infra {
		r.Dir = filepath.Clean(string(run.Dir))
	}
	return r
}

func findingOf(a *journal.Archive, f *summary.Finding) *Finding {
	x := &Finding{
		Event: "finding", Outcome: f.Outcome.String(), Title: f.Title, System: f.System, Runs: f.Runs, Configs: make(map[string]int),
		First: f.First, FirstAt: f.FirstAt.Seconds(), Last: f.Last, LastAt: f.LastAt.Seconds(), Commands: report.Commands(a.Dir, f),
	}
	for _, c := range f.Configs {
		x.Configs[c.Config] = c.Runs
	}
	if f.Best != nil {
		x.Dir, x.Operations, x.Reduced = f.Best.Dir, f.Best.Operations, f.Best.Reduced
	}
	return x
}
