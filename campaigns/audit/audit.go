// Package audit searches a coherence protocol for whatever it can find in a
// budget: random programs on random machines at latencies that explore and at
// those of gem5, critical cycles, evolution of programs, and the exploration of
// small machines take turns, each getting its share of the work.
//
// What is found is a function of the protocol, the seed and the budget of steps. The
// limit of CPU time ends an audit early; what was found until then is the
// beginning of what would have been found.
package audit

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/gen/option"
	"ordeal/sim"
	"ordeal/sim/protocols"
	"ordeal/sim/ruby"
	"ordeal/sim/slicc/mutate"
)

// Engine is a way of searching.
type Engine string

// The engines.
const (
	Sample   Engine = "sample"   // random programs and machines
	Faithful Engine = "faithful" // the same at latencies near gem5's
	Cycles   Engine = "cycles"   // critical cycles and little else
	Guided   Engine = "guided"   // evolution of programs and machines, see package guided
	Explore  Engine = "explore"  // every reachable state of ever larger machines
)

// Engines lists the engines.
func Engines() []Engine { return []Engine{Sample, Faithful, Cycles, Guided, Explore} }

// EngineNames lists the names of the engines.
func EngineNames() []string {
	var list []string
	for _, e := range Engines() {
		list = append(list, string(e))
	}
	return list
}

// ParseEngines reads names of engines; none are the default.
func ParseEngines(names []string) ([]Engine, error) {
	if len(names) == 0 {
		return Engines(), nil
	}
	var list []Engine
	for _, name := range names {
		if !slices.Contains(Engines(), Engine(name)) {
			return nil, option.Faultf("engines", "unknown engine %q%s", name, messages.Hint(name, EngineNames()))
		}
		list = append(list, Engine(name))
	}
	return list, nil
}

// shares are the parts of the work that engines get.
var shares = map[Engine]uint64{Sample: 8, Faithful: 2, Cycles: 1, Guided: 1, Explore: 2}

// Options are those of Run.
type Options struct {
	// SLICC is the root file of the protocol. Protocol names an embedded one
	// instead.
	SLICC, Protocol string
	// Mutant is an edit of it, as mutants are named.
	Mutant string
	Seed   uint64
	// Engines take part; nil: the default.
	Engines []Engine
	// Steps bounds the work: events of simulations and steps of explorations,
	// which take about a microsecond each. 0: no bound.
	Steps uint64
	// CPU bounds the time that Clock measures; 0: no bound.
	CPU time.Duration
	// Dir is where explorations with findings leave their directories; empty:
	// nowhere.
	Dir string
	// Clock is the CPU time that was spent; nil: that of the process.
	Clock func() time.Duration
	// Stop ends the audit when a finding is one that was searched for; it is asked
	// about a new one, and again when a run with fewer conditions shows it. nil:
	// never.
	Stop func(*Finding) bool
	// OnFinding is called with each new finding; nil means no callback.
	OnFinding func(*Finding)
	// OnTurn is called after each turn; nil means no callback.
	OnTurn func(*Report)
	_      struct{}
}

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

// Report is the result of an audit.
type Report struct {
	Version  int    `json:"version"`
	Protocol string `json:"protocol"`
	Source   string `json:"source"`
	Seed     uint64 `json:"seed"`
	// Limit is what ended the audit: steps, cpu, found or interrupted.
	Limit      string        `json:"limit"`
	Engines    []Work        `json:"engines"`
	Operations uint64        `json:"operations"`
	Steps      uint64        `json:"steps"`
	CPU        time.Duration `json:"cpu_ns"`
	Findings   []*Finding    `json:"findings"`
	// Stopped is the finding for which Options.Stop ended the audit.
	Stopped  *Finding     `json:"-"`
	Coverage sim.Coverage `json:"rows"`
	// Repairs are known defects of gem5's files that the protocol has: part of
	// the runs were made without them.
	Repairs []string `json:"repairs,omitempty"`
	// Base is the version of the protocol of which the known defects are; empty: none
	// are listed. See bugs.List.Mark.
	Base string `json:"base,omitempty"`
	_    struct{}
}

// Work is what an engine did.
type Work struct {
	Engine     Engine        `json:"engine"`
	Turns      int           `json:"turns"`
	Runs       int           `json:"runs,omitempty"`
	Operations uint64        `json:"operations,omitempty"`
	States     uint64        `json:"states,omitempty"`
	Steps      uint64        `json:"steps"`
	CPU        time.Duration `json:"cpu_ns"`
	Findings   int           `json:"findings"` // that it found first
	// Complete are the explored machines all of whose states were visited.
	Complete []string `json:"complete,omitempty"`
	// Refused is why the engine cannot work on the protocol.
	Refused string `json:"refused,omitempty"`
}

// Version is the version of reports.
const Version = 1

// The reasons of the end of an audit.
const (
	LimitSteps       = "steps"
	LimitCPU         = "cpu"
	LimitFound       = "found"
	LimitDone        = "done" // every engine has done all it can
	LimitInterrupted = "interrupted"
)

// session is an audit under way.
type session struct {
	o        Options
	report   *Report
	protocol *ruby.Protocol
	repaired *ruby.Protocol // nil: nothing to repair
	sizes    []size
	masked   masked
	began    time.Duration
}

// engine is an engine at work. A turn does some work and returns what it cost in
// steps; done says that nothing is left to do.
type engine interface {
	turn(ctx context.Context, w *Work) (cost uint64, done bool, err error)
}

// Run audits a protocol. A cancelled context ends it like a limit. The error says
// why the protocol cannot be simulated, with file and line.
func Run(ctx context.Context, o Options) (*Report, error) {
	s := &session{o: o, report: &Report{Version: Version, Seed: o.Seed, Findings: []*Finding{}}}
	if s.o.Clock == nil {
		s.o.Clock = ProcessTime
	}
	s.began = s.o.Clock()
	if err := s.load(); err != nil {
		return nil, err
	}
	lanes := s.lanes()
	for s.report.Limit == "" {
		next := least(lanes)
		if next == nil {
			s.report.Limit = LimitDone
			break
		}
		at := s.o.Clock()
		cost, done, err := next.engine.turn(ctx, next.work)
		if err != nil && ctx.Err() == nil {
			return nil, fmt.Errorf("audit %s: %s: %w", s.report.Protocol, next.work.Engine, err)
		}
		next.work.Turns++
		next.work.CPU += s.o.Clock() - at
		next.work.Steps += cost
		next.done = done
		s.report.Steps += cost
		s.report.CPU = s.o.Clock() - s.began
		switch {
		case ctx.Err() != nil:
			s.report.Limit = LimitInterrupted
		case s.report.Stopped != nil:
			s.report.Limit = LimitFound
		case o.Steps > 0 && s.report.Steps >= o.Steps:
			s.report.Limit = LimitSteps
		case o.CPU > 0 && s.report.CPU >= o.CPU:
			s.report.Limit = LimitCPU
		}
		if o.OnTurn != nil {
			o.OnTurn(s.report)
		}
	}
	s.report.setCauses()
	for _, l := range lanes {
		s.report.Engines = append(s.report.Engines, *l.work)
	}
	return s.report, nil
}

// lane is an engine with the share of the work that it gets.
type lane struct {
	engine engine
	work   *Work
	share  uint64
	done   bool
}

func (s *session) lanes() []*lane {
	engines := s.o.Engines
	if engines == nil {
		engines = Engines()
	}
	var list []*lane
	for _, e := range Engines() {
		if !slices.Contains(engines, e) {
			continue
		}
		l := &lane{work: &Work{Engine: e}, share: shares[e]}
		if e == Explore {
			l.engine = newExploration(s)
		} else {
			l.engine = newSimulation(s, e)
		}
		list = append(list, l)
	}
	return list
}

// least is the lane that has had the least work for its share; nil if all are
// done.
func least(lanes []*lane) *lane {
	var next *lane
	for _, l := range lanes {
		if !l.done && (next == nil || l.work.Steps*next.share < next.work.Steps*l.share) {
			next = l
		}
	}
	return next
}

// load compiles the protocol, and once more without its known defects.
func (s *session) load() error {
	m := s.on(config.Machine{})
	o, err := m.Builtin()
	if err != nil {
		return err
	}
	if s.protocol, _, err = o.Coherent(); err != nil {
		return err
	}
	s.report.Protocol, s.report.Source = s.protocol.Name(), s.o.SLICC
	if s.o.SLICC == "" {
		s.report.Source = s.o.Protocol
	} else if s.o.Mutant != "" {
		s.report.Source += " with " + s.o.Mutant // whose names are of the files as they are
	} else if s.report.Repairs, err = defects(s.o.SLICC); err != nil {
		return err
	}
	if len(s.report.Repairs) > 0 {
		o.Repair = true
		if s.repaired, _, err = o.Coherent(); err != nil {
			return errors.Join(errors.New("with known defects repaired"), err)
		}
	}
	s.sizes = sizes(s.protocol, s.repaired != nil)
	return nil
}

// defects lists the known defects of a protocol.
func defects(path string) ([]string, error) {
	tree, err := protocols.LoadFile(path)
	if err != nil {
		return nil, err
	}
	_, list := mutate.Corrected(tree)
	return list, nil
}

// on is a machine with the protocol.
func (s *session) on(m config.Machine) config.Machine {
	m.SLICC, m.Protocol, m.Mutant = s.o.SLICC, s.o.Protocol, s.o.Mutant
	return m
}

// add adds a failure to the findings; it reports whether it is a new one.
func (s *session) add(f *Finding, w *Work) bool {
	if known := s.report.Find(f.Title); known != nil {
		if known.again(f) {
			s.stop(known)
		}
		return false
	}
	f.Count, f.Engine = 1, w.Engine
	f.Operations, f.Steps, f.CPU = s.report.Operations, s.report.Steps, s.o.Clock()-s.began
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
