package parse

import (
	"errors"
	"fmt"
	"slices"

	"ordeal/gen"
	"ordeal/gen/faults"
	"ordeal/parse/formats/events"
)

// ErrNoSteps says that a log does not have the steps of its run.
var ErrNoSteps = errors.New("the log has no order of commits")

// Execution rebuilds from a native log that has the steps of a run (see
// wire.Steps) the execution under TSO that the run was: the issues and
// commits of all stores, the loads, fences and read-modify-writes, with the
// transactions of the program, of every round.
//
// The commits keep their order. A load may have returned an older value than
// memory held when its step was recorded, since it performed before; it is placed
// as late as its value permits, and with it what precedes it in its thread,
// but for commits. The execution has been run again on a machine with store
// buffers, and every read returned there what it returned in the log. An error
// that wraps ErrNoSteps or ErrPartial is about the log's extent; any other one
// says that the log is no log of p, or that the steps are none of TSO.
func Execution(p *gen.Program, rounds int, log []byte) (*events.Sequence, error) {
	if err := p.ValidateRounds(rounds); err != nil {
		return nil, fmt.Errorf("parse steps: %w", err)
	}
	var f faults.List
	fs := splitFrames(p, rounds, log, &f)
	switch {
	case f.Count() > 0:
		return nil, fmt.Errorf("parse steps: %w", f.Err())
	case fs.torn != nil:
		return nil, fmt.Errorf("parse steps: %w: %w", ErrPartial, fs.torn)
	case fs.steps == nil:
		return nil, fmt.Errorf("parse steps: %w", ErrNoSteps)
	}
	s := &stepper{p: p, rounds: rounds, frames: fs}
	if err := s.collect(); err != nil {
		return nil, fmt.Errorf("parse steps: %w", err)
	}
	if err := s.place(); err != nil {
		return nil, fmt.Errorf("parse steps: %w", err)
	}
	x, err := s.build()
	if err != nil {
		return nil, fmt.Errorf("parse steps: %w", err)
	}
	return x, nil
}

// performed is an operation of a thread as it was executed.
type performed struct {
	op    gen.Op
	tx    int32     // number of its transaction in its thread
	value gen.Value // that a read returned
	write gen.Value // that a write wrote
	// at is the number of writes of memory before it, of a store before its
	// issue; commit is the number of writes before the store's commit, or of
	// an update before itself.
	at, commit int32
	step       int32 // in the log
}

type stepper struct {
	p       *gen.Program
	rounds  int
	frames  *frames
	threads [][]performed
	order   []int32 // the thread of each write of memory, in order
	// versions are the writes of each location, in order.
	versions [][]version
	index    []map[gen.Value]int32 // of values among versions
}

// version is a value of a location, held from the given write of memory on.
type version struct {
	from  int32
	value gen.Value
}

// collect runs through the steps and counts the writes of memory before each.
func (s *stepper) collect() error {
	s.threads = make([][]performed, len(s.p.Threads))
	for t := range s.p.Threads {
		if err := s.expand(t); err != nil {
			return err
		}
	}
	s.versions = make([][]version, len(s.p.Locations))
	next, committed := make([]int, len(s.threads)), make([]int, len(s.threads))
	for i := range s.frames.steps.Len() {
		w := s.frames.steps.At(i)
		t := int(w / 2)
		if w/2 >= gen.Value(len(s.threads)) {
			return fmt.Errorf("step %d: thread %d of %d", i, w/2, len(s.threads))
		}
		ops := s.threads[t]
		if w%2 == 0 {
			if next[t] == len(ops) {
				return fmt.Errorf("step %d: thread %d has no operation left", i, t)
			}
			op := &ops[next[t]]
			next[t]++
			op.at, op.step = int32(len(s.order)), int32(i)
			if op.op.Kind.Reads() && op.op.Kind.Writes() {
				s.write(t, op)
			}
			continue
		}
		k := committed[t]
		for k < next[t] && ops[k].op.Kind != gen.Store {
			k++
		}
		if k == next[t] {
			return fmt.Errorf("step %d: thread %d commits without a buffered store", i, t)
		}
		committed[t] = k + 1
		s.write(t, &ops[k])
	}
	for t, ops := range s.threads {
		if next[t] < len(ops) {
			return fmt.Errorf("thread %d: %d steps of %d operations", t, next[t], len(ops))
		}
		for k := committed[t]; k < len(ops); k++ {
			if ops[k].op.Kind == gen.Store {
				return fmt.Errorf("thread %d: %s is never committed", t, s.p.OpText(ops[k].op))
			}
		}
	}
	return nil
}

func (s *stepper) write(t int, op *performed) {
	op.commit = int32(len(s.order))
	s.order = append(s.order, int32(t))
	s.versions[op.op.Loc] = append(s.versions[op.op.Loc], version{op.commit + 1, op.write})
}

// expand lists the operations of a thread in all rounds, with their values.
func (s *stepper) expand(t int) error {
	values := s.frames.threads[t]
	if want := s.rounds * s.p.Reads(gen.ThreadID(t)); values.Len() != want {
		return fmt.Errorf("%w: thread %d: %d values of %d", ErrPartial, t, values.Len(), want)
	}
	number := int32(0)
	reads := 0
	for round := range s.rounds {
		list := s.p.TransactionsOf(gen.ThreadID(t))
		inside := false
		for i, op := range s.p.Threads[t] {
			if len(list) > 0 && int(list[0].End) <= i {
				list, inside = list[1:], false
			}
			if op.Kind == gen.Delay {
				continue
			}
			if member := len(list) > 0 && int(list[0].First) <= i; !member || !inside {
				number++
				inside = member
			}
			done := performed{op: op, tx: number}
			if op.Kind.Reads() {
				done.value = values.At(reads)
				reads++
			}
			switch op.Kind {
			case gen.Store, gen.Exchange:
				done.write = gen.Value(round)*s.p.Stride() + op.Value
			case gen.FetchAdd:
				done.write = done.value + op.Value*gen.AddUnit
			}
			s.threads[t] = append(s.threads[t], done)
		}
	}
	return nil
}

// place moves loads back to where memory or the store buffer had their values.
func (s *stepper) place() error {
	for t, ops := range s.threads {
		latest := int32(len(s.order))
		for k, op := range slices.Backward(ops) {
			ops[k].at = min(op.at, latest)
			switch op.op.Kind {
			case gen.Store:
				ops[k].at = min(ops[k].at, op.commit)
			case gen.Load:
				ops[k].at = min(ops[k].at, s.until(op.op.Loc, op.value))
				if ops[k].at < 0 {
					return fmt.Errorf("thread %d: %s returned %d, which is never written", t, s.p.OpText(op.op), op.value)
				}
			}
			latest = ops[k].at
		}
	}
	return nil
}

// until is the last moment at which a location held a value, as the number of
// writes of memory before; -1 if it never did.
func (s *stepper) until(loc gen.LocID, value gen.Value) int32 {
	versions := s.versions[loc]
	if value == 0 {
		if len(versions) == 0 {
			return int32(len(s.order))
		}
		return versions[0].from - 1
	}
	i := s.find(loc, value)
	switch {
	case i < 0:
		return -1
	case i+1 == len(versions):
		return int32(len(s.order))
	default:
		return versions[i+1].from - 1
	}
}

// find is the index of a value among the versions of a location, -1 if it is
// not there.
func (s *stepper) find(loc gen.LocID, value gen.Value) int {
	if s.index == nil {
		s.index = make([]map[gen.Value]int32, len(s.versions))
	}
	if s.index[loc] == nil {
		s.index[loc] = make(map[gen.Value]int32, len(s.versions[loc]))
		for i, v := range s.versions[loc] {
			s.index[loc][v.value] = int32(i)
		}
	}
	if i, ok := s.index[loc][value]; ok {
		return int(i)
	}
	return -1
}

// build makes the sequence, and runs it on a machine with store buffers.
func (s *stepper) build() (*events.Sequence, error) {
	var names []string
	for t := range s.threads {
		names = append(names, fmt.Sprint(t))
	}
	m := machine{
		s: s, b: events.NewBuilder(true, names, s.p.Locations), memory: make([]gen.Value, len(s.p.Locations)),
		buffers: make([][]int, len(s.threads)), next: make([]int, len(s.threads)), tx: make([]int32, len(s.threads)),
	}
	m.b.Grow(s.frames.steps.Len())
	for w := range int32(len(s.order) + 1) {
		for t := m.first(w); t >= 0; t = m.first(w) {
			if err := m.step(t); err != nil {
				return nil, err
			}
		}
		if int(w) == len(s.order) {
			break
		}
		if err := m.write(int(s.order[w]), w); err != nil {
			return nil, err
		}
	}
	return m.b.Sequence(), nil
}
