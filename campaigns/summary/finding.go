package summary

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/journal"
	"ordeal/campaigns/rundir"
	"ordeal/sim"
)

// Finding stands for the runs with one outcome and title on one system under
// test, or for a canary that no run showed any more.
type Finding struct {
	Title   string      `json:"title"`
	Outcome sim.Outcome `json:"outcome"`
	// System is what was tested: a simulator, with its protocol and planted
	// faults.
	System string `json:"system"`
	Runs   int    `json:"runs"`
	// Alone counts runs of batches that were made again alone, Recurred those
	// of them that did the same.
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
	// Reduction is what came of shrinking the first run; nil where that was
	// not wanted, or has not ended.
	Reduction *rundir.Reduction `json:"reduction,omitempty"`
}

// ConfigCount counts the runs of a configuration.
type ConfigCount struct {
	Config string `json:"config"`
	Runs   int    `json:"runs"`
}

// Reproducer is a run directory that shows a finding.
type Reproducer struct {
	Dir string `json:"dir"`
	// Number is the run, or the one that was reduced.
	Number int `json:"number"`
	// Operations is the length of its program, rounds counted.
	Operations int `json:"operations"`
	// Recurs says that a run of a batch did the same alone.
	Recurs  bool `json:"recurs,omitempty"`
	Reduced bool `json:"reduced,omitempty"`
}

// better compares reproducers: a reduced one is best, then one that is known
// to recur, then a short one, then the first.
func (r *Reproducer) Better(other *Reproducer) bool {
	rank := func(r *Reproducer) int {
		switch {
		case r.Reduced:
			return 0
		case r.Recurs:
			return 1
		}
		return 2
	}
	return cmp.Or(rank(r)-rank(other), r.Operations-other.Operations, r.Number-other.Number) < 0
}

// addFinding counts a run of a finding.
func (s *Summary) addFinding(run *journal.Run) {
	title, system := run.Title, run.Config.System(s.sim(run.Config))
	if run.Config.Bug != nil {
		title = fmt.Sprintf("negative control %s fails: %s", run.Config.Name, title)
	}
	i := slices.IndexFunc(s.Findings, func(f Finding) bool {
		return f.Title == title && f.Outcome == run.Outcome && f.System == system
	})
	if i < 0 {
		i = len(s.Findings)
		s.Findings = append(s.Findings, Finding{
			Title: title, Outcome: run.Outcome, System: system,
			First: run.Number, FirstAt: run.At, Dir: string(run.Dir), Last: run.Number, LastAt: run.At,
		})
	}
	s.Findings[i].add(run)
}

// add counts a run. A campaign records runs by number, but not those of
// shards that were merged.
func (f *Finding) add(run *journal.Run) {
	f.Runs++
	if run.Number < f.First {
		f.First, f.FirstAt, f.Dir = run.Number, run.At, string(run.Dir)
	}
	if run.Number > f.Last {
		f.Last, f.LastAt = run.Number, run.At
	}
	if run.Alone != nil {
		f.Alone++
		if run.Alone.Recurs {
			f.Recurred++
		}
	}
	k := slices.IndexFunc(f.Configs, func(c ConfigCount) bool { return c.Config == run.Config.Name })
	if k < 0 {
		k = len(f.Configs)
		f.Configs = append(f.Configs, ConfigCount{Config: run.Config.Name})
	}
	f.Configs[k].Runs++
	p := &run.Config.Programs
	r := &Reproducer{
		Dir: string(run.Dir), Number: run.Number, Operations: p.Threads * p.Ops * p.Rounds, Recurs: run.Alone != nil && run.Alone.Recurs,
	}
	if f.Best == nil || r.Better(f.Best) {
		f.Best = r
	}
}

// text tells people of the finding.
func (f *Finding) text(s *Summary) string {
	var b strings.Builder
	line := func(word, format string, args ...any) {
		fmt.Fprintf(&b, "  %-8s %s\n", word, fmt.Sprintf(format, args...))
	}
	if f.Outcome == sim.Missed {
		fmt.Fprintf(&b, "\nfinding: %s (%s)\n", f.Title, f.Outcome)
		line("runs", "none of %s failed as the planted fault should, in %s", messages.Plural(f.Runs, "run"), f.System)
		if s.Again != "" {
			line("look", "%s --run %d", s.Again, f.First)
		}
		return b.String()
	}
	fmt.Fprintf(&b, "\nfinding: %s (%s, %s)\n", f.Title, f.Outcome, messages.Plural(f.Runs, "run"))
	line("first", "run %d of seed %d after %s, in %s", f.First, s.Seed, seconds(f.FirstAt), f.Dir)
	if f.Runs > 1 {
		line("last", "run %d after %s", f.Last, seconds(f.LastAt))
	}
	var counts []string
	for _, c := range f.Configs {
		counts = append(counts, fmt.Sprintf("%s %s", c.Config, messages.Comma(c.Runs)))
	}
	line("where", "%s: %s", f.System, strings.Join(counts, ", "))
	if f.Alone > 0 {
		line("alone", "recurs in %d of %s made again outside their batch", f.Recurred, messages.Plural(f.Alone, "run"))
	}
	if f.Reduction != nil {
		line("reduced", "%s", f.Reduction)
	}
	line("look", "%s check --explain %s", s.Program, f.Best.Dir)
	if !f.Best.Reduced {
		line("shrink", "%s reduce %s", s.Program, f.Best.Dir)
	}
	line("repeat", "%s repro %s", s.Program, f.Best.Dir)
	if s.Again != "" {
		line("anywhere", "%s --run %d", s.Again, f.First)
	}
	return b.String()
}

// findingKey is what makes two runs the same finding.
type FindingKey struct {
	title, system string
	outcome       sim.Outcome
}

// Key is what makes two runs the same finding.
func (f *Finding) Key() FindingKey { return FindingKey{f.Title, f.System, f.Outcome} }

// reduced notes what came of the reduction of the first run of a finding.
func (s *Summary) Reduced(dir rundir.Dir, came *rundir.Reduction) {
	for i := range s.Findings {
		f := &s.Findings[i]
		if rundir.Dir(f.Dir) != dir || dir == "" {
			continue
		}
		shown := *came
		f.Reduction = &shown
		if came.Error == "" {
			shown.Dir = filepath.Join(string(dir), filepath.Base(came.Dir))
			f.Best = &Reproducer{Dir: shown.Dir, Number: f.First, Operations: came.After, Reduced: true}
		}
	}
}

// reductions reads what came of the reductions of findings. One that cannot be
// read is none.
func (s *Summary) Reductions() {
	for i := range s.Findings {
		came := new(rundir.Reduction)
		if dir := rundir.Dir(s.Findings[i].Dir); dir != "" && rundir.ReadJSON(dir.Path(rundir.ReductionFile), came) == nil {
			s.Reduced(dir, came)
		}
	}
}
