// Package litmus reads litmus tests for X86_64, AArch64 and RISCV, as herd7 and litmus7 do, and
// interprets what a run of one shows (Alglave, Maranget and Tautschnig, "Herding
// cats", TOPLAS 2014).
//
// For X86_64, supported are moves between registers, constants and memory, xchg and
// mfence; for AArch64 and RISCV accesses and fences of the dialects of gen/emit/litmus,
// arithmetic and branches forward. Conditions are of exists, ~exists and forall over
// registers, final memory and addresses. Not supported, and refused by line: loops, accesses of
// one location in different sizes, pages, faults, filters, and code that is written.
//
// Threads are executed by themselves. Where a path depends on what a read returns (a branch,
// a stored value, a comparison) all values are tried that stores write: each is a Case.
package litmus

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ordeal/gen"
)

// Test is a litmus test.
type Test struct {
	Name string
	// Case is the first of Cases. A test whose operations and the values that they store do
	// not depend on what its reads return has no other one, and its program can be run.
	*Case
	Cases []*Case
	// Quantifier says what Condition is asked for; Exists for a test without
	// a condition, which is then true.
	Quantifier Quantifier
	Condition  Condition
	// Seen are the registers and locations that the condition and the
	// "locations" line name, in order.
	Seen []Variable
	// NeedsFinal says that some of them are locations.
	NeedsFinal bool

	names   []string // of locations
	initial []int64  // of locations
	types   map[Variable]width
	arch    *architecture
}

// Runs reports why the program of the test cannot stand for it; nil if it can.
func (t *Test) Runs() error {
	switch c := t.Case; {
	case len(t.Cases) > 1 || len(c.assumed) > 0:
		return errors.New("what the test does depends on what its loads return: it has no program to run")
	case len(c.Deps) > 0:
		return errors.New("an operation of the test depends on several others: it has no program to run")
	case len(c.NoReturn) > 0:
		return errors.New("the test has atomic instructions without a result: it has no program to run")
	}
	return nil
}

// Case is what a test does where its reads return certain values, as a program. Every store of
// the program has a value of its own; State gives back the values of the test.
type Case struct {
	Program *gen.Program
	// Deps are dependencies that the program cannot say.
	Deps []gen.Dependency
	// NoReturn are atomic instructions, by thread and index, whose reads a barrier of loads
	// does not wait for, since no register holds what they return (Arm ARM, B2.3).
	NoReturn map[[2]int]bool

	test      *Test
	assumed   []assumed
	values    map[gen.Value]int64 // of the test, by constant
	registers map[Variable]source
	kept      map[string]kept
}

// assumed is what a read of a thread returns in a case.
type assumed struct {
	thread int
	assumption
}

// kept is a location that a thread keeps in what a load of it returned, and
// that is not accessed otherwise: threads run out of registers.
type kept struct {
	thread int
	from   source
}

// Accepts reports whether a read of a thread returns the value in the case, where anything is
// assumed of it.
func (c *Case) Accepts(thread, read int, v gen.Value) bool {
	return !slices.ContainsFunc(c.assumed, func(a assumed) bool {
		if a.thread != thread || a.read != read {
			return false
		}
		if a.status {
			return int64(v) != a.n
		}
		return c.Value(a.loc, v) != a.n
	})
}

// holds gives the read whose result a variable holds, and its thread, or
// which constant where the index is negative; ok is false for locations and
// registers that are not set.
func (c *Case) holds(v Variable) (thread int, from source, ok bool) {
	if v.Thread >= 0 {
		from, ok = c.registers[v]
		return v.Thread, from, ok
	}
	k, ok := c.kept[v.Name]
	return k.thread, k.from, ok
}

// held reports whether a variable is no location of memory.
func (t *Test) held(v Variable) bool {
	_, _, ok := t.holds(v)
	return ok
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
	width width // of what was read
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
func (c *Case) State(reads [][]gen.Value, final []gen.Value) State {
	s := State{test: c.test, Values: make([]int64, len(c.test.Seen))}
	for i, v := range c.test.Seen {
		thread, from, set := c.holds(v)
		// Registers that are not set stay 0.
		n := from.value
		switch {
		case v.Thread < 0 && !set:
			loc := c.test.location(v.Name)
			n = c.Value(loc, final[loc])
		case set && from.status:
			n = int64(reads[thread][from.index])
		case set && from.index >= 0:
			n = c.test.narrow(c.Value(from.loc, reads[thread][from.index]), from.width)
		}
		s.Values[i] = c.test.shown(v, n)
	}
	return s
}

// Value is a value of the program, read from or left at a location, in terms of
// the test: of what its first round does not store, the initial one.
func (c *Case) Value(loc gen.LocID, v gen.Value) int64 {
	if own, ok := c.values[v]; ok {
		return own
	}
	return c.test.initial[loc]
}

func (t *Test) location(name string) gen.LocID {
	return gen.LocID(slices.Index(t.names, name))
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
		fmt.Fprintf(&sb, "%s=%s;", v, s.test.text(v, s.Values[i]))
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
		t.NeedsFinal = t.NeedsFinal || v.Thread < 0 && !t.held(v)
	}
}
