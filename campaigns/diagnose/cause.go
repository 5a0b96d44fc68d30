package diagnose

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/gen"
	"ordeal/sim/lazyregexp"
	"ordeal/sim/slicc/types"
	"ordeal/sim/trace"
)

// Table is the place of a transition in the text of the coherence protocol, as
// file:line, and the names of its actions, by the names of machine, state and
// event; the place is empty for one that is not known.
type Table func(machine, state, event string) (place string, actions []string)

// TableOf is the table of a protocol; nil for no protocol.
func TableOf(p *types.Protocol) Table {
	if p == nil {
		return nil
	}
	return func(machine, state, event string) (place string, actions []string) {
		t := p.Transition(machine, state, event)
		if t == nil {
			return "", nil
		}
		for _, a := range t.Actions {
			actions = append(actions, a.Name)
		}
		return fmt.Sprintf("%s:%d", t.Decl.Pos.File, t.Decl.Pos.Line), actions
	}
}

// Cause is a witness joined with a trace.
type Cause struct {
	Witness *Witness
	// Events are those of the lines of the witness, in the order of the trace.
	Events []trace.Event
	// Joined has for each operation of the witness the events that performed it.
	Joined []Joined
	// Faults are the reads of values that are not the latest, and those that
	// performed too early.
	Faults []Fault
	// Torn are the atomic operations of two accesses that another write separates.
	Torn []Torn
	// Losses are where values got lost.
	Losses []Loss

	// LogHash is the SHA-256 of the log of the traced run, in hexadecimal.
	LogHash string

	table   Table
	program *gen.Program
	lineOf  Lines
	lines   map[int64]string // of the witness, named by its locations
	names   map[int64]string // all, named by those of the program
	all     []trace.Event    // of all lines that were traced
}

// Joined are the events of an operation, by their index; -1 for one that the
// trace does not have.
type Joined struct {
	// Access performed the operation: a load that its own core's store buffer
	// served has none. Served is the transition that the access is part of, Asked
	// that by which the core asked for the line.
	Access, Served, Asked int
	// Forwarded reports that the value of a load came from a store of its own
	// thread that had not performed; the events are those of the store.
	Forwarded bool
}

// Fault is where an execution goes wrong.
type Fault struct {
	// Read is the operation of the witness that read an outdated value, by its
	// index.
	Read int
	// Overwritten is the access that had written or wrote the next value.
	Overwritten int
	// Before is the operation of the same thread that is before Read in the
	// program and performed after Overwritten, where Read performed before that:
	// Read was too early. It is -1 where Read performed after Overwritten, and so
	// was stale.
	Before int
	// Invalidation is the transition by which the reader's controller was asked to
	// give up the line because of that write, Notified whether the core was
	// notified; -1 if there was none.
	Invalidation int
	Notified     bool
}

// Lines says in which line a location of the program lies.
type Lines func(l gen.LocID) int64

// Find joins a witness with the trace of its run. Of the events only those of
// its lines are looked at.
func Find(p *gen.Program, w *Witness, lineOf Lines, events []trace.Event, table Table) *Cause {
	c := &Cause{Witness: w, table: table, program: p, lineOf: lineOf, all: events}
	c.lines, c.names = LineNames(p, w.Locations(), lineOf), LineNames(p, everywhere(p), lineOf)
	for i := range events {
		c.whole(&events[i])
	}
	for _, e := range events {
		if _, ok := c.lines[e.Line]; ok || e.Kind == trace.Commit {
			c.Events = append(c.Events, e)
		}
	}
	for i := range w.Operations {
		c.Joined = append(c.Joined, c.join(&w.Operations[i]))
	}
	for i := range w.Operations {
		if t, ok := c.torn(i); ok {
			c.Torn = append(c.Torn, t)
		} else if f, ok := c.fault(i); ok {
			c.Faults = append(c.Faults, f)
		}
	}
	c.Losses = c.losses()
	return c
}

// whole makes the store of an atomic operation that is performed as a pair the
// operation as a whole: it reads what its location held until then.
func (c *Cause) whole(e *trace.Event) {
	if e.Kind != trace.Access || !e.Writes || e.Number < 0 {
		return
	}
	if ops := c.program.Threads; int(e.Thread) < len(ops) && len(ops[e.Thread]) > 0 {
		e.Reads = e.Reads || ops[e.Thread][e.Number%len(ops[e.Thread])].Kind.Reads()
	}
}

// LineNames names each line by those of the locations that it holds.
func LineNames(p *gen.Program, locations []gen.LocID, lineOf Lines) map[int64]string {
	names := map[int64][]string{}
	for _, l := range locations {
		names[lineOf(l)] = append(names[lineOf(l)], p.Locations[l])
	}
	lines := map[int64]string{}
	for line, list := range names {
		lines[line] = strings.Join(list, ",")
	}
	return lines
}

// join finds the events of an operation.
func (c *Cause) join(op *Operation) Joined {
	j := Joined{Access: c.access(op), Served: -1, Asked: -1}
	if j.Access < 0 && !op.Writes {
		j.Access = c.forwarding(op)
		j.Forwarded = j.Access >= 0
	}
	if j.Access < 0 {
		return j
	}
	j.Served = c.served(j.Access)
	for i := j.Served; i >= 0; i-- {
		if e := &c.Events[i]; e.Own && c.samePlace(i, j.Served) && !ofSibling(e, op.Thread) {
			j.Asked = i
			break
		}
	}
	return j
}

// pairEvent is how MOESI_AMD_Base names the events of one core of a pair (gem5 v24.0.0.1
// src/mem/ruby/protocol/MOESI_AMD_Base-CorePair.sm:138).
var pairEvent = lazyregexp.New(`^(?:C|Ifetch)([01])_`)

// ofSibling reports whether a transition is one that the other core of a pair asks for;
// pair n has cores 2n and 2n+1.
func ofSibling(e *trace.Event, t gen.ThreadID) bool {
	m := pairEvent().FindStringSubmatch(e.Name)
	return m != nil && m[1] != strconv.Itoa(int(t)%2)
}

// served is the transition that served an access; -1 if it is not in the trace.
func (c *Cause) served(access int) int {
	a := &c.Events[access]
	for i := access - 1; i >= 0 && c.Events[i].At == a.At; i-- {
		if e := &c.Events[i]; e.Kind == trace.Transition && e.Line == a.Line {
			return i
		}
	}
	return -1
}

// access is the access that performed an operation: the last one of its number, as loads
// are performed again where they were too early; -1 if there is none.
func (c *Cause) access(op *Operation) int {
	found := -1
	for i := range c.Events {
		e := &c.Events[i]
		if e.Kind != trace.Access || e.Thread != op.Thread || e.Loc != op.Loc || e.Number >= 0 && e.Number != op.Number {
			continue
		}
		if e.Number < 0 && !op.Writes {
			return c.unnumbered(op)
		}
		// What a pair replaces is not what it read where another write came between.
		if op.Writes && e.Writes && e.Written == op.Written || !op.Writes && !e.Writes && e.Read == op.Read {
			found = i
		}
	}
	return found
}

// forwarding is the access of the store of its own thread that a load read from;
// -1 if it read from another.
func (c *Cause) forwarding(op *Operation) int {
	return slices.IndexFunc(c.Events, func(e trace.Event) bool {
		return e.Kind == trace.Access && e.Thread == op.Thread && e.Loc == op.Loc && e.Writes && e.Written == op.Read
	})
}

// samePlace reports whether two events are transitions of one line in one
// controller.
func (c *Cause) samePlace(i, j int) bool {
	a, b := &c.Events[i], &c.Events[j]
	return a.Kind == trace.Transition && b.Kind == trace.Transition && a.Place == b.Place && a.Line == b.Line
}

// fault says what is wrong with a read; false if nothing is.
func (c *Cause) fault(read int) (Fault, bool) {
	op, j := &c.Witness.Operations[read], c.Joined[read]
	if !op.Reads || j.Access < 0 {
		return Fault{}, false
	}
	f := Fault{Read: read, Overwritten: c.overwritten(op, j.Access), Before: -1, Invalidation: -1}
	if f.Overwritten < 0 {
		return Fault{}, false
	}
	end := j.Access
	if f.Overwritten > j.Access {
		// The value was the latest. It must still have been when the operations
		// before it performed.
		for i := range c.Witness.Operations {
			before := &c.Witness.Operations[i]
			if before.Thread == op.Thread && before.Number < op.Number && before.Reads && !c.Joined[i].Forwarded && c.Joined[i].Access > f.Overwritten {
				f.Before, end = i, c.Joined[i].Access
			}
		}
		if f.Before < 0 {
			return Fault{}, false
		}
	}
	f.Invalidation = c.invalidation(&j, f.Overwritten, end)
	f.Notified = f.Invalidation >= 0 && slices.Contains(c.notified(f.Invalidation), op.Thread)
	from := j.Access + 1
	if f.Before < 0 {
		from = max(j.Asked, 0)
	}
	if i := c.noticed(&j, op.Thread, from, end); i >= 0 && !f.Notified {
		f.Invalidation, f.Notified = i, true // in another transition of the same request, as in CHI
	}
	return f, true
}

// overwritten is the first access that wrote after the value that an operation read, as it was
// written last before the access; -1 if there is none.
func (c *Cause) overwritten(op *Operation, access int) int {
	seen, found := op.Read == 0, -1
	for i := range c.Events {
		e := &c.Events[i]
		switch {
		case e.Kind != trace.Access || !e.Writes || e.Loc != op.Loc || op.Writes && e.Written == op.Written:
		case e.Written == op.Read:
			if i < access || !seen {
				seen, found = true, -1
			}
		case seen && found < 0:
			found = i
		}
	}
	return found
}

// invalidation is the last transition by which the reader's controller changed
// the state of the line at the request of others, before the write: it must have
// given up the line by then. Without one, it is that before the read was to be
// repeated. Where cores share a controller, the write's own transition took the
// line from the reader.
func (c *Cause) invalidation(j *Joined, write, end int) int {
	if j.Served < 0 {
		return -1
	}
	if i := c.served(write); i >= 0 && c.samePlace(i, j.Served) && c.Events[write].Thread != c.Events[j.Access].Thread {
		return i
	}
	find := func(to int) int {
		for i := to; i > j.Asked; i-- {
			if i != j.Served && c.samePlace(i, j.Served) && c.taken(i) {
				return i
			}
		}
		return -1
	}
	if i := find(write); i >= 0 {
		return i
	}
	if end > write {
		return find(end - 1)
	}
	return -1
}

// taken reports whether a transition changes a line at the request of others: what it handles
// brings no data.
func (c *Cause) taken(i int) bool {
	e := &c.Events[i]
	for k := i - 1; k >= 0 && !e.Own; k-- {
		if m := &c.Events[k]; m.Kind == trace.Message && m.Data != nil && m.Line == e.Line && m.To == e.Place && m.Arrives == e.At && c.handles(k) == i {
			return false
		}
	}
	return !e.Own && e.State != e.Next
}

// noticed is the last transition between two events by which the controller that served an
// access notified a core of the loss of its line; -1 if there is none.
func (c *Cause) noticed(j *Joined, core gen.ThreadID, from, end int) int {
	found := -1
	for i := from; i < end && j.Served >= 0; i++ {
		if c.samePlace(i, j.Served) && slices.Contains(c.notified(i), core) {
			found = i
		}
	}
	return found
}

// notified are the cores that a transition notified.
func (c *Cause) notified(transition int) []gen.ThreadID {
	t := &c.Events[transition]
	var cores []gen.ThreadID
	for _, e := range c.Events[transition:] {
		if e.Kind == trace.Notice && e.At == t.At && e.Place == t.Place && e.Line == t.Line {
			cores = append(cores, e.Thread)
		}
	}
	return cores
}

// Sentences say what went wrong, in the order of the execution.
func (c *Cause) Sentences() []string {
	var list []string
	for i := range c.Torn {
		list = append(list, c.Torn[i].sentences(c)...)
	}
	for _, f := range c.Faults {
		op, j := &c.Witness.Operations[f.Read], c.Joined[f.Read]
		location := c.program.Locations[op.Loc]
		write := &c.Events[f.Overwritten]
		served, how := "its core", ""
		if j.Forwarded {
			how = "or before, from its own store that performs then, "
		}
		if j.Served >= 0 {
			served = c.row(j.Served)
		}
		if f.Before < 0 {
			list = append(list, fmt.Sprintf("(%s) thread %d reads %s = %d at tick %d in %s: stale, %s is %d since tick %d, by thread %d",
				op.Letter, op.Thread, location, op.Read, c.Events[j.Access].At, served, location, write.Written, write.At, write.Thread))
		} else {
			before := &c.Witness.Operations[f.Before]
			list = append(list, fmt.Sprintf("(%s) thread %d reads %s = %d at tick %d in %s: too early, (%s) before it in the program performs at tick %d, and %s is %d since tick %d, by thread %d",
				op.Letter, op.Thread, location, op.Read, c.Events[j.Access].At, how+served, before.Letter, c.Events[c.Joined[f.Before].Access].At,
				location, write.Written, write.At, write.Thread))
		}
		if i := slices.IndexFunc(c.Losses, func(l Loss) bool { return l.Read == f.Read }); i >= 0 {
			list = append(list, c.Losses[i].sentences(c)...)
			continue
		}
		if f.Invalidation < 0 {
			text := "no request of others had changed the line in the controller that served (%s) until that write"
			switch {
			case j.Served < 0:
				text = "the trace does not have the transition that served (%s)"
			case j.Asked >= 0:
				text += fmt.Sprintf(", since its core asked for it at tick %d", c.Events[j.Asked].At)
			}
			list = append(list, fmt.Sprintf(text, op.Letter))
			continue
		}
		notified := "the core is not notified"
		if others := c.notified(f.Invalidation); f.Notified {
			notified = "the core is notified"
		} else if len(others) > 0 {
			notified += " (" + trace.Core(others[0]) + " is)"
		}
		text := fmt.Sprintf("the invalidation went to %s at tick %d: %s", c.row(f.Invalidation), c.Events[f.Invalidation].At, notified)
		if _, actions := c.source(&c.Events[f.Invalidation]); len(actions) > 0 {
			text += " by its actions, " + strings.Join(actions, ", ")
		}
		list = append(list, text)
	}
	for i := range c.Losses {
		if l := &c.Losses[i]; l.Read < 0 {
			list = append(list, l.sentences(c)...)
		}
	}
	if list = append(list, c.unwritten()...); len(list) == 0 {
		return c.unexplained()
	}
	return list
}

// unwritten says which reads return what no access has written to their location.
func (c *Cause) unwritten() []string {
	var list []string
	for i, op := range c.Witness.Operations {
		if j := c.Joined[i]; op.Reads && op.Read != 0 && j.Access >= 0 && !slices.ContainsFunc(c.Events, func(e trace.Event) bool {
			return e.Kind == trace.Access && e.Writes && e.Loc == op.Loc && e.Written == op.Read
		}) && !slices.ContainsFunc(c.Witness.Operations, func(w Operation) bool { return w.Writes && w.Loc == op.Loc && w.Written == op.Read }) {
			list = append(list, fmt.Sprintf("(%s) thread %d reads %s = %d at tick %d%s: no store of the trace wrote that",
				op.Letter, op.Thread, c.program.Locations[op.Loc], op.Read, c.Events[j.Access].At, c.servedIn(j.Served)))
		}
	}
	return list
}

// unexplained says what is known where no read is wrong and no value is lost.
func (c *Cause) unexplained() []string {
	var missing []string
	for i, op := range c.Witness.Operations {
		if op.Loc >= 0 && c.Joined[i].Access < 0 {
			missing = append(missing, "("+op.Letter+")")
		}
	}
	inversions := c.inversions(false)
	if len(inversions) == 0 {
		inversions = c.inversions(true)
	}
	latest := "each read has the latest value when it performs"
	if slices.ContainsFunc(c.Joined, func(j Joined) bool { return j.Forwarded }) {
		latest += ", or that of an earlier store of its own thread"
	}
	switch {
	case len(missing) > 0:
		return append([]string{"the trace has no access of " + strings.Join(missing, ", ") + ": the cause is not known"}, inversions...)
	case len(inversions) > 0:
		return append([]string{latest + ": the order of the accesses is not that of the program"}, inversions...)
	}
	return []string{latest + ", and no access performs before an earlier one of its thread: the trace does not show the cause"}
}

// inversions say which operations of the witness perform before earlier ones of
// their thread: loads that pass stores, or all others.
func (c *Cause) inversions(passing bool) []string {
	var list []string
	for i := range c.Witness.Operations {
		for k := range c.Witness.Operations {
			first, then := &c.Witness.Operations[i], &c.Witness.Operations[k]
			early, late := c.Joined[k].Access, c.Joined[i].Access
			if first.Thread != then.Thread || first.Number >= then.Number || c.Joined[i].Forwarded || c.Joined[k].Forwarded || early < 0 || early >= late || passing == (first.Reads || then.Writes) {
				continue
			}
			list = append(list, fmt.Sprintf("(%s) of thread %d performs at tick %d, before (%s), which precedes it in the program and performs at tick %d",
				then.Letter, then.Thread, c.Events[early].At, first.Letter, c.Events[late].At))
		}
	}
	return list
}

// row is a transition with its place in the source.
func (c *Cause) row(i int) string {
	e := &c.Events[i]
	text := fmt.Sprintf("%s (%s, %s) → %s", e.Place, e.State, e.Name, e.Next)
	if place, _ := c.source(e); place != "" {
		text += " at " + place
	}
	return text
}

// Address is that of the location of an operation of the witness; false for a
// fence.
func (c *Cause) Address(op *Operation) (address int64, ok bool) {
	if op.Loc < 0 {
		return 0, false
	}
	return c.lineOf(op.Loc) + c.program.Offset(op.Loc)%gen.LineBytes, true
}

// source is the place of a transition in the text of the protocol, and the names
// of its actions.
func (c *Cause) source(e *trace.Event) (place string, actions []string) {
	if c.table == nil || e.Kind != trace.Transition {
		return "", nil
	}
	return c.table(machineOf(e.Place), e.State, e.Name)
}

// machineOf is the machine of a controller: "L1Cache 2" is one of L1Cache.
func machineOf(place string) string {
	machine, _, _ := strings.Cut(place, " ")
	return machine
}
