package diagnose

import (
	"fmt"
	"strings"

	"ordeal/check/picture/chart"
	"ordeal/gen"
	"ordeal/sim/trace"
)

// Torn is an atomic operation of two accesses, as a locked pair or a linked load and its
// store, between which another access wrote the location: it is not atomic.
type Torn struct {
	// Operation is that of the witness, by its index; Joined.Access is its write.
	Operation int
	// First is the access that read, Between the last other write before its own one, by
	// their indexes. Taken is the last transition between these by which the controller
	// that served First changed the line at the request of others; -1 if there is none.
	First, Between, Taken int
}

// torn looks for a write between the two accesses of an operation; false if it has one
// access, or none came between.
func (c *Cause) torn(i int) (Torn, bool) {
	op, end := &c.Witness.Operations[i], c.Joined[i].Access
	t := Torn{Operation: i, First: -1, Between: -1, Taken: -1}
	if !op.Reads || !op.Writes || end < 0 {
		return t, false
	}
	read := c.linked(op)
	for k := range end {
		e := &c.Events[k]
		switch {
		case e.Kind != trace.Access || e.Loc != op.Loc:
		case e.Writes:
			if e.Thread != op.Thread {
				t.Between = k
			}
		case e.Thread == op.Thread && e.Read == op.Read && (e.Number < 0 || e.Number == read):
			t.First, t.Between = k, -1
		}
	}
	if t.First < 0 || t.Between < 0 {
		return t, false
	}
	if served := c.served(t.First); served >= 0 {
		if k := c.served(t.Between); k >= 0 && c.samePlace(k, served) {
			t.Taken = k // by a core that shares the controller
			return t, true
		}
		for k := t.First + 1; k < t.Between; k++ {
			if c.samePlace(k, served) && c.taken(k) {
				t.Taken = k
			}
		}
	}
	return t, true
}

// linked is the number of the operation of which the first access is: the linked load of a conditional
// store, and else its own.
func (c *Cause) linked(op *Operation) int {
	if threads := c.program.Threads; int(op.Thread) < len(threads) && threads[op.Thread][op.Index].Kind == gen.StoreConditional {
		ops := threads[op.Thread]
		for i := op.Index - 1; i >= 0; i-- {
			if ops[i].Kind == gen.LoadLinked {
				return op.Number - op.Index + i
			}
		}
	}
	return op.Number
}

// sentences say which write separates the two accesses, and where the line was taken.
func (t *Torn) sentences(c *Cause) []string {
	op, j := &c.Witness.Operations[t.Operation], c.Joined[t.Operation]
	first, between, name := &c.Events[t.First], &c.Events[t.Between], c.program.Locations[op.Loc]
	list := []string{fmt.Sprintf("(%s) of thread %d is not atomic: it reads %s = %d at tick %d%s, thread %d writes %s = %d at tick %d, and then it writes %s = %d at tick %d%s",
		op.Letter, op.Thread, name, first.Read, first.At, c.servedIn(c.served(t.First)), between.Thread, name, between.Written, between.At, name, op.Written, c.Events[j.Access].At, c.servedIn(j.Served))}
	switch {
	case c.served(t.First) < 0:
		return append(list, "the trace does not have the transition that served the read")
	case t.Taken < 0:
		return append(list, "no request of others changed the line in the controller that served the read between that and the other write")
	}
	text := fmt.Sprintf("the line is taken between the two accesses in %s at tick %d", c.row(t.Taken), c.Events[t.Taken].At)
	if _, actions := c.source(&c.Events[t.Taken]); len(actions) > 0 {
		text += "; its actions: " + strings.Join(actions, ", ")
	}
	return append(list, text)
}

// servedIn is where an access was served, if the trace has the transition.
func (c *Cause) servedIn(transition int) string {
	if transition < 0 {
		return ""
	}
	return " in " + c.row(transition)
}

// mark marks the accesses of the operation and what separates them.
func (t *Torn) mark(c *Cause, mark func(event int, class, note string)) {
	letter := c.Witness.Operations[t.Operation].Letter
	mark(t.First, chart.Fault, letter+" reads here")
	mark(c.Joined[t.Operation].Access, chart.Fault, letter+" writes here")
	mark(t.Taken, chart.Cause, "the line is taken between the two accesses of "+letter)
	mark(t.Between, chart.Cause, "a write between the two accesses of "+letter)
}

// events are those that a picture of the operation shows.
func (t *Torn) events(c *Cause) []int {
	return []int{t.First, c.served(t.First), t.Taken, t.Between, c.Joined[t.Operation].Access}
}
