package summary

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/sim"
)

// Finding is the runs with one outcome and title on one system under test, or a
// canary that no run caught.
type Finding struct {
	Title   string      `json:"title"`
	Outcome sim.Outcome `json:"outcome"`
	// Failure is that of the first run; zero for a missed canary.
	Failure sim.Failure `json:"failure,omitzero"`
	// System is what was tested: a simulator, with its protocol and an injected bug.
	System string `json:"system"`
	Runs   int    `json:"runs"`
	// Alone counts runs of batches that were repeated alone, Recurred those of
	// them with the same result.
	Alone    int `json:"alone,omitempty"`
	Recurred int `json:"recurred,omitempty"`
	// First and Last are the first and the last such run by number, of seed
	// Seed in the Summary; FirstAt and LastAt are when they were recorded, in
	// time spent on the campaign. Of a missed canary they are its last run.
	First   int           `json:"first"`
	FirstAt time.Duration `json:"first_at_ns"`
	Last    int           `json:"last"`
	LastAt  time.Duration `json:"last_at_ns"`
	// Dir is the directory of the first run; empty for a missed canary.
	Dir string `json:"dir,omitempty"`
	// Configs counts the runs by configuration, in order of first appearance.
	Configs []ConfigCount `json:"configs"`
	// Best is the reproducer to look at first; nil for a missed canary.
	Best *Reproducer `json:"best,omitempty"`
	// Counterexample is the exploration with the shortest one; nil where none has the finding. Where a
	// bug is injected, an exploration that shows it by another title counts, too.
	Counterexample *Counterexample `json:"counterexample,omitempty"`
	// Reduction is that of the first run; nil where none was asked for, or it
	// has not ended.
	Reduction *run.Reduction `json:"reduction,omitempty"`
	// Timing adds up the repetitions of runs at latencies near those of the
	// simulated machine; nil where there are none.
	Timing *run.Timing `json:"timing,omitempty"`
	// Conditions are what the machines of an audit had that gem5's own configurations do not
	// have, in the run with the fewest. Needs are the features without which no run of an audit
	// had the finding.
	Conditions []string `json:"conditions,omitempty"`
	Needs      []string `json:"needs,omitempty"`
	// Traced says that repro --trace can record what the coherence protocol does
	// in its runs.
	Traced bool `json:"traced,omitempty"`
	// Known is the known issue that the finding is; nil for a new one.
	Known *config.Known `json:"known,omitempty"`
	// Expired is the known issue that a new finding was until a day that is past; nil
	// for others.
	Expired *config.Known `json:"expired,omitempty"`
}

// ConfigCount counts the runs of a configuration.
type ConfigCount struct {
	Config string `json:"config"`
	Runs   int    `json:"runs"`
}

// Reproducer is a run directory that shows a finding.
type Reproducer struct {
	Dir string `json:"dir"`
	// Example is the run, or the one that was reduced.
	journal.Example
	Reduced bool `json:"reduced,omitempty"`
}

// Counterexample is an exploration that shows a finding.
type Counterexample struct {
	Dir   string `json:"dir"`
	Steps int    `json:"steps"`
	// Title is that of the exploration, where it is another one than that of the finding.
	Title string `json:"title,omitempty"`
}

// Explored reports whether only explorations show the finding.
func (f *Finding) Explored() bool {
	return f.Counterexample != nil && f.Best != nil && f.Best.Dir == f.Counterexample.Dir
}

// FindingKey is what makes two failures the same finding.
type FindingKey struct {
	Title, System string
	Outcome       sim.Outcome
}

// Key is the key of f.
func (f *Finding) Key() FindingKey { return FindingKey{f.Title, f.System, f.Outcome} }

// KeyOf is the key of a failed run on a system. Failures of a negative control are
// findings of their own.
func KeyOf(run *journal.Entry, system string) FindingKey {
	title := run.FindingTitle()
	if run.Config.Bug != nil {
		title = fmt.Sprintf("negative control %s fails: %s", run.Config.Name, title)
	}
	return FindingKey{title, system, run.Outcome}
}

// addFinding counts a run of a finding.
func (s *Summary) addFinding(run *journal.Entry) {
	key := KeyOf(run, run.Config.System(s.sim(run.Config)))
	i := slices.IndexFunc(s.Findings, func(f Finding) bool { return f.Key() == key })
	if i < 0 {
		i = len(s.Findings)
		known, expired := config.FindKnown(s.known, key.Title, key.System, s.Started, s.tools)
		s.Findings = append(s.Findings, Finding{
			Title: key.Title, Failure: run.Failure.Failure, Outcome: key.Outcome, System: key.System, Known: known, Expired: expired,
			Traced: run.Config.Traced(s.sim(run.Config)),
			First:  run.Number, FirstAt: run.At, Dir: string(run.Dir), Last: run.Number, LastAt: run.At,
		})
	}
	s.Findings[i].add(run)
	if run.Config.Injected() {
		s.shareCounterexample(key.System)
	}
}

// shareCounterexample gives the findings of a system with an injected bug that no exploration
// has by their own title the shortest counterexample of the others: all of them are the bug.
func (s *Summary) shareCounterexample(system string) {
	var shortest *Finding
	for i := range s.Findings {
		f := &s.Findings[i]
		if c := f.Counterexample; f.System == system && c != nil && c.Title == "" && (shortest == nil || c.Steps < shortest.Counterexample.Steps) {
			shortest = f
		}
	}
	if shortest == nil {
		return
	}
	for i := range s.Findings {
		f := &s.Findings[i]
		if f.System == system && f.Outcome != sim.Missed && (f.Counterexample == nil || f.Counterexample.Title != "") {
			f.Counterexample = &Counterexample{Dir: shortest.Counterexample.Dir, Steps: shortest.Counterexample.Steps, Title: shortest.Title}
		}
	}
}

// add counts a run. A campaign records runs by number, but not those of
// shards that were merged.
func (f *Finding) add(entry *journal.Entry) {
	f.Runs++
	if entry.Number < f.First {
		f.First, f.FirstAt, f.Dir = entry.Number, entry.At, string(entry.Dir)
	}
	if entry.Number > f.Last {
		f.Last, f.LastAt = entry.Number, entry.At
	}
	if entry.Alone != nil {
		f.Alone++
		if entry.Alone.Recurs {
			f.Recurred++
		}
	}
	if t := entry.Timing; t != nil {
		if f.Timing == nil {
			f.Timing = new(run.Timing)
		}
		f.Timing.Add(t)
	}
	if d := entry.Drawn; d != nil {
		if f.Runs == 1 || len(d.Conditions) < len(f.Conditions) {
			f.Conditions = d.Conditions
		}
		if f.Runs == 1 {
			f.Needs = slices.Clone(d.Needs)
		}
		f.Needs = slices.DeleteFunc(f.Needs, func(need string) bool { return !slices.Contains(d.Needs, need) })
	}
	k := slices.IndexFunc(f.Configs, func(c ConfigCount) bool { return c.Config == entry.Config.Name })
	if k < 0 {
		k = len(f.Configs)
		f.Configs = append(f.Configs, ConfigCount{Config: entry.Config.Name})
	}
	f.Configs[k].Runs++
	x := entry.Example()
	if n := entry.Counterexample; n > 0 {
		explored := f.Best == nil || f.Explored()
		if c := f.Counterexample; c == nil || entry.Kept && (c.Title != "" || n < c.Steps) {
			f.Counterexample = &Counterexample{Dir: string(entry.Dir), Steps: n}
		}
		if explored {
			f.Best = &Reproducer{Dir: f.Counterexample.Dir, Example: x}
		}
		return
	}
	if f.Best == nil || entry.Kept && (f.Explored() || !f.Best.Reduced && x.Better(&f.Best.Example)) {
		f.Best = &Reproducer{Dir: string(entry.Dir), Example: x}
	}
}

// apart reports whether a finding does not make the campaign fail: a known
// issue, one that needs conditions, and unless the campaign says otherwise one that needs latencies which the
// simulated machine does not have.
func (s *Summary) apart(f *Finding) bool {
	return f.Known != nil || len(f.Conditions) > 0 || f.Timing.Exploring() && !s.anyLatency
}

// Unknown are the findings that make the campaign fail.
func (s *Summary) Unknown() []*Finding {
	var list []*Finding
	for i := range s.Findings {
		if !s.apart(&s.Findings[i]) {
			list = append(list, &s.Findings[i])
		}
	}
	return list
}

// text describes the finding and the commands to type next.
func (f *Finding) text(s *Summary) string {
	var b strings.Builder
	line := func(word, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", word, fmt.Sprintf(format, args...))
	}
	if f.Outcome == sim.Missed && f.Known == nil {
		fmt.Fprintf(&b, "\nfinding: %s (%s)\n", messages.EscapeLine(f.Title), f.Outcome)
		line("runs", "none of %s failed as the injected bug should, in %s", messages.Plural(f.Runs, "run"), f.System)
		if s.Rerun != "" {
			line("show", "%s --run %d", s.Rerun, f.First)
		}
		return b.String()
	}
	what := "finding"
	switch {
	case f.Known != nil:
		what = "known issue"
	case len(f.Conditions) > 0:
		what = "finding with conditions"
	case s.apart(f):
		what = "finding of other latencies"
	}
	fmt.Fprintf(&b, "\n%s: %s (%s, %s)\n", what, messages.EscapeLine(f.Title), f.Outcome, messages.Plural(f.Runs, "run"))
	if about := f.Known.String(); about != "" {
		line("known", "%s", messages.EscapeLine(about))
	}
	if about := f.Expired.String(); about != "" {
		line("expired", "as a known issue: %s", messages.EscapeLine(about))
	}
	line("first", "run %d of seed %d after %s, in %s", f.First, s.Seed, seconds(f.FirstAt), f.Dir)
	if f.Runs > 1 {
		line("last", "run %d after %s", f.Last, seconds(f.LastAt))
	}
	var counts []string
	for _, c := range f.Configs {
		counts = append(counts, fmt.Sprintf("%s %s", c.Config, messages.Comma(c.Runs)))
	}
	line("system", "%s: %s", f.System, strings.Join(counts, ", "))
	if f.Timing != nil {
		line("latency", "%s", f.Timing)
	}
	if len(f.Needs) > 0 {
		line("needs", "%s", strings.Join(f.Needs, ", "))
	}
	if len(f.Conditions) > 0 {
		line("only", "with %s", strings.Join(f.Conditions, ", "))
	}
	if f.Alone > 0 {
		line("alone", "recurs in %d of %s repeated outside their batch", f.Recurred, messages.Plural(f.Alone, "run"))
	}
	if f.Reduction != nil {
		line("reduced", "%s", f.Reduction)
	}
	if c := f.Counterexample; c != nil {
		of := ""
		if c.Title != "" {
			of = " to " + messages.EscapeLine(c.Title)
		}
		line("shortest", "%s%s, %s repro %s", messages.Plural(c.Steps, "step"), of, s.Argv0, messages.QuotedPath(c.Dir))
	}
	if f.Explored() {
		return b.String()
	}
	for _, c := range f.Commands(s.Argv0, f.Best) {
		line(c.Purpose, "%s", c.Line)
	}
	if s.Rerun != "" {
		line("anywhere", "%s --run %d", s.Rerun, f.First)
	}
	return b.String()
}

// AddReduction adds the reduction of the first run of a finding, whose
// directory is dir.
func (s *Summary) AddReduction(dir run.Dir, reduction *run.Reduction) {
	for i := range s.Findings {
		f := &s.Findings[i]
		if run.Dir(f.Dir) != dir || dir == "" {
			continue
		}
		shown := *reduction
		f.Reduction = &shown
		if reduction.Error == "" {
			shown.Dir = filepath.Join(string(dir), filepath.Base(reduction.Dir))
			f.Best = &Reproducer{
				Dir: shown.Dir, Example: journal.Example{Number: f.First, Operations: reduction.After}, Reduced: true,
			}
		}
	}
}

// ReadReductions adds the reductions of findings, as far as they can be read.
func (s *Summary) ReadReductions() {
	for i := range s.Findings {
		reduction := new(run.Reduction)
		if dir := run.Dir(s.Findings[i].Dir); dir != "" && run.ReadJSON(dir.Path(run.ReductionFile), reduction) == nil {
			s.AddReduction(dir, reduction)
		}
	}
}
