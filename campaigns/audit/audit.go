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

	"ordeal/campaigns/audit/exploration"
	"ordeal/campaigns/config"
	"ordeal/campaigns/engine"
	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/run"
	"ordeal/gen"
	"ordeal/gen/option"
	"ordeal/sim"
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
	// The protocol, and the description of the machine if there is one; see config.Machine.OfProtocol.
	config.Machine
	Seed uint64
	// Engines take part; nil: the default.
	Engines []Engine
	// Steps bounds the work: events of simulations and steps of explorations,
	// which take about a microsecond each. 0: no bound.
	Steps uint64
	// CPU bounds the time that Clock measures; 0: no bound.
	CPU time.Duration
	// Clock is the CPU time that was spent; nil: that of the process.
	Clock func() time.Duration
	// Title is a pattern of the titles that Stop looks for, for the record.
	Title string
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

// has reports whether an engine takes part.
func (o *Options) has(e Engine) bool { return o.Engines == nil || slices.Contains(o.Engines, e) }

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

// session is an audit in flight.
type session struct {
	o        Options
	report   *Report
	protocol *ruby.Protocol
	repaired *ruby.Protocol // nil: nothing to repair
	sizes    []size
	cores    int // that the description of the machine has; 0: any number
	masked   masked
	lanes    []*lane
	spent    time.Duration // by the clock, up to the last run
	watch    bool          // whether a run may end by the limit of CPU time, of the process

	// Of the turn in progress: whose it is, the runs that are left, and the steps that it took.
	turn *lane
	left int
	cost uint64
}

// searcher is an engine that draws runs.
type searcher interface {
	// runs is how many runs a turn has.
	runs() int
	// draw draws a run; nil if nothing is left to do.
	draw() (attempt, error)
}

// attempt is a run that an engine has drawn.
type attempt interface {
	// run executes it, and looks closer at a failure.
	run(ctx context.Context) (*outcome, error)
	// add takes its outcome in, for the runs to come.
	add(o *outcome, w *Work)
	// restore returns the outcome that an earlier session recorded.
	restore(e *journal.Entry) (*outcome, error)
}

// outcome is the outcome of an attempt.
type outcome struct {
	journal.Drawn
	finding *Finding // nil: nothing failed
	// What is recorded: the run, or the simplest one that fails in its way.
	result   *run.Evaluation
	config   config.Config
	seed     uint64
	program  *gen.Program // nil: nothing was run
	explored *exploration.Explored
}

// Run audits a protocol in memory. A cancelled context ends it like a limit. The error says
// why the protocol cannot be simulated, with file and line.
func Run(ctx context.Context, o Options) (*Report, error) {
	s, err := newSession(o)
	if err != nil {
		return nil, err
	}
	for {
		a, err := s.next()
		if err != nil {
			return nil, err
		}
		if a == nil {
			return s.finish(), nil
		}
		out, err := s.run(ctx, a)
		switch {
		case errors.Is(err, engine.ErrLimit):
		case ctx.Err() != nil:
			s.endTurn()
			s.report.Limit = LimitInterrupted
		case err != nil:
			return nil, err
		default:
			s.add(a, out)
		}
	}
}

func newSession(o Options) (*session, error) {
	s := &session{o: o, report: &Report{Version: Version, Seed: o.Seed, Findings: []*Finding{}}}
	if s.o.Clock == nil {
		s.o.Clock, s.watch = ProcessTime, o.CPU > 0
	}
	s.spent = s.o.Clock()
	if err := s.load(); err != nil {
		return nil, err
	}
	s.newLanes()
	return s, nil
}

// next draws the next run: engines take turns, the one that had the least work for its share is next.
// It returns nil once a limit is reached.
func (s *session) next() (attempt, error) {
	for s.report.Limit == "" {
		if s.turn == nil {
			if s.turn = least(s.lanes); s.turn == nil {
				s.report.Limit = LimitDone
				break
			}
			s.left, s.cost = s.turn.engine.runs(), 0
		}
		if s.left > 0 {
			a, err := s.turn.engine.draw()
			if err != nil {
				return nil, s.fail(err)
			}
			if a != nil {
				s.left--
				return a, nil
			}
			s.turn.done = true
		}
		s.endTurn()
	}
	return nil, nil
}

// fail names what an error is about.
func (s *session) fail(err error) error {
	return fmt.Errorf("audit %s: %s: %w", s.report.Protocol, s.turn.work.Engine, err)
}

// run executes a run and measures its time.
func (s *session) run(ctx context.Context, a attempt) (*outcome, error) {
	bounded, stop := s.bounded(ctx)
	defer stop()
	out, err := a.run(bounded)
	switch {
	case err != nil && errors.Is(context.Cause(bounded), engine.ErrLimit):
		cut := s.o.Clock() - s.spent
		s.turn.work.CPU += cut
		s.report.CPU += cut
		s.endTurn()
		s.report.Limit = LimitCPU
		return nil, engine.ErrLimit
	case err != nil:
		return nil, s.fail(err)
	}
	now := s.o.Clock()
	out.CPU, s.spent = now-s.spent, now
	return out, nil
}

// bounded is a context that ends when a run takes much more CPU time than the limit leaves.
func (s *session) bounded(ctx context.Context) (context.Context, func()) {
	bounded, cancel := context.WithCancelCause(ctx)
	if !s.watch {
		return bounded, func() { cancel(nil) }
	}
	last := s.spent + s.o.CPU + min(time.Second, s.o.CPU/50) - s.report.CPU
	tick := time.NewTicker(100 * time.Millisecond)
	go func() {
		for {
			select {
			case <-bounded.Done():
				return
			case <-tick.C:
				if s.o.Clock() > last {
					cancel(engine.ErrLimit)
				}
			}
		}
	}()
	return bounded, func() { tick.Stop(); cancel(nil) }
}

// add takes in the outcome of a run.
func (s *session) add(a attempt, out *outcome) {
	s.cost += out.Steps
	s.left += out.More
	s.turn.work.CPU += out.CPU
	s.report.CPU += out.CPU
	a.add(out, s.turn.work)
}

// endTurn ends a turn, and the audit if it has reached a limit.
func (s *session) endTurn() {
	w := s.turn.work
	w.Turns++
	w.Steps += s.cost
	s.report.Steps += s.cost
	switch {
	case s.report.Stopped != nil:
		s.report.Limit = LimitFound
	case s.o.Steps > 0 && s.report.Steps >= s.o.Steps:
		s.report.Limit = LimitSteps
	case s.o.CPU > 0 && s.report.CPU >= s.o.CPU:
		s.report.Limit = LimitCPU
	}
	s.turn = nil
	if s.o.OnTurn != nil {
		s.o.OnTurn(s.report)
	}
}

// finish completes the report.
func (s *session) finish() *Report {
	s.report.setCauses()
	s.report.Engines = nil
	for _, l := range s.lanes {
		s.report.Engines = append(s.report.Engines, *l.work)
	}
	return s.report
}

// lane is an engine with the share of the work that it gets.
type lane struct {
	engine searcher
	work   *Work
	share  uint64
	done   bool
}

func (s *session) newLanes() {
	for _, e := range Engines() {
		if !s.o.has(e) {
			continue
		}
		l := &lane{work: &Work{Engine: e}, share: shares[e]}
		if e == Explore {
			l.engine = newExploration(s)
		} else {
			l.engine = newSimulation(s, e)
		}
		s.lanes = append(s.lanes, l)
	}
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
	var system ruby.Options
	if s.protocol, system, err = o.Coherent(); err != nil {
		return err
	}
	if system.Layout != nil {
		s.cores = system.Layout.Cores
	}
	s.report.Protocol, s.report.Source = s.protocol.Name(), s.o.SLICC
	if s.o.SLICC == "" {
		s.report.Source = s.o.Protocol
	} else if s.o.Mutant != "" {
		s.report.Source += " with " + s.o.Mutant // whose names are of the files as they are
	} else {
		tree, err := m.Source().Load()
		if err != nil {
			return err
		}
		_, s.report.Repairs = mutate.Corrected(tree) // known defects
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

// on is a machine with the protocol.
func (s *session) on(m config.Machine) config.Machine {
	m.SLICC, m.Protocol, m.Mutant = s.o.SLICC, s.o.Protocol, s.o.Mutant
	m.Builtins, m.SLICCPath = s.o.Builtins, s.o.SLICCPath
	if m.MachineFile = s.o.MachineFile; s.cores > 0 {
		m.Cores = 0
	}
	return m
}
