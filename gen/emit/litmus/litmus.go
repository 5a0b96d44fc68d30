// Package litmus writes programs in the syntax of herd7 and litmus7, for
// architectures X86_64, AArch64 and RISCV.
//
// One round is written. Locations are 32-bit words, as in the tests that
// diy7 generates, so an addition cannot be by a multiple of gen.AddUnit: see
// Unit. herd7's X86_64 has no xadd; an addition becomes "lock addl", which
// has the same effect on memory and order but returns no value, so that its
// read cannot be named in a condition. Delays order nothing and are left out.
//
// A thread of X86_64 keeps its results in registers. One with more results than there
// are registers stores the further ones to locations of its own: entry 14 of
// P0's log is log0_14. No other thread uses these locations, so that the
// stores forbid and allow nothing. Those of other architectures have registers
// for all results, or are refused.
package litmus

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"math"
	"slices"
	"strings"

	"ordeal/gen"
)

// Read names a read of one round: the entry Index of Thread's log, counting
// loads, exchanges and additions from 0 in program order.
type Read struct {
	Thread gen.ThreadID
	Index  int
}

// Condition is an outcome to ask for: all of its equations hold. Values are
// those of the litmus text.
type Condition struct {
	Reads map[Read]gen.Value
	Final map[gen.LocID]gen.Value
	_     struct{}
}

// registers hold the results of a thread, in order; rsp and rbp are not free.
// The last one is also what further results go through on their way to memory.
var registers = []struct{ name, low string }{
	{"rax", "eax"}, {"rbx", "ebx"}, {"rcx", "ecx"}, {"rdx", "edx"}, {"rsi", "esi"}, {"rdi", "edi"},
	{"r8", "r8d"}, {"r9", "r9d"}, {"r10", "r10d"}, {"r11", "r11d"},
	{"r12", "r12d"}, {"r13", "r13d"}, {"r14", "r14d"}, {"r15", "r15d"},
}

// Unit is what an addend counts in the litmus text: the smallest power of ten
// above every stored constant of the program.
func Unit(p *gen.Program) gen.Value {
	unit := gen.Value(1)
	for unit < p.Stride() {
		unit *= 10
	}
	return unit
}

// Emit writes the program as a test of the given name. With a condition it
// asks whether that outcome exists; nil asks for all outcomes. All registers
// and locations are listed for litmus7 to print. A program that does not fit
// (values beyond 31 bits, location names that herd7 reads as something else or
// that a thread needs for its results) is refused, with every reason.
func Emit(w io.Writer, name string, p *gen.Program, c *Condition) error {
	if err := cmp.Or(p.Validate(), p.CoresOnly()); err != nil {
		return fmt.Errorf("emit litmus %s: %w", name, err)
	}
	e := emitter{p: p, unit: Unit(p), dialect: dialects[p.ISA]}
	if strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_+-.") != "" || name == "" {
		e.refuse("test name %q: want letters, digits and _ + - .", name)
	}
	for _, loc := range p.Locations {
		if reserved(loc) || e.dialect != nil && e.dialect.isRegister(loc) {
			e.refuse("location %s: the name means something else there", loc)
		}
	}
	for t := range p.Threads {
		if e.dialect != nil {
			e.other(gen.ThreadID(t))
		} else {
			e.thread(gen.ThreadID(t))
		}
	}
	condition := "forall (true)"
	if c != nil {
		condition = e.condition(c)
	}
	if err := errors.Join(e.errs...); err != nil {
		return fmt.Errorf("emit litmus %s: %w", name, err)
	}
	out := bufio.NewWriter(w)
	fmt.Fprintf(out, "%s %s\n{\n%s}\n", e.architecture(), name, e.initial.String())
	e.columns(out)
	fmt.Fprintf(out, "locations [%s]\n%s\n", e.listed(), condition)
	if err := out.Flush(); err != nil {
		return fmt.Errorf("emit litmus %s: %w", name, err)
	}
	return nil
}

type emitter struct {
	p     *gen.Program
	unit  gen.Value
	code  [][]string // instructions of each thread
	reads [][]result // where each log entry is
	errs  []error
	// Of other architectures than X86_64:
	dialect *Dialect
	initial strings.Builder // what registers hold at the start
	labels  int             // that there are; those of two threads differ, too
}

func (e *emitter) architecture() string {
	if e.dialect == nil {
		return "X86_64"
	}
	return e.dialect.Name
}

// result is where a log entry is: in a register of its thread, in a location,
// or, for an addition, nowhere (the zero value).
type result struct{ register, location string }

func (e *emitter) refuse(format string, args ...any) {
	e.errs = append(e.errs, fmt.Errorf(format, args...))
}

func (e *emitter) thread(t gen.ThreadID) {
	var code []string
	var reads []result
	results := 0
	for _, op := range e.p.Threads[t] {
		if op.Kind == gen.Load || op.Kind == gen.Exchange {
			results++
		}
	}
	used, kept := 0, len(registers) // registers in use, and how many may be
	if results > kept {
		kept--
	}
	for i, op := range e.p.Threads[t] {
		value := op.Value
		if op.Kind == gen.FetchAdd {
			value *= e.unit
		}
		if op.Kind.Writes() && value > math.MaxInt32 {
			e.refuse("thread %d operation %d (%s): value %d does not fit 31 bits", t, i, e.p.OpText(op), value)
		}
		loc := e.p.Locations[op.Loc]
		switch op.Kind {
		case gen.Load:
			code = append(code, fmt.Sprintf("movl (%s),%%%s", loc, registers[used].low))
		case gen.Store:
			code = append(code, fmt.Sprintf("movl $%d,(%s)", value, loc))
		case gen.Exchange:
			low := registers[used].low
			code = append(code, fmt.Sprintf("movl $%d,%%%s", value, low), fmt.Sprintf("xchgl (%s),%%%s", loc, low))
		case gen.FetchAdd:
			code = append(code, fmt.Sprintf("lock addl $%d,(%s)", value, loc))
			reads = append(reads, result{})
		case gen.FullFence:
			code = append(code, "mfence")
		}
		if op.Kind != gen.Load && op.Kind != gen.Exchange {
			continue
		}
		if used < kept {
			reads = append(reads, result{register: registers[used].name})
			used++
			continue
		}
		own := fmt.Sprintf("log%d_%d", t, len(reads))
		if slices.Contains(e.p.Locations, own) {
			e.refuse("location %s: thread %d needs the name for a result", own, t)
		}
		code = append(code, fmt.Sprintf("movl %%%s,(%s)", registers[used].low, own))
		reads = append(reads, result{location: own})
	}
	e.code, e.reads = append(e.code, code), append(e.reads, reads)
}

// columns writes the threads side by side.
func (e *emitter) columns(out io.Writer) {
	widths, rows := make([]int, len(e.code)), 0
	for t, code := range e.code {
		widths[t] = len(fmt.Sprintf("P%d", t))
		for _, line := range code {
			widths[t] = max(widths[t], len(line))
		}
		rows = max(rows, len(code))
	}
	for row := -1; row < max(rows, 1); row++ {
		for t, code := range e.code {
			cell := ""
			if row < 0 {
				cell = fmt.Sprintf("P%d", t)
			} else if row < len(code) {
				cell = code[row]
			}
			separator := " |"
			if t == len(e.code)-1 {
				separator = " ;\n"
			}
			fmt.Fprintf(out, " %-*s%s", widths[t], cell, separator)
		}
	}
}

func (e *emitter) listed() string {
	var b strings.Builder
	for t, reads := range e.reads {
		for _, r := range reads {
			switch {
			case r.register != "":
				fmt.Fprintf(&b, "%d:%s; ", t, r.register)
			case r.location != "":
				fmt.Fprintf(&b, "%s; ", r.location)
			}
		}
	}
	return b.String() + strings.Join(e.p.Locations, "; ") + ";"
}

func (e *emitter) condition(c *Condition) string {
	var terms []string
	for _, r := range sortedReads(c.Reads) {
		if r.Thread < 0 || int(r.Thread) >= len(e.reads) || r.Index < 0 || r.Index >= len(e.reads[r.Thread]) {
			e.refuse("condition: thread %d has no read %d", r.Thread, r.Index)
			continue
		}
		switch at := e.reads[r.Thread][r.Index]; {
		case at.register != "":
			terms = append(terms, fmt.Sprintf("%d:%s=%d", r.Thread, at.register, c.Reads[r]))
		case at.location != "":
			terms = append(terms, fmt.Sprintf("[%s]=%d", at.location, c.Reads[r]))
		default:
			e.refuse("condition: read %d of thread %d is an addition, which returns nothing here", r.Index, r.Thread)
		}
	}
	for _, l := range slices.Sorted(maps.Keys(c.Final)) {
		if l < 0 || int(l) >= len(e.p.Locations) {
			e.refuse("condition: no location %d", l)
			continue
		}
		terms = append(terms, fmt.Sprintf("[%s]=%d", e.p.Locations[l], c.Final[l]))
	}
	if len(terms) == 0 {
		return "exists (true)"
	}
	return "exists (" + strings.Join(terms, " /\\ ") + ")"
}
