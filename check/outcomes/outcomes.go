// Package outcomes enumerates what one round of a small program may do under
// SC, TSO and PSO, by exploring every step of an operational machine: memory
// and, for each thread, a store buffer (Owens, Sarkar and Sewell, TPHOLs 2009;
// the SPARC Architecture Manual V8, 1992, App. K); and under Armv8 and RVWMO, by a
// machine with views of a list of all writes (Pulte et al., PLDI 2019). It shares no
// code with the procedures of check, so that each tests the other.
package outcomes

import (
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"slices"

	"ordeal/gen"
)

// Machine says how stores reach memory.
type Machine uint8

// The machines.
const (
	SC  Machine = iota // at once
	TSO                // from a FIFO buffer for each thread
	PSO                // from a FIFO buffer for each thread and location
	// Armv8 and RVWMO have a list of writes, in which threads see as much as they
	// wait for. Programs are of those instruction sets alone.
	Armv8
	RVWMO
)

var machineNames = []string{SC: "sc", TSO: "tso", PSO: "pso", Armv8: "armv8", RVWMO: "rvwmo"}

// Parse returns the machine of the model of that name.
func Parse(model string) (Machine, error) {
	m := slices.Index(machineNames, model)
	if m < 0 {
		return SC, fmt.Errorf("no machine enumerates the outcomes of %q: want sc, tso, pso, armv8 or rvwmo", model)
	}
	return Machine(m), nil
}

// Outcome is what a round shows: the values that the reads of each thread
// returned, in program order, and the values of memory at the end.
type Outcome struct {
	Reads [][]gen.Value
	Final []gen.Value
	_     struct{}
}

// Key identifies an outcome among those of the same program.
func (o *Outcome) Key() string { return string(o.AppendKey(nil)) }

// AppendKey appends Key.
func (o *Outcome) AppendKey(key []byte) []byte {
	for _, reads := range o.Reads {
		key = appendValues(key, reads)
	}
	return appendValues(key, o.Final)
}

func appendValues(key []byte, values []gen.Value) []byte {
	for _, v := range values {
		key = binary.AppendUvarint(key, uint64(v))
	}
	return key
}

// ErrLimit says that a program has more states than may be explored.
var ErrLimit = errors.New("too many states to enumerate")

// ErrProgram says that a machine does not execute programs of that kind: of another
// instruction set, or under SC, TSO and PSO with operations that x86-64 lacks.
var ErrProgram = errors.New("not of the machine's instruction set")

// Enumerate lists the outcomes of one round of a valid program, in the order
// of their keys. It explores at most limit states of the machine; a program
// with more is refused with ErrLimit. Of Armv8 and RVWMO the limit is on the
// operations executed.
func Enumerate(p *gen.Program, m Machine, limit int) ([]Outcome, error) {
	return EnumerateCase(Case{Program: p}, m, limit)
}

// Case is a program with what litmus tests have beside it.
type Case struct {
	Program *gen.Program
	// Deps are further dependencies.
	Deps []gen.Dependency
	// NoReturn are atomic instructions of Arm, by thread and index, whose reads barriers of
	// loads do not wait for.
	NoReturn map[[2]int]bool
	// Accepts reports whether a read of a thread may return a value; nil: any.
	Accepts func(thread, read int, v gen.Value) bool
}

// EnumerateCase is Enumerate of a case, of outcomes whose reads it accepts.
func EnumerateCase(c Case, m Machine, limit int) ([]Outcome, error) {
	p := c.Program
	if m == Armv8 || m == RVWMO {
		return enumerateViews(c, m, limit)
	}
	for t, ops := range p.Threads {
		for _, op := range ops {
			if op.Kind == gen.LoadLinked || op.Kind == gen.StoreConditional || op.Kind == gen.PartialFence || op.Attr != 0 {
				return nil, fmt.Errorf("%s: thread %d: %s is %w", machineNames[m], t, p.OpText(op), ErrProgram)
			}
		}
	}
	e := &explorer{p: p, accepts: c.Accepts, machine: m, limit: limit, seen: map[string]bool{}, found: map[string]Outcome{}}
	s := &state{
		at: make([]int, len(p.Threads)), memory: make([]gen.Value, len(p.Locations)),
		reads: make([][]gen.Value, len(p.Threads)), buffers: make([][]write, len(p.Threads)),
	}
	e.visit(s)
	for len(e.stack) > 0 && len(e.seen) <= limit {
		last := len(e.stack) - 1
		s := e.stack[last]
		e.stack = e.stack[:last]
		e.step(s)
	}
	if len(e.seen) > limit {
		return nil, fmt.Errorf("%w: more than %d", ErrLimit, limit)
	}
	var list []Outcome
	for _, key := range slices.Sorted(maps.Keys(e.found)) {
		list = append(list, e.found[key])
	}
	return list, nil
}

// write is a store that waits in a buffer.
type write struct {
	loc   gen.LocID
	value gen.Value
}

// state is one of the machine.
type state struct {
	at      []int // next operation of each thread
	memory  []gen.Value
	reads   [][]gen.Value
	buffers [][]write // oldest first
}

func (s *state) clone() *state {
	c := &state{at: slices.Clone(s.at), memory: slices.Clone(s.memory), reads: make([][]gen.Value, len(s.reads)), buffers: make([][]write, len(s.buffers))}
	for t := range s.reads {
		c.reads[t] = slices.Clone(s.reads[t])
		c.buffers[t] = slices.Clone(s.buffers[t])
	}
	return c
}

func (s *state) key() string {
	var key []byte
	for t := range s.at {
		key = binary.AppendUvarint(key, uint64(s.at[t]))
		key = appendValues(key, s.reads[t]) // their number follows from at
		key = binary.AppendUvarint(key, uint64(len(s.buffers[t])))
		for _, w := range s.buffers[t] {
			key = binary.AppendUvarint(key, uint64(w.loc))
			key = binary.AppendUvarint(key, uint64(w.value))
		}
	}
	return string(appendValues(key, s.memory))
}

// explorer visits every state that can be reached, once.
type explorer struct {
	p       *gen.Program
	accepts func(thread, read int, v gen.Value) bool
	machine Machine
	limit   int
	seen    map[string]bool
	stack   []*state
	found   map[string]Outcome
}

func (e *explorer) visit(s *state) {
	if key := s.key(); !e.seen[key] {
		e.seen[key] = true
		e.stack = append(e.stack, s)
	}
}

func (e *explorer) step(s *state) {
	ended := true
	for t := range s.at {
		if s.at[t] < len(e.p.Threads[t]) {
			ended = false
			e.execute(s, t)
		}
		if len(s.buffers[t]) > 0 {
			ended = false
			e.drain(s, t)
		}
	}
	if ended {
		o := Outcome{Reads: s.reads, Final: s.memory}
		e.found[o.Key()] = o
	}
}

// execute runs the next operation of a thread, if it need not wait for the
// thread's buffer.
func (e *explorer) execute(s *state, t int) {
	op := e.p.Threads[t][s.at[t]]
	if e.waits(op, s.buffers[t]) {
		return
	}
	n := s.clone()
	n.at[t]++
	if op.Kind.Reads() {
		v := s.read(t, op.Loc)
		if e.accepts != nil && !e.accepts(t, len(n.reads[t]), v) {
			return
		}
		n.reads[t] = append(n.reads[t], v)
	}
	switch op.Kind {
	case gen.Store:
		if e.machine == SC {
			n.memory[op.Loc] = op.Value
		} else {
			n.buffers[t] = append(n.buffers[t], write{op.Loc, op.Value})
		}
	case gen.Exchange:
		n.memory[op.Loc] = op.Value
	case gen.FetchAdd:
		n.memory[op.Loc] += op.Value * gen.AddUnit
	}
	e.visit(n)
}

// waits reports whether an operation has to wait for its thread's buffer: a
// fence and an atomic operation until it is empty; an atomic operation of PSO
// only until it has no store to its location.
func (e *explorer) waits(op gen.Op, buffer []write) bool {
	switch op.Kind {
	case gen.FullFence:
		return len(buffer) > 0
	case gen.Exchange, gen.FetchAdd:
		if e.machine == PSO {
			return slices.ContainsFunc(buffer, func(w write) bool { return w.loc == op.Loc })
		}
		return len(buffer) > 0
	}
	return false
}

// read is what a load returns: the youngest own store in the buffer, or what
// memory holds.
func (s *state) read(t int, loc gen.LocID) gen.Value {
	for i := len(s.buffers[t]) - 1; i >= 0; i-- {
		if w := s.buffers[t][i]; w.loc == loc {
			return w.value
		}
	}
	return s.memory[loc]
}

// drain moves stores from a thread's buffer to memory: the oldest, or with
// PSO the oldest of any location.
func (e *explorer) drain(s *state, t int) {
	for i, w := range s.buffers[t] {
		first := !slices.ContainsFunc(s.buffers[t][:i], func(o write) bool { return o.loc == w.loc })
		if i > 0 && e.machine != PSO || !first {
			continue
		}
		n := s.clone()
		n.memory[w.loc] = w.value
		n.buffers[t] = slices.Delete(n.buffers[t], i, i+1)
		e.visit(n)
	}
}
