// Package trace makes a history of the lines of a trace, whatever its
// notation: it numbers threads and locations, keeps for every operation the
// line it stands in, finds the writers of the values that are read, and
// reports all faults by line.
package trace

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"

	"ordeal/gen"
	"ordeal/parse"
)

const maxFaults = 20

// Builder gathers the lines of one trace.
type Builder struct {
	// Threads and Locations are their names, in order of appearance.
	Threads, Locations Names
	// Column, if set, says that what the methods call lines are other places,
	// in order of the text, and gives line and column of one.
	Column func(place int) (line, column int)

	threads []thread
	final   []final
	orders  []order
	deps    []dep
	faults  []fault
	more    int             // faults not kept
	aborts  int             // operations of aborted transactions
	aborted map[aborted]int // the place of each aborted write
}

// thread is the operations of one thread and the lines they stand in.
type thread struct {
	ops   []parse.Op
	lines []int32
	times []parse.Interval    // of AddTimed
	txs   []parse.Transaction // by places in the thread
}

type final struct {
	loc   int32
	value gen.Value
	line  int
}

type order struct {
	loc    int32
	values []gen.Value
	line   int
}

type dep struct {
	thread   int32
	from, to gen.Value // operations of the thread, from 1
	kind     parse.DepKind
	line     int
}

type fault struct {
	line int
	err  error
}

// Fault notes what is wrong with a line. Only the first faults are kept, and
// the others counted.
func (t *Builder) Fault(line int, err error) {
	if len(t.faults) < maxFaults {
		t.faults = append(t.faults, fault{line, err})
	} else {
		t.more++
	}
}

// Faultf is Fault with a message to format.
func (t *Builder) Faultf(line int, format string, args ...any) {
	t.Fault(line, fmt.Errorf(format, args...))
}

// Thread is the number of the thread of that name, a new one where it is
// first named.
func (t *Builder) Thread(name []byte) int32 {
	i := t.Threads.Index(name)
	if int(i) == len(t.threads) {
		t.threads = append(t.threads, thread{})
	}
	return i
}

// Add appends an operation to a thread. Its reads-from is found by Finish.
func (t *Builder) Add(thread int32, op parse.Op, line int) {
	th := &t.threads[thread]
	if n := len(th.ops); n == cap(th.ops) { // doubling moves less than append
		th.ops, th.lines = slices.Grow(th.ops, n+16), slices.Grow(th.lines, n+16)
	}
	th.ops = append(th.ops, op)
	th.lines = append(th.lines, int32(line))
}

// AddTimed is Add of an operation whose times of call and return are known. A
// trace gets all its operations with times, or none.
func (t *Builder) AddTimed(thread int32, op parse.Op, times parse.Interval, line int) {
	t.Add(thread, op, line)
	th := &t.threads[thread]
	th.times = append(th.times, times)
}

// Len is the number of operations of a thread so far.
func (t *Builder) Len(thread int32) int { return len(t.threads[thread].ops) }

// aborted is a write of an aborted transaction.
type aborted struct {
	loc   int32
	value gen.Value
}

// Abort leaves out an operation, of an aborted transaction.
func (t *Builder) Abort(op parse.Op, line int) {
	if t.aborts++; op.Writes() {
		if t.aborted == nil {
			t.aborted = map[aborted]int{}
		}
		t.aborted[aborted{op.Loc, op.Write}] = line
	}
}

// Notes lists what was left out: operations of aborted transactions, and a first
// transaction of the given number of writes of 0.
func (t *Builder) Notes(zeros int) []string {
	var notes []string
	if t.aborts > 0 {
		notes = append(notes, fmt.Sprintf("%d operations of aborted transactions", t.aborts))
	}
	if zeros > 0 {
		notes = append(notes, fmt.Sprintf("a first transaction of %d writes of 0, the initial value", zeros))
	}
	return notes
}

// Transaction says that the operations of a thread from first to before end,
// counted from 0, are a transaction. They come in order.
func (t *Builder) Transaction(thread int32, first, end int) {
	th := &t.threads[thread]
	th.txs = append(th.txs, parse.Transaction{First: parse.OpID(first), End: parse.OpID(end)})
}

// Final says what a location holds at the end.
func (t *Builder) Final(loc int32, value gen.Value, line int) {
	t.final = append(t.final, final{loc, value, line})
}

// Order says in which order the values written to a location reached memory.
func (t *Builder) Order(loc int32, values []gen.Value, line int) {
	t.orders = append(t.orders, order{loc, values, line})
}

// Dependency says that operation to of a thread depends on operation from;
// they count from 1.
func (t *Builder) Dependency(thread int32, from, to gen.Value, kind parse.DepKind, line int) {
	t.deps = append(t.deps, dep{thread, from, to, kind, line})
}

// sorted is the order of threads in the history: numbers by value, then other
// names in their order.
func (t *Builder) sorted() []int {
	list := make([]int, len(t.threads))
	for i := range list {
		list[i] = i
	}
	rank := func(i int) int {
		if v, err := strconv.ParseUint(t.Threads.List[i], 10, 16); err == nil && strconv.FormatUint(v, 10) == t.Threads.List[i] {
			return int(v)
		}
		return math.MaxInt
	}
	slices.SortStableFunc(list, func(a, b int) int { return cmp.Compare(rank(a), rank(b)) })
	return list
}

// Err joins the faults so far, each as "name:line: …"; nil when there is none.
func (t *Builder) Err(name string) error {
	if len(t.faults) == 0 {
		return nil
	}
	slices.SortStableFunc(t.faults, func(a, b fault) int { return cmp.Compare(a.line, b.line) })
	errs := make([]error, len(t.faults))
	for i, f := range t.faults {
		errs[i] = fmt.Errorf("%s:%s: %w", name, t.place(f.line), f.err)
	}
	if t.more > 0 {
		errs = append(errs, fmt.Errorf("%s: and %d more faults", name, t.more))
	}
	return errors.Join(errs...)
}

// place is a line, or a line and column, as behind a file's name.
func (t *Builder) place(place int) string {
	if t.Column == nil {
		return strconv.Itoa(place)
	}
	line, column := t.Column(place)
	return fmt.Sprintf("%d:%d", line, column)
}
