// Package exploration visits the reachable states of a machine in a directory
// of its own, which has what is explored, what was found, a schedule for each
// counterexample, and a checkpoint of a search that has not come to its end.
package exploration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/run"
	"ordeal/sim"
	"ordeal/sim/explore"
	"ordeal/sim/explore/liveness"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
	"ordeal/sim/ruby"
)

// Version is the version of the files.
const Version = 1

// The files of the directory of an exploration, beside schedules and checkpoints.
const (
	specFile   = "exploration.json"
	resultFile = "explored.json"
)

// ErrNoCheckpoint is the error of resuming what cannot go on.
var ErrNoCheckpoint = errors.New("no checkpoint: the search came to its end, or was too short for one")

// MachineError is the error of a machine that cannot be explored: it contradicts
// itself, or its protocol needs what an encoded state does not have.
type MachineError struct{ Err error }

func (e *MachineError) Error() string { return e.Err.Error() }
func (e *MachineError) Unwrap() error { return e.Err }

// newMachine is explore.New, whose errors are those of the machine.
func newMachine(c explore.Config) (*explore.Machine, error) {
	m, err := explore.New(c)
	if err != nil {
		return nil, &MachineError{err}
	}
	return m, nil
}

// Spec is what defines an exploration; it is written before the search begins.
type Spec struct {
	Version int            `json:"version"`
	Machine config.Machine `json:"machine"`
	Explore config.Explore `json:"explore"`
	// Programs are what the cores run in place of any access at any time.
	Programs []Program         `json:"programs,omitempty"`
	Command  []string          `json:"command"`
	Tools    map[string]string `json:"tools"`
	Started  time.Time         `json:"started"`

	protocol *ruby.Protocol // of the machine, once it is compiled
	_        struct{}
}

// new makes the machine.
func (s *Spec) new() (*explore.Machine, error) {
	c, err := s.config(s.Machine)
	if err != nil {
		return nil, err
	}
	return newMachine(c)
}

// config is what is explored on a machine with the protocol of the Spec, which is
// compiled once.
func (s *Spec) config(on config.Machine) (explore.Config, error) {
	c, err := config.ExploredWith(s.protocol, on, &s.Explore)
	if err == nil {
		s.protocol = c.Protocol
	}
	return c, err
}

// identity is the text that a checkpoint is bound to: everything that the
// states depend on, with the program if the cores run one.
func (s *Spec) identity(p *Program) (string, error) {
	e := s.Explore
	e.KeepGoing, e.MaxStates, e.MaxDepth, e.MaxTime, e.MaxMemory = false, 0, 0, 0, 0
	data, err := json.Marshal([]any{s.Machine, e, s.Tools["slicc"], s.Tools["ordeal"], p})
	return string(data), err
}

// Options are the options of Run that have no influence on what is found.
type Options struct {
	// Dir is the directory; empty: none.
	Dir     string
	Resume  bool // continue from the checkpoint in Dir
	Workers int  // 0: one for each processor
	// Alone says that the process does nothing else, so that limits of memory are limits
	// of all that it takes.
	Alone bool
	// Progress is called between rounds of the search; nil: not at all.
	Progress func(search.Progress)
	_        struct{}
}

// collection is the GC percentage of a search: its memory has hardly any
// pointers, so that a collection costs little.
const collection = 20

// Run explores. Without a directory nothing is written. A cancelled context
// ends the search like a limit.
func Run(ctx context.Context, s *Spec, o Options) (*Result, error) {
	defer debug.SetGCPercent(debug.SetGCPercent(collection))
	began := time.Now()
	ctx, cancel := s.limited(ctx) // making a large machine is part of its time
	defer cancel()
	m, err := s.new()
	if err != nil {
		return nil, err
	}
	if err := s.record(&o); err != nil {
		return nil, err
	}
	active, err := s.begin(m, nil, 0, o)
	if err != nil {
		return nil, err
	}
	defer active.search.Close() // only a file without a name is left, which goes with the process
	found, err := active.search.Run(ctx)
	if err != nil {
		return nil, err
	}
	r := newResult(m, found)
	if err := active.findings(r, found); err != nil {
		return nil, err
	}
	if s.Explore.Liveness != "" && found.Limit == search.NoLimit {
		fairness, err := liveness.ParseFairness(s.Explore.Liveness)
		if err != nil {
			return nil, err
		}
		if err := active.liveness(ctx, r, fairness, s.Explore.KeepGoing); err != nil {
			return nil, err
		}
	}
	r.Elapsed = time.Since(began)
	if o.Dir == "" {
		return r, nil
	}
	return r, active.finish(o.Dir, r)
}

// run is an exploration under way.
type activeSearch struct {
	machine    *explore.Machine
	search     *search.Search
	ignore     []machine.Property // of what is evaluated after the search
	checkpoint *checkpoint        // nil: none
	shown      map[string]bool    // keys of outcomes of the program that are known without the search
}

// record writes what is explored into the directory, if there is one, before the search begins.
func (s *Spec) record(o *Options) error {
	if o.Dir == "" || o.Resume {
		return nil
	}
	s.Version = Version
	return run.WriteJSON(run.Dir(o.Dir).Path(specFile), s, true)
}

// limited is a context that ends with the time of a search.
func (s *Spec) limited(ctx context.Context) (context.Context, context.CancelFunc) {
	if limit := time.Duration(s.Explore.MaxTime); limit > 0 {
		return context.WithTimeout(ctx, limit)
	}
	return ctx, func() {}
}

// begin begins the search of any access at any time, or of the program with an index, or
// continues it from the checkpoint. A program without one is explored from its beginning.
func (s *Spec) begin(m *explore.Machine, p *Program, index int, given Options) (*activeSearch, error) {
	o := searchOptions(&s.Explore, &given)
	o.Graph = s.Explore.Liveness != ""
	r := &activeSearch{machine: m, ignore: o.Ignore}
	var err error
	if given.Dir != "" {
		if r.checkpoint, err = s.newCheckpoint(given.Dir, p, index); err != nil {
			return nil, err
		}
		o.Checkpoint = r.checkpoint.due
	}
	if given.Resume {
		if r.search, err = r.checkpoint.resume(m, o); p == nil || !errors.Is(err, ErrNoCheckpoint) {
			return r, err
		}
	}
	r.search, err = search.New(m, o)
	return r, err
}

// searchOptions are those that an exploration gives the search.
func searchOptions(e *config.Explore, given *Options) search.Options {
	o := search.Options{
		Workers: given.Workers, Progress: given.Progress,
		Bits: e.Fingerprint, MaxStates: e.MaxStates, MaxDepth: e.MaxDepth, Memory: int64(e.MaxMemory), KeepGoing: e.KeepGoing, Ignore: e.Ignored(),
	}
	if o.Memory == 0 {
		o.Memory = run.AvailableMemory()
	}
	if given.Alone {
		o.Full = run.MemoryGuard(o.Memory)
	} else {
		o.Full = run.MemoryGuard(0)
	}
	return o
}

// finish writes the result and the schedules, and the checkpoint of a search
// that may go on.
func (r *activeSearch) finish(dir string, result *Result) error {
	err := errors.Join(writeSchedules(dir, result.Findings), r.checkpoint.finish(r.search, !result.Complete()))
	result.Checkpoint = err == nil && !result.Complete()
	return errors.Join(err, run.WriteJSON(run.Dir(dir).Path(resultFile), result, true))
}

// writeSchedules writes a file for each counterexample.
func writeSchedules(dir string, findings []Finding) error {
	for i := range findings {
		f := &findings[i]
		f.Schedule = fmt.Sprintf("counterexample-%d.txt", i+1)
		if err := run.WriteFile(run.Dir(dir).Path(f.Schedule), f.text(), false); err != nil {
			return err
		}
	}
	return nil
}

// findings takes in what the search has found, with a path for each.
func (r *activeSearch) findings(result *Result, found *search.Result) error {
	for i := range found.Findings {
		f := &found.Findings[i]
		path, err := r.search.Counterexample(f)
		if err != nil {
			return err
		}
		result.Findings = append(result.Findings, newFinding(r.machine, f.Fault, path))
	}
	return nil
}

// liveness looks for requests that need never be answered. A context that ends is a limit.
func (r *activeSearch) liveness(ctx context.Context, result *Result, fairness liveness.Fairness, keepGoing bool) error {
	lassos, err := liveness.Find(ctx, r.search.Graph(), fairness)
	if err != nil {
		result.Limit = search.LimitOf(ctx)
		return nil
	}
	for _, l := range lassos {
		path, err := r.search.Path(l.Start)
		if err != nil {
			return err
		}
		stem := len(path.Steps)
		if err := r.search.Follow(path, l.Cycle); err != nil {
			return err
		}
		fault := machine.Fault{
			Property: machine.Livelock, Step: -1, Failure: sim.Failure{Kind: fmt.Sprintf("request %d need never be answered", l.Request)},
			Detail: fmt.Sprintf("under %s fairness: the last %d steps repeat for ever, in a component of %d states", fairness, len(l.Cycle), l.States),
		}
		f := newFinding(r.machine, fault, path)
		f.Cycle = len(path.Steps) - stem
		result.Findings = append(result.Findings, f)
		if !keepGoing {
			break
		}
	}
	return nil
}

// Read reads what defines the exploration of a directory.
func Read(dir string) (*Spec, error) {
	path := run.Dir(dir).Path(specFile)
	var s Spec
	if err := run.ReadJSON(path, &s); err != nil {
		return nil, err
	}
	if s.Version != Version {
		return nil, fmt.Errorf("read %s: version %d, want %d", path, s.Version, Version)
	}
	return &s, nil
}

// Is reports whether a directory is that of an exploration.
func Is(dir string) bool { return run.Exists(run.Dir(dir).Path(specFile)) }
