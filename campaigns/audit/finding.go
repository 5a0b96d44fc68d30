package audit

import (
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/sim"
)

// Finding is a failure; others with its title were only counted.
type Finding struct {
	// Title names what failed, which Failure is.
	Title   string      `json:"title"`
	Failure sim.Failure `json:"failure"`
	Outcome string      `json:"outcome"`
	Engine  Engine      `json:"engine"` // that found it first
	Detail  string      `json:"detail,omitempty"`
	Count   int         `json:"count"`
	// Operations, Steps and CPU had been spent when it was found.
	Operations uint64        `json:"operations"`
	Steps      uint64        `json:"steps"`
	CPU        time.Duration `json:"cpu_ns"`
	// Machine is what it was found on, with Explore for an exploration.
	Machine config.Machine  `json:"machine"`
	Explore *config.Explore `json:"explore,omitempty"`
	// Path are the steps of an exploration.
	Path []string `json:"path,omitempty"`
	// Program, Rounds and Seed are those of the run.
	Program string `json:"program,omitempty"`
	Rounds  int    `json:"rounds,omitempty"`
	Seed    uint64 `json:"seed,omitempty"`
	// Conditions are what the machine had that gem5's own configurations do not
	// have, and without which no run has shown the finding: it stands apart.
	Conditions []string `json:"conditions,omitempty"`
	// Needs are the features of the run, agents and properties of the machine, without
	// which it did not show the finding; Cause numbers the causes of the findings,
	// from 1.
	Needs []string `json:"needs,omitempty"`
	Cause int      `json:"cause"`
	// Faithful counts which of Tries other seeds failed in the same way at
	// latencies near gem5's.
	Faithful int `json:"faithful"`
	Tries    int `json:"tries"`
	// Known are the defects of Report.Base that have such a title.
	Known []Known `json:"known,omitempty"`
	// Dir is the run directory, where there is one.
	Dir string `json:"dir,omitempty"`
	_   struct{}
}

// Unordered is the condition of a network, or buffers, that keep no order, also where gem5's do.
const Unordered = "a network without any order"

// Known is a listed defect of a protocol, or, without an ID, why a finding is none.
type Known struct {
	ID    string `json:"id,omitempty"`
	About string `json:"about"`
	_     struct{}
}

// found adds a failure to the findings; it reports whether it is a new one.
func (s *session) found(f *Finding, w *Work) bool {
	if known := s.report.Find(f.Title); known != nil {
		if known.again(f) {
			s.stop(known)
		}
		return false
	}
	f.Count, f.Engine = 1, w.Engine
	f.Operations, f.Steps, f.CPU = s.report.Operations, s.report.Steps, s.report.CPU
	w.Findings++
	s.report.Findings = append(s.report.Findings, f)
	if s.o.OnFinding != nil {
		s.o.OnFinding(f)
	}
	s.stop(f)
	return true
}

// stop asks whether a finding ends the audit: when it is new, and when a better
// run shows it.
func (s *session) stop(f *Finding) {
	if s.report.Stopped == nil && s.o.Stop != nil && s.o.Stop(f) {
		s.report.Stopped = f
	}
}

// again counts a finding once more; what needs fewer conditions is better to look
// at and replaces the run, which again reports.
func (f *Finding) again(other *Finding) bool {
	f.Count++
	f.Needs = slices.DeleteFunc(f.Needs, func(need string) bool { return !slices.Contains(other.Needs, need) })
	better := len(other.Conditions) < len(f.Conditions) && f.Explore == nil
	if better {
		f.Machine, f.Explore, f.Path, f.Dir = other.Machine, other.Explore, other.Path, other.Dir
		f.Program, f.Rounds, f.Seed, f.Conditions = other.Program, other.Rounds, other.Seed, other.Conditions
	}
	return better
}

// Unconditional counts the findings without conditions.
func (r *Report) Unconditional() int {
	n := 0
	for _, f := range r.Findings {
		if len(f.Conditions) == 0 {
			n++
		}
	}
	return n
}

// Find is the finding with a title; nil if there is none.
func (r *Report) Find(title string) *Finding {
	if i := slices.IndexFunc(r.Findings, func(f *Finding) bool { return f.Title == title }); i >= 0 {
		return r.Findings[i]
	}
	return nil
}
