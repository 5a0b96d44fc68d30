// Package litmus reads litmus tests for X86_64, AArch64 and RISCV, as herd7 and litmus7 do, and
// interprets what a run of one shows (Alglave, Maranget and Tautschnig, "Herding
// cats", TOPLAS 2014).
//
// For X86_64, supported are moves between registers, constants and memory, xchg and
// mfence; locations by name or through registers that the initial state
// points at them; and conditions with exists, ~exists and forall over
// registers and final memory. Not supported, and refused by line: storing what
// a load returned (dependencies of data), arithmetic, branches and labels,
// lock-prefixed arithmetic, other fences, byte and word accesses, locations
// initialised with addresses, filters and fault conditions. For AArch64 and RISCV see
// aarch64.go and riscv.go: there loads and stores, fences, and the dependencies that
// diy7 makes, of one read each.
package litmus

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
	"ordeal/parse"
)

// Test is a litmus test as a program. Every store of the program has a value
// of its own; State gives back the values of the test.
type Test struct {
	Name    string
	Program *gen.Program
	// Quantifier says what Condition is asked for; Exists for a test without
	// a condition, which is then true.
	Quantifier Quantifier
	Condition  Condition
	// Seen are the registers and locations that the condition and the
	// "locations" line name, in order.
	Seen []Variable
	// NeedsFinal says that some of them are locations.
	NeedsFinal bool

	values    map[gen.Value]int64 // of the test, by constant
	initial   []int64             // of locations
	registers map[Variable]source
	kept      map[string]kept // locations that are none of the program's
}

// kept is a location that a thread keeps in what a load of it returned, and
// that is not accessed otherwise: threads run out of registers.
type kept struct {
	thread int
	from   source
	line   int
}

// holds gives the read whose result a variable holds, and its thread, or
// which constant where the index is negative; ok is false for locations and
// registers that are not set.
func (t *Test) holds(v Variable) (thread int, from source, ok bool) {
	if v.Thread >= 0 {
		from, ok = t.registers[v]
		return v.Thread, from, ok
	}
	k, ok := t.kept[v.Name]
	return k.thread, k.from, ok
}

// Quantifier says of which states a condition speaks.
type Quantifier uint8

// The quantifiers.
const (
	Exists    Quantifier = iota // in some state the condition holds
	NotExists                   // in no state does it hold
	Forall                      // in all states it holds
)

// String is the quantifier as written.
func (q Quantifier) String() string { return [...]string{"exists", "~exists", "forall"}[q] }

// Variable is a register of a thread, or a location where Thread is -1.
type Variable struct {
	Thread int
	Name   string
}

// String is the variable as in conditions: "0:rax" or "[x]".
func (v Variable) String() string {
	if v.Thread < 0 {
		return "[" + v.Name + "]"
	}
	return fmt.Sprintf("%d:%s", v.Thread, v.Name)
}

// source is where a register's final value comes from: an entry of the
// thread's log, or a constant where the index is negative.
type source struct {
	index int
	loc   gen.LocID
	value int64
	// status says that the entry is the result of a store-conditional.
	status bool
}

// State is what one round showed: the values of Test.Seen.
type State struct {
	test   *Test
	Values []int64
}

// State reads a round's outcome: what the reads of each thread returned, in
// program order, and the values of memory at the end, which may be nil where
// NeedsFinal is not set. Values that the test's program does not store in its
// first round are replaced by the initial ones.
func (t *Test) State(reads [][]gen.Value, final []gen.Value) State {
	s := State{test: t, Values: make([]int64, len(t.Seen))}
	for i, v := range t.Seen {
		thread, from, set := t.holds(v)
		if v.Thread < 0 && !set {
			loc := t.location(v.Name)
			s.Values[i] = t.Value(loc, final[loc])
			continue
		}
		// Registers that are not set stay 0.
		if s.Values[i] = from.value; set && from.status {
			s.Values[i] = int64(reads[thread][from.index])
		} else if set && from.index >= 0 {
			s.Values[i] = t.Value(from.loc, reads[thread][from.index])
		}
	}
	return s
}

// Value is a value of the program, read from or left at a location, in terms of
// the test: of what its first round does not store, the initial one.
func (t *Test) Value(loc gen.LocID, v gen.Value) int64 {
	if own, ok := t.values[v]; ok {
		return own
	}
	return t.initial[loc]
}

func (t *Test) location(name string) gen.LocID {
	return gen.LocID(slices.Index(t.Program.Locations, name))
}

// Holds reports whether the condition holds in the state.
func (s State) Holds() bool { return s.test.Condition.holds(s) }

// String lists the values as herd7 and litmus7 do: "0:rax=0; [x]=1;".
func (s State) String() string {
	var sb strings.Builder
	for i, v := range s.test.Seen {
		if i > 0 {
			sb.WriteByte(' ')
		}
		fmt.Fprintf(&sb, "%s=%d;", v, s.Values[i])
	}
	return sb.String()
}

func (s State) get(v Variable) int64 {
	if i := slices.Index(s.test.Seen, v); i >= 0 {
		return s.Values[i]
	}
	return 0
}

// see lists the variables of the condition and the given ones, registers
// first.
func (t *Test) see(more []Variable) {
	t.Seen = append(t.Condition.variables(nil), more...)
	slices.SortFunc(t.Seen, func(a, b Variable) int { // -1, a location, becomes the largest number
		return cmp.Or(cmp.Compare(uint(a.Thread), uint(b.Thread)), cmp.Compare(a.Name, b.Name))
	})
	t.Seen = slices.Compact(t.Seen)
	for _, v := range t.Seen {
		_, _, held := t.holds(v)
		t.NeedsFinal = t.NeedsFinal || v.Thread < 0 && !held
	}
}

// States reads the rounds of a run of the test's program off its log; between rounds
// the threads must have met, so that what a round finds in memory is final. Where
// memory at the end is asked for, only the last round has a state, and none if the log
// does not have it.
func (t *Test) States(log *parse.Logged, rounds int) []State {
	var states []State
	stride := t.Program.Stride()
	for r := range rounds {
		if t.NeedsFinal && (r < rounds-1 || log.Final == nil) {
			continue
		}
		// In terms of the first round; others' values are initial ones.
		base := stride * gen.Value(r)
		first := func(v gen.Value) gen.Value {
			if v > base && v < base+stride {
				return v - base
			}
			return 0
		}
		reads := make([][]gen.Value, len(t.Program.Threads))
		for thread, ops := range t.Program.Threads {
			next := r * t.Program.Reads(gen.ThreadID(thread))
			for i := range ops {
				switch {
				case ops[i].Kind == gen.StoreConditional:
					reads[thread] = append(reads[thread], log.Reads[thread].At(next))
				case ops[i].Kind.Reads():
					reads[thread] = append(reads[thread], first(log.Reads[thread].At(next)))
				default:
					continue
				}
				next++
			}
		}
		final := make([]gen.Value, len(t.Program.Locations))
		for l := range log.Final.Len() {
			final[l] = first(log.Final.At(l))
		}
		states = append(states, t.State(reads, final))
	}
	return states
}
