package campaigns

import (
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/check"
	"ordeal/sim"
)

// Summary counts what came of a campaign's runs so far.
type Summary struct {
	Campaign string `json:"campaign"`
	Seed     uint64 `json:"seed"`
	// Simulator has a line for each simulator, with what it simulates.
	Simulator string `json:"simulator"`
	Dir       string `json:"dir"`
	// Shard is the part of the campaign that the runs are of.
	Shard Shard `json:"shard,omitzero"`
	// Program is how the command was called, for the commands to type next.
	Program string `json:"-"`
	// Again is Loop.Again.
	Again   string        `json:"-"`
	Started time.Time     `json:"started"`
	Elapsed time.Duration `json:"elapsed_ns"`
	// Planned is the number of runs in the campaign file, or in the shard.
	Planned     int  `json:"planned"`
	Interrupted bool `json:"interrupted"`
	BudgetSpent bool `json:"budget_spent"`
	// Rows count by configuration, in the order of the file.
	Rows []Row `json:"rows"`
	// Findings are grouped by title, in order of first appearance.
	Findings []Finding `json:"findings"`
	// Example is the directory of a run whose history is not SC although
	// the expected model allows it; empty when there is none.
	Example string `json:"example,omitempty"`
	_       struct{}
}

// Row counts the runs of one configuration.
type Row struct {
	Config     string              `json:"config"`
	Expect     string              `json:"expect"`
	Runs       int                 `json:"runs"`
	Operations int                 `json:"operations"`
	Outcomes   map[sim.Outcome]int `json:"outcomes"`
	// Answers counts answers by model, then by answer.
	Answers map[string]map[string]int `json:"answers"`
	// Weak counts runs that TSO allows and SC forbids.
	Weak int `json:"not_sc_but_tso"`
	// Simulated is the time spent in the simulator.
	Simulated time.Duration `json:"simulated_ns"`
	// Judged is the time spent judging, evidence included.
	Judged time.Duration `json:"judged_ns"`
	// Coverage adds up the transitions of the coherence protocol that the runs
	// took; LastNew is the number of the last run to take a new one.
	// Whole says that Coverage lists the whole table.
	Coverage sim.Coverage `json:"coverage,omitempty"`
	Whole    bool         `json:"coverage_is_whole,omitempty"`
	LastNew  int          `json:"last_new_transition,omitempty"`
}

// Finding stands for the runs of one title.
type Finding struct {
	Title   string      `json:"title"`
	Outcome sim.Outcome `json:"outcome"`
	Runs    int         `json:"runs"`
	// Alone counts runs of batches that were made again alone, Recurred those
	// of them that did the same.
	Alone    int `json:"alone,omitempty"`
	Recurred int `json:"recurred,omitempty"`
	// First is the first such run by its number, of seed Seed in the Summary.
	First int    `json:"first"`
	Dir   string `json:"dir"`
}

func newSummary(c *Campaign, dir string) *Summary {
	s := &Summary{Campaign: c.Name, Seed: c.Seed, Dir: dir, Program: "ordeal", Started: time.Now(), Planned: c.Runs()}
	for i := range c.Configs {
		s.Rows = append(s.Rows, newRow(c.Configs[i].Name, c.Configs[i].Expect))
	}
	return s
}

func newRow(name, expect string) Row {
	return Row{Config: name, Expect: expect, Outcomes: make(map[sim.Outcome]int), Answers: make(map[string]map[string]int)}
}

// simulator notes one of the simulators: a line for each of them, with its
// versions.
func (s *Summary) simulator(name, version string) {
	var lines []string
	known := false
	for line := range strings.SplitSeq(s.Simulator, "\n") {
		if versions, ok := strings.CutPrefix(line, name+": "); ok {
			known = true
			if !slices.Contains(strings.Split(versions, "; "), version) {
				line += "; " + version
			}
		}
		if line != "" {
			lines = append(lines, line)
		}
	}
	if !known {
		lines = append(lines, name+": "+version)
	}
	s.Simulator = strings.Join(lines, "\n")
}

// row is the row of a run's configuration.
func (s *Summary) row(run *Run) *Row {
	return &s.Rows[slices.IndexFunc(s.Rows, func(r Row) bool { return r.Config == run.Config.Name })]
}

// cover adds what a run covered, and notes in the run how much of it is new.
// It comes before add.
func (s *Summary) cover(run *Run) {
	if run.Covered == nil {
		return
	}
	r := s.row(run)
	r.Whole = r.Whole || run.Coverage.Whole()
	if run.Covered.New = r.Coverage.Add(run.Coverage); run.Covered.New > 0 {
		r.LastNew = run.Number
	}
}

// add counts a run.
func (s *Summary) add(run *Run) {
	s.row(run).addRun(run)
	if run.Outcome == sim.Passed && run.Kept && run.weak() && s.Example == "" {
		s.Example = string(run.Dir)
	}
	if !run.Finding() {
		return
	}
	i := slices.IndexFunc(s.Findings, func(f Finding) bool { return f.Title == run.Title })
	if i < 0 {
		i = len(s.Findings)
		s.Findings = append(s.Findings, Finding{Title: run.Title, Outcome: run.Outcome, First: run.Number, Dir: string(run.Dir)})
	}
	f := &s.Findings[i]
	if run.Number < f.First { // runs end in any order
		f.First, f.Dir = run.Number, string(run.Dir)
	}
	f.Runs++
	if run.Alone != nil {
		f.Alone++
		if run.Alone.Recurs {
			f.Recurred++
		}
	}
}

func (r *Row) addRun(run *Run) {
	r.Runs++
	r.Operations += run.Operations
	r.Outcomes[run.Outcome]++
	r.Simulated += run.Elapsed
	for _, a := range run.Answers {
		r.count(a.Model, a.Answer, 1)
		r.Judged += a.Search + a.Evidence
	}
	if run.weak() {
		r.Weak++
	}
}

func (r *Row) count(model, answer string, n int) {
	if r.Answers[model] == nil {
		r.Answers[model] = make(map[string]int)
	}
	r.Answers[model][answer] += n
}

// weak reports whether TSO allows the history and SC does not.
func (j *Judgement) weak() bool {
	return j.Answered("tso", check.Allowed) && j.Answered("sc", check.Forbidden)
}

// Total adds the rows up.
func (s *Summary) Total() Row {
	t := newRow("total", "")
	for _, r := range s.Rows {
		t.Runs += r.Runs
		t.Operations += r.Operations
		t.Weak += r.Weak
		t.Simulated += r.Simulated
		t.Judged += r.Judged
		for o, n := range r.Outcomes {
			t.Outcomes[o] += n
		}
		for model, answers := range r.Answers {
			for answer, n := range answers {
				t.count(model, answer, n)
			}
		}
	}
	return t
}

// Exit statuses of the command.
const (
	ExitOK        = 0 // nothing found
	ExitFinding   = 1
	ExitUsage     = 2
	ExitUndecided = 3 // an unknown verdict, or interrupted with nothing found
	ExitInfra     = 4
)

// ExitStatus is what the campaign as a whole says: a finding counts more than
// runs that could not be made, and those more than undecided ones.
func (s *Summary) ExitStatus() int {
	t := s.Total()
	undecided := s.Interrupted
	for _, answers := range t.Answers {
		undecided = undecided || answers[check.Unknown.String()] > 0
	}
	switch {
	case len(s.Findings) > 0:
		return ExitFinding
	case t.Outcomes[sim.Infra] > 0:
		return ExitInfra
	case undecided:
		return ExitUndecided
	}
	return ExitOK
}

// write leaves the summary in the campaign's directory.
func (s *Summary) write() error {
	if err := writeFile(filepath.Join(s.Dir, summaryText), []byte(s.Text()), true); err != nil {
		return err
	}
	return writeJSON(filepath.Join(s.Dir, summaryJSON), s, true)
}
