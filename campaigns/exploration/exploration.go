// Package exploration visits the reachable states of a machine in a directory
// of its own, which has what is explored, what was found, a schedule for each
// counterexample, and a checkpoint of a search that has not come to its end.
package exploration

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime/debug"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/execute"
	"ordeal/campaigns/rundir"
	"ordeal/sim/builtin/ruby"
	"ordeal/sim/explore"
	"ordeal/sim/explore/liveness"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/search"
)

// Version is the version of the files.
const Version = 1

// The files of the directory of an exploration.
const (
	specFile       = "exploration.json"
	resultFile     = "explored.json"
	checkpointFile = "checkpoint"
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
// states depend on.
func (s *Spec) identity() (string, error) {
	e := s.Explore
	e.KeepGoing, e.MaxStates, e.MaxDepth, e.MaxTime, e.MaxMemory = false, 0, 0, 0, 0
	data, err := json.Marshal([]any{s.Machine, e, s.Tools["slicc"], s.Tools["ordeal"]})
	return string(data), err
}

// Options are the options of Run that have no influence on what is found.
type Options struct {
	// Dir is the directory; empty: none.
	Dir     string
	Resume  bool // continue from the checkpoint in Dir
	Workers int  // 0: one for each processor
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
	m, err := s.new()
	if err != nil {
		return nil, err
	}
	if o.Dir != "" && !o.Resume {
		s.Version = Version
		if err := rundir.WriteJSON(rundir.Dir(o.Dir).Path(specFile), s, true); err != nil {
			return nil, err
		}
	}
	run, err := start(s, m, o)
	if err != nil {
		return nil, err
	}
	defer run.search.Close() // only a file without a name is left, which goes with the process
	if limit := time.Duration(s.Explore.MaxTime); limit > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, limit)
		defer cancel()
	}
	found, err := run.search.Run(ctx)
	if err != nil {
		return nil, err
	}
	r := newResult(m, found)
	if err := run.findings(r, found); err != nil {
		return nil, err
	}
	if s.Explore.Liveness != "" && found.Limit == search.NoLimit {
		fairness, err := liveness.ParseFairness(s.Explore.Liveness)
		if err != nil {
			return nil, err
		}
		if err := run.liveness(r, fairness, s.Explore.KeepGoing); err != nil {
			return nil, err
		}
	}
	r.Elapsed = time.Since(began)
	if o.Dir == "" {
		return r, nil
	}
	return r, run.finish(r)
}

// run is an exploration under way.
type run struct {
	spec     *Spec
	options  Options
	machine  machine.Machine
	search   *search.Search
	ignore   []machine.Property // of what is evaluated after the search
	identity string
	saved    time.Time     // the end of the last checkpoint, or the beginning
	took     time.Duration // to write it
}

// start begins the search, or continues it from the checkpoint.
func start(s *Spec, m machine.Machine, o Options) (*run, error) {
	identity, err := s.identity()
	if err != nil {
		return nil, err
	}
	e := &s.Explore
	r := &run{spec: s, options: o, machine: m, identity: identity, saved: time.Now()}
	so := searchOptions(e)
	so.Workers, so.Graph, so.Progress = o.Workers, e.Liveness != "", o.Progress
	if so.Memory == 0 {
		so.Memory = execute.AvailableMemory()
	}
	if o.Dir != "" && !so.Graph {
		so.Checkpoint = r.checkpoint
	}
	if !o.Resume {
		r.search, err = search.New(m, so)
		return r, err
	}
	f, err := rundir.Open(rundir.Dir(o.Dir).Path(checkpointFile))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("resume %s: %w", o.Dir, ErrNoCheckpoint)
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if r.search, err = search.Resume(f, m, identity, so); err != nil {
		return nil, fmt.Errorf("resume %s: %w", o.Dir, err)
	}
	return r, nil
}

// searchOptions are those that an exploration gives the search.
func searchOptions(e *config.Explore) search.Options {
	return search.Options{
		Bits: e.Fingerprint, MaxStates: e.MaxStates, MaxDepth: e.MaxDepth, Memory: int64(e.MaxMemory), KeepGoing: e.KeepGoing, Ignore: e.Ignored(),
	}
}

// A checkpoint is due after checkpointEvery, and when what it takes is a small
// share of the time since the last one.
const (
	checkpointEvery = 2 * time.Minute
	checkpointShare = 20
)

func (r *run) checkpoint(*search.Search) error {
	if since := time.Since(r.saved); since < checkpointEvery || since < checkpointShare*r.took {
		return nil
	}
	return r.save()
}

// save writes the checkpoint: as a whole, or the last one stays.
func (r *run) save() error {
	began := time.Now()
	path := rundir.Dir(r.options.Dir).Path(checkpointFile)
	f, err := rundir.CreateOutput(path, rundir.Plain)
	if err != nil {
		return err
	}
	if err := r.search.Save(f, r.identity); err != nil {
		return errors.Join(fmt.Errorf("write %s: %w", path, err), f.Discard())
	}
	if err := f.Close(); err != nil {
		return err
	}
	r.saved = time.Now()
	r.took = r.saved.Sub(began)
	return nil
}

// finish writes the result and the schedules, and the checkpoint of a search
// that may go on.
func (r *run) finish(result *Result) error {
	dir := rundir.Dir(r.options.Dir)
	if err := writeSchedules(r.options.Dir, result.Findings); err != nil {
		return err
	}
	switch {
	case result.Limit == search.NoLimit:
		if err := rundir.Remove(dir.Path(checkpointFile)); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	case r.spec.Explore.Liveness == "":
		if err := r.save(); err != nil {
			return err
		}
		result.Checkpoint = true
	}
	return rundir.WriteJSON(dir.Path(resultFile), result, true)
}

// writeSchedules writes a file for each counterexample.
func writeSchedules(dir string, findings []Finding) error {
	for i := range findings {
		f := &findings[i]
		f.Schedule = fmt.Sprintf("counterexample-%d.txt", i+1)
		if err := rundir.WriteFile(rundir.Dir(dir).Path(f.Schedule), f.text(), false); err != nil {
			return err
		}
	}
	return nil
}

// findings takes in what the search has found, with a path for each.
func (r *run) findings(result *Result, found *search.Result) error {
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

// liveness looks for requests that need never be answered.
func (r *run) liveness(result *Result, fairness liveness.Fairness, keepGoing bool) error {
	for _, l := range liveness.Find(r.search.Graph(), fairness) {
		path, err := r.search.Path(l.Start)
		if err != nil {
			return err
		}
		stem := len(path.Steps)
		if err := r.search.Follow(path, l.Cycle); err != nil {
			return err
		}
		fault := machine.Fault{
			Property: machine.Livelock, Title: fmt.Sprintf("request %d need never be answered", l.Request), Step: -1,
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
	path := rundir.Dir(dir).Path(specFile)
	data, err := rundir.ReadFile(path)
	if err != nil {
		return nil, err
	}
	var s Spec
	if err := json.Unmarshal(data, &s); err != nil {
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	if s.Version != Version {
		return nil, fmt.Errorf("read %s: version %d, want %d", path, s.Version, Version)
	}
	return &s, nil
}

// Is reports whether a directory is that of an exploration.
func Is(dir string) bool { return rundir.Exists(rundir.Dir(dir).Path(specFile)) }
