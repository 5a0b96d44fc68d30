package summary

import (
	"cmp"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/check"
	"ordeal/sim"
)

// Summary counts the results of a campaign's runs so far.
type Summary struct {
	Campaign string `json:"campaign"`
	Seed     uint64 `json:"seed"`
	// Simulator has a line for each simulator, with what it simulates.
	Simulator string `json:"simulator"`
	Dir       string `json:"dir"`
	// Shard is the part of the campaign that the runs are of.
	Shard config.Shard `json:"shard,omitzero"`
	// Argv0 is how the command was called, for the commands to type next; Rerun
	// is the command that repeats a run of the campaign file, without the
	// number, and empty if there is no file.
	Argv0   string        `json:"-"`
	Rerun   string        `json:"-"`
	Started time.Time     `json:"started"`
	Elapsed time.Duration `json:"elapsed_ns"`
	// Recorded is when the last run was recorded: what follows until Elapsed is
	// for reductions and for runs that were given up.
	Recorded time.Duration `json:"recorded_ns"`
	// Planned is the number of runs in the campaign file, or in the shard.
	Planned     int  `json:"planned"`
	Interrupted bool `json:"interrupted"`
	BudgetSpent bool `json:"budget_spent"`
	// Stopped says which condition of Campaign.Stop ended the campaign, and at
	// which run; empty where none did.
	Stopped string `json:"stopped,omitempty"`
	// Rows count by configuration, in the order of the file.
	Rows []Row `json:"rows"`
	// Findings are grouped by outcome, title and system under test, in order
	// of first appearance.
	Findings []Finding `json:"findings"`
	// InfraErrors are the first runs of the campaign that could not be executed
	// or checked, at most InfraErrorsListed; the rows count all by their outcome.
	InfraErrors []InfraError `json:"infra_errors,omitempty"`
	// Damaged are the first failed runs whose files have become corrupt, at most
	// InfraErrorsListed, with the reason as the title.
	Damaged []InfraError `json:"damaged,omitempty"`
	// Example is the directory of the first run that is kept whose history is
	// not SC although the expected model allows it; empty when there is none.
	Example string `json:"example,omitempty"`
	example int    // the number of that run
	stop    config.Stop
	known   []config.Known
	tools   map[string]string
	// anyLatency is that of the campaign.
	anyLatency bool
	sims       map[string]string // by configuration
	systems    map[string]string // likewise
	explored   map[string]bool   // configurations of which all states were visited
	// exploredAnswers counts answers of explorations, which have no evidence.
	exploredAnswers int
	_               struct{}
}

// InfraError is a run that could not be executed or checked.
type InfraError struct {
	Number int    `json:"number"`
	Config string `json:"config"`
	Title  string `json:"title"`
	// Dir is the run's directory in quarantine.
	Dir string `json:"dir"`
}

// InfraErrorsListed bounds Summary.InfraErrors.
const InfraErrorsListed = 20

// Row counts the runs of one configuration.
type Row struct {
	Config string `json:"config"`
	Expect string `json:"expect"`
	// Planned is the number of runs in the campaign file, Runs that of those
	// that are recorded.
	Planned    int                 `json:"planned"`
	Runs       int                 `json:"runs"`
	Operations int                 `json:"operations"`
	Outcomes   map[sim.Outcome]int `json:"outcomes"`
	// Answers counts answers by model, then by answer.
	Answers map[string]map[string]int `json:"answers"`
	// Weak counts runs that TSO allows and SC forbids.
	Weak int `json:"not_sc_but_tso"`
	// Simulated is the time spent in the simulator.
	Simulated time.Duration `json:"simulated_ns"`
	// Checked is the time spent checking, evidence included.
	Checked time.Duration `json:"checked_ns"`
	// Coverage adds up the transitions of the coherence protocol that the runs
	// took; LastNew is the number of the last run to take a new one.
	// Whole says that Coverage lists the whole table.
	Coverage sim.Coverage `json:"coverage,omitempty"`
	Whole    bool         `json:"coverage_is_whole,omitempty"`
	LastNew  int          `json:"last_new_transition,omitempty"`
	// Unreachable are those of Coverage that no run took and that the explorations
	// of the campaign on the same system proved unreachable on their machines.
	Unreachable []sim.Transition `json:"unreachable,omitempty"`
	// Canary is nil unless a bug is injected.
	Canary *Canary `json:"canary,omitempty"`
}

// New is the summary of a shard of which no run has ended.
func New(c *config.Campaign, dir string, shard config.Shard, started time.Time) *Summary {
	s := &Summary{
		Campaign: c.Name, Seed: c.Seed, Dir: dir, Argv0: "ordeal", Started: started, Shard: shard,
		stop: c.Stop, known: c.Known, anyLatency: c.AnyLatency, sims: make(map[string]string), systems: make(map[string]string), explored: make(map[string]bool),
	}
	for _, has := range shard.Has(c) {
		if has {
			s.Planned++
		}
	}
	planned := c.Planned()
	for i := range c.Configs {
		cfg := &c.Configs[i]
		row := newRow(cfg.Name, cfg.Expect)
		row.Planned, row.Canary = planned[i], newCanary(cfg)
		s.systems[cfg.Name] = cfg.System(c.SimOf(cfg))
		s.Rows = append(s.Rows, row)
		s.sims[cfg.Name] = c.SimOf(cfg)
	}
	return s
}

func newRow(name, expect string) Row {
	return Row{Config: name, Expect: expect, Outcomes: make(map[sim.Outcome]int), Answers: make(map[string]map[string]int)}
}

// UseTools sets the versions of the tools, for known issues of some versions.
func (s *Summary) UseTools(tools map[string]string) { s.tools = tools }

// AddSimulator adds a version of a simulator. Each simulator has a line.
func (s *Summary) AddSimulator(name, version string) {
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

// Spent is the time that the runs took, without the reductions after the last
// one: what rates are of. It is at least a nanosecond.
func (s *Summary) Spent() time.Duration { return max(cmp.Or(s.Recorded, s.Elapsed), 1) }

// row is the row of a run's configuration.
func (s *Summary) row(run *journal.Entry) *Row {
	return &s.Rows[slices.IndexFunc(s.Rows, func(r Row) bool { return r.Config == run.Config.Name })]
}

// sim is the simulator of a configuration.
func (s *Summary) sim(c *config.Config) string { return s.sims[c.Name] }

// Add counts a run.
func (s *Summary) Add(run *journal.Entry) {
	row := s.row(run)
	row.addRun(run)
	s.Recorded = max(s.Recorded, run.At)
	if x := run.Config.Explore; x != nil && !x.OutcomesOnly && run.Outcome == sim.Passed && !run.Undecided() {
		s.explored[row.Config] = true
	}
	if run.Config.Explore != nil && !run.Undecided() {
		s.exploredAnswers += len(run.Answers)
	}
	if s.explored[row.Config] || row.LastNew == run.Number {
		s.proveUnreachable(s.systems[row.Config])
	}
	if run.Outcome == sim.Passed && run.Kept && run.Weak() && run.Config.Bug == nil && (s.Example == "" || run.Number < s.example) {
		s.Example, s.example = string(run.Dir), run.Number
	}
	if run.Outcome == sim.Infra && len(s.InfraErrors) < InfraErrorsListed {
		title := run.Title
		if _, before, ok := strings.Cut(run.Detail, "\nbefore that: "); ok { // a finding that could not be written
			title += ", before that: " + before
		}
		s.InfraErrors = append(s.InfraErrors, InfraError{run.Number, run.Config.Name, title, string(run.Dir)})
	}
	if run.Damaged != "" && len(s.Damaged) < InfraErrorsListed {
		s.Damaged = append(s.Damaged, InfraError{run.Number, run.Config.Name, run.Damaged, string(run.Dir)})
	}
	if row.Canary != nil {
		s.addCanary(run, row)
	}
	if run.Finding() {
		s.addFinding(run)
	}
	if s.Stopped == "" {
		s.Stopped = s.stopCondition(run.Number)
	}
}

func (r *Row) addRun(run *journal.Entry) {
	r.Runs++
	r.Operations += run.Operations
	r.Outcomes[run.Outcome]++
	r.Simulated += run.Elapsed
	if run.Covered != nil {
		r.Whole = r.Whole || run.Covered.Total > 0
		if r.Coverage.Add(run.Coverage) > 0 {
			r.LastNew = run.Number
		}
	}
	for _, a := range run.Answers {
		r.count(a.Model, a.Answer, 1)
		r.Checked += a.Search + a.Evidence
	}
	if run.Weak() {
		r.Weak++
	}
}

func (r *Row) count(model, answer string, n int) {
	if r.Answers[model] == nil {
		r.Answers[model] = make(map[string]int)
	}
	r.Answers[model][answer] += n
}

// Total adds the rows up, those of canaries included.
func (s *Summary) Total() Row { return s.total(func(*Row) bool { return true }) }

// Tested adds up the rows in which no bug is injected.
func (s *Summary) Tested() Row { return s.total(func(r *Row) bool { return r.Canary == nil }) }

func (s *Summary) total(of func(*Row) bool) Row {
	t := newRow("total", "")
	for i := range s.Rows {
		r := &s.Rows[i]
		if !of(r) {
			continue
		}
		t.Planned += r.Planned
		t.Runs += r.Runs
		t.Operations += r.Operations
		t.Weak += r.Weak
		t.Simulated += r.Simulated
		t.Checked += r.Checked
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

// ExitNames are the exit statuses in a word or two, by status.
var ExitNames = [...]string{
	ExitOK: "nothing found", ExitFinding: "a finding", ExitUsage: "usage", ExitUndecided: "undecided", ExitInfra: "infrastructure",
}

// ExitHelp lists the exit statuses in a sentence.
func ExitHelp() string {
	var list []string
	for status, name := range ExitNames {
		list = append(list, fmt.Sprintf("%d %s", status, name))
	}
	return "Exit status: " + strings.Join(list, ", ") + "."
}

// ExitStatus is that of the whole campaign: a finding takes precedence over runs
// that could not be executed, and these over undecided ones.
func (s *Summary) ExitStatus() int {
	t := s.Total()
	undecided := s.Interrupted || len(s.undecided()) > 0
	for _, answers := range t.Answers {
		undecided = undecided || answers[check.Unknown.String()] > 0
	}
	switch {
	case len(s.Unknown()) > 0:
		return ExitFinding
	case t.Outcomes[sim.Infra] > 0:
		return ExitInfra
	case undecided:
		return ExitUndecided
	}
	return ExitOK
}

// Write writes the summary to the campaign's directory.
func (s *Summary) Write() error {
	if err := run.WriteChanged(filepath.Join(s.Dir, journal.SummaryText), []byte(messages.Escape(s.Text())), true); err != nil {
		return err
	}
	return run.WriteChangedJSON(filepath.Join(s.Dir, journal.SummaryJSON), s)
}
