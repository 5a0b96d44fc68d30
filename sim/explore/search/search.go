// Package search visits every reachable state of a machine, breadth first.
//
// The search runs in rounds of a fixed number of states. In a round the workers
// expand states in blocks, then look up and insert the successors by segments
// of the set of visited states; new states come into the queue in the order of
// their parents and steps. So the numbers of the states, the counts, the
// counterexamples and what a checkpoint holds are those of one worker, for any
// number of workers; and nothing is locked.
package search

import (
	"context"
	"errors"
	"runtime"
	"time"

	"ordeal/sim"
	"ordeal/sim/explore/machine"
	"ordeal/sim/explore/visited"
)

// Options are the options of a search.
type Options struct {
	// Workers is how many goroutines expand states, 0: one for each processor. More than a few for each are not
	// begun: they would have memory of their own, and nothing to do.
	Workers int
	// Bits is the length of the fingerprints, 64 or 128; 0: 128.
	Bits int
	// MaxStates, MaxDepth and Memory (in bytes) end the search before its end;
	// 0: no limit. They are checked between rounds.
	MaxStates uint64
	MaxDepth  int
	Memory    int64
	// Full reports whether the process may take no more memory, which ends the search as
	// Memory does; nil: it always may. Memory counts what the search knows to take.
	Full func() bool
	// Ignore are properties whose faults are no findings.
	Ignore []machine.Property
	// KeepGoing has the search go on behind a fault, up to one for each title.
	KeepGoing bool
	// Graph has the search keep all edges, for package liveness.
	Graph bool
	// Progress is called between rounds; nil: not at all.
	Progress func(Progress)
	// Checkpoint is called between rounds, for the caller to save the search if
	// it is time; nil: not at all.
	Checkpoint func(*Search) error

	round int // states of a round; 0: as many as the set asks for
	_     struct{}
}

// Limit says why a search ended before it had visited everything.
type Limit string

// The limits.
const (
	NoLimit     Limit = ""
	StateLimit  Limit = "states"
	DepthLimit  Limit = "depth"
	MemoryLimit Limit = "memory"
	TimeLimit   Limit = "time"
	Interrupted Limit = "interrupted"
	FaultLimit  Limit = "fault"
)

// Finding is a fault with the number of the state that it was found in.
type Finding struct {
	machine.Fault
	State uint64
	Depth int // steps from the initial state, that of the fault included
}

// key is the same for findings of which the first is kept.
func (f *Finding) key() string { return f.Property.String() + " " + f.Title() }

// Outcome is an outcome of a program, and the first state that has it.
type Outcome struct {
	Bytes []byte
	State uint64
}

func (o *Outcome) key() string { return "outcome " + string(o.Bytes) }

// Result is what a search has found.
type Result struct {
	// Orbits is the number of states visited, or expanded if the search has
	// not ended, up to symmetry; States counts all members of orbits that have
	// been expanded.
	Orbits, Expanded, States uint64
	Steps                    uint64
	Depth                    int   // of the last level that was begun
	Limit                    Limit // what ended the search; NoLimit: it is complete
	Findings                 []Finding
	Outcomes                 []Outcome
	Coverage                 sim.Coverage
	Levels                   []uint64 // orbits at each depth
	// Digest is a hash of the graph: two complete searches whose states and steps are
	// the same, whatever the machines are, have the same.
	Digest uint64
	// SetBytes and PathBytes are the memory of the fingerprints and of the
	// predecessors, ComponentBytes that of the machine.
	SetBytes, PathBytes, ComponentBytes int64
	OmissionProbability                 float64
	_                                   struct{}
}

// BytesPerState is the memory of a visited state.
func (r *Result) BytesPerState() float64 {
	return float64(r.SetBytes+r.PathBytes) / float64(max(r.Orbits, 1))
}

// Search is a search under way.
type Search struct {
	options Options
	machine machine.Machine
	workers []*worker
	set     *visited.Set
	queue   *queue
	paths   paths
	graph   *Graph // nil unless Options.Graph

	expanded, states, steps uint64
	asked                   uint64 // expanded, when Options.Full was last called
	digest                  uint64
	levelEnd                uint64   // the number of the first state of the next level
	levels                  []uint64 // the numbers of states of all levels but the last
	findings                []Finding
	outcomes                []Outcome
	known                   map[string]bool // titles of findings and bytes of outcomes
	before                  sim.Coverage    // of the search that a checkpoint was made of
	rows                    []uint32
	blocks                  []*block
	groups                  [groups]group
}

// New begins a search at the initial state. Its error is one of the file of
// states to expand.
func New(m machine.Machine, o Options) (*Search, error) {
	s := prepare(m, o)
	initial := m.Initial()
	f := s.set.Truncate(m.Fingerprint(initial))
	s.set.Insert([]machine.Fingerprint{f}, []uint64{0})
	s.paths.add(0, 0)
	s.levelEnd = 1
	return s, s.queue.push(initial)
}

// The workers of a search: at most so many, and so many for each processor if that is more.
const (
	maxWorkers  = 16
	workersEach = 4
)

// prepare makes a search that has visited nothing.
func prepare(m machine.Machine, o Options) *Search {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	o.Workers = min(o.Workers, max(maxWorkers, workersEach*runtime.GOMAXPROCS(0)))
	if o.Bits == 0 {
		o.Bits = 128
	}
	s := &Search{options: o, machine: m, set: visited.New(o.Bits, o.Graph), known: map[string]bool{}}
	for i := range o.Workers {
		w := &worker{machine: m}
		if i > 0 {
			w.machine = m.Fork()
		}
		s.workers = append(s.workers, w)
	}
	s.queue = newQueue(m.Width(), o.Memory/queueShare)
	if o.Graph {
		s.graph = new(Graph)
	}
	return s
}

// queueShare is the inverse of the share of the memory that the queue may have
// before it goes to a file.
const queueShare = 4

// Run searches until everything is visited or a limit is reached; it may be
// called again after a limit. A context that is cancelled or past its deadline
// is a limit, and no error.
func (s *Search) Run(ctx context.Context) (*Result, error) {
	for {
		limit := s.limit(ctx)
		if s.queue.len() == 0 || limit != NoLimit {
			return s.result(limit), nil
		}
		done, err := s.round(ctx)
		if err != nil {
			return nil, err
		}
		if done && s.options.Progress != nil {
			s.options.Progress(s.progress())
		}
		if done && s.options.Checkpoint != nil && s.queue.len() > 0 {
			if err := s.options.Checkpoint(s); err != nil {
				return nil, err
			}
		}
	}
}

// Close removes the file of the queue.
func (s *Search) Close() error { return s.queue.close() }

// limit is the limit that has been reached. What is complete has none.
func (s *Search) limit(ctx context.Context) Limit {
	o := &s.options
	switch {
	case s.queue.len() == 0:
	case len(s.findings) > 0 && !o.KeepGoing:
		return FaultLimit
	case ctx.Err() != nil:
		return LimitOf(ctx)
	case o.MaxStates > 0 && s.visited() >= o.MaxStates, s.graph != nil && s.visited() >= MaxGraph:
		return StateLimit
	case o.MaxDepth > 0 && s.depth() >= o.MaxDepth && s.expanded == s.levelStart():
		return DepthLimit
	case o.Memory > 0 && s.memory() >= o.Memory, s.full():
		return MemoryLimit
	}
	return NoLimit
}

// fullEvery is the number of states between two calls of Options.Full.
const fullEvery = 1 << 12

// full reports whether the process may take no more memory.
func (s *Search) full() bool {
	if s.options.Full == nil || s.expanded < s.asked+fullEvery {
		return false
	}
	s.asked = s.expanded
	return s.options.Full()
}

// LimitOf is the limit that a context which has ended stands for.
func LimitOf(ctx context.Context) Limit {
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return TimeLimit
	}
	return Interrupted
}

// visited is the number of states that have a number.
func (s *Search) visited() uint64 { return s.expanded + uint64(s.queue.len()) }

// depth is the distance of the states that are expanded next.
func (s *Search) depth() int { return len(s.levels) }

// levelStart is the number of the first state of the level under way.
func (s *Search) levelStart() uint64 {
	var n uint64
	for _, l := range s.levels {
		n += l
	}
	return n
}

// memory is the memory that grows with the search.
func (s *Search) memory() int64 {
	n := s.set.Bytes() + s.paths.bytes() + s.queue.memory() + s.machine.Memory()
	if s.graph != nil {
		n += s.graph.bytes()
	}
	for _, b := range s.blocks {
		n += b.bytes()
	}
	return n
}

func (s *Search) result(limit Limit) *Result {
	r := &Result{
		Orbits: s.visited(), Expanded: s.expanded, States: s.states, Steps: s.steps, Depth: s.depth(), Limit: limit, Digest: s.digest,
		Findings: s.findings, Outcomes: s.outcomes,
		Coverage: s.coverage(), Levels: append(append([]uint64(nil), s.levels...), s.levelEnd-s.levelStart()),
		SetBytes: s.set.Bytes(), PathBytes: s.paths.bytes(), ComponentBytes: s.machine.Memory(),
		OmissionProbability: s.set.OmissionProbability(int(s.visited())),
	}
	if s.queue.len() == 0 {
		r.Depth, r.Levels = r.Depth-1, r.Levels[:len(r.Levels)-1]
	}
	return r
}

// coverage adds up the rows that the workers have taken.
func (s *Search) coverage() sim.Coverage {
	all := append(sim.Coverage(nil), s.before...)
	for _, w := range s.workers {
		all.Add(w.machine.Coverage())
	}
	return all
}

// Graph is the graph of a search with Options.Graph.
func (s *Search) Graph() *Graph { return s.graph }

// Progress says how far a search has come.
type Progress struct {
	Orbits, Expanded, States, Steps uint64
	Queue                           int // states still to expand
	Depth                           int
	Memory                          int64
	// Estimate is the number of orbits that the growth of the levels lets
	// expect, 0: none.
	Estimate uint64
	At       time.Time
}

func (s *Search) progress() Progress {
	return Progress{
		Orbits: s.visited(), Expanded: s.expanded, States: s.states, Steps: s.steps, Queue: s.queue.len(), Depth: s.depth(),
		Memory: s.memory(), Estimate: estimate(s.levels), At: time.Now(),
	}
}
