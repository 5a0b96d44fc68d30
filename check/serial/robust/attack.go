package robust

import (
	"slices"

	"ordeal/check/serial"
	"ordeal/parse/formats/events"
)

const none = -1

// attack plays an execution of SC again from one write on, with the attacker
// delaying its writes.
type attack struct {
	s *events.Sequence
	// writer is, for each read and update, the last write of its variable,
	// -1 for the initial value.
	writer []int32
	// last is the last access of each thread to each variable.
	last []int32
	// stopped are the threads that do not go on: their next event would see
	// another value than it did, or is a fence of the attacker.
	stopped []bool
	// skipped are the writes that do not happen or are delayed.
	skipped []bool
	// own is the last delayed write of each variable.
	own []int32
	// exposed is, by variable, the last read of the attacker from memory
	// while w waits.
	exposed []int32
	// led are the threads, reads and writes that conflicts lead to from an
	// overwriting write, each with the attacker's read.
	ledThread, ledRead, ledWrite []int32
	// kept are the events that happen, w and later.
	kept []bool
}

func newAttack(s *events.Sequence) *attack {
	n, threads, variables := len(s.Events), len(s.Threads), len(s.Variables)
	a := &attack{
		s: s, writer: make([]int32, n), skipped: make([]bool, n), kept: make([]bool, n),
		stopped: make([]bool, threads), ledThread: make([]int32, threads),
		own: make([]int32, variables), exposed: make([]int32, variables),
		ledRead: make([]int32, variables), ledWrite: make([]int32, variables),
	}
	a.last = slices.Repeat([]int32{none}, threads*variables)
	last := slices.Repeat([]int32{none}, variables)
	for i := range s.Events {
		e := &s.Events[i]
		a.writer[i] = none
		if e.Var >= 0 {
			a.last[int(e.Thread)*variables+int(e.Var)] = int32(i)
		}
		if e.Kind == events.Read || e.Kind == events.Update {
			a.writer[i] = last[e.Var]
		}
		if e.Kind == events.Write || e.Kind == events.Update {
			last[e.Var] = int32(i)
		}
	}
	return a
}

// run plays on from write w and returns the attacker's read and the access
// that make a violation.
func (a *attack) run(w int32) (read, access int32, found bool) {
	for _, list := range [][]int32{a.own, a.exposed, a.ledThread, a.ledRead, a.ledWrite} {
		for i := range list {
			list[i] = none
		}
	}
	clear(a.stopped)
	running := len(a.s.Threads)
	attacker, variable := a.s.Events[w].Thread, a.s.Events[w].Var
	i := w
	defer func() { clear(a.skipped[w:i]) }()
	for end := a.end(w); i < end && running > 0; {
		e := &a.s.Events[i]
		lead := int32(none)
		if e.Thread != attacker {
			lead = a.lead(e)
		}
		a.kept[i] = !a.stopped[e.Thread]
		switch {
		case a.stopped[e.Thread]:
		case lead != none && e.Var == variable:
			return lead, i, true
		case a.stops(i, e, attacker):
			a.kept[i], a.stopped[e.Thread] = false, true
			running--
		case lead != none:
			a.follow(e, lead)
		}
		if writes(e) && (!a.kept[i] || e.Thread == attacker) {
			a.skipped[i] = true
		}
		i++
	}
	return none, none, false
}

// end is the end of the last access to the variable of write w by another
// thread: after it, or with none after w, there is nothing to find.
func (a *attack) end(w int32) int32 {
	e := &a.s.Events[w]
	last := int32(none)
	for t := range a.s.Threads {
		if int32(t) != e.Thread {
			last = max(last, a.last[t*len(a.s.Variables)+int(e.Var)])
		}
	}
	return last + 1
}

func writes(e *events.Event) bool { return e.Kind == events.Write || e.Kind == events.Update }

// stops lets event i happen while w waits, and reports whether it cannot, or
// would see another value than it did.
func (a *attack) stops(i int32, e *events.Event, attacker int32) bool {
	if e.Thread == attacker {
		return !a.delayed(i, e)
	}
	return a.starved(i)
}

// starved reports whether event i reads a write that does not happen or is
// delayed.
func (a *attack) starved(i int32) bool { return a.writer[i] != none && a.skipped[a.writer[i]] }

// delayed lets the attacker's event i happen while w waits, and reports
// whether it can, and reads what it did.
func (a *attack) delayed(i int32, e *events.Event) bool {
	switch {
	case e.Kind.Drains():
		return false
	case e.Kind == events.Write:
		a.own[e.Var] = i
	case a.own[e.Var] != none: // the read is forwarded
		return a.writer[i] == a.own[e.Var]
	case a.starved(i):
		return false
	default:
		a.exposed[e.Var] = i
	}
	return true
}

// lead is the attacker's read from which conflicts lead to an event of another
// thread, -1 if there is none.
func (a *attack) lead(e *events.Event) int32 {
	r := a.ledThread[e.Thread]
	if e.Var >= 0 {
		r = max(r, a.ledWrite[e.Var])
	}
	if writes(e) {
		r = max(r, a.ledRead[e.Var], a.exposed[e.Var])
	}
	return r
}

func (a *attack) follow(e *events.Event, r int32) {
	a.ledThread[e.Thread] = r
	switch {
	case writes(e):
		a.ledWrite[e.Var] = r
	case e.Kind == events.Read:
		a.ledRead[e.Var] = r
	}
}

// execution is the violation that run has found from w to access e.
func (a *attack) execution(w, e int32) (*events.Sequence, error) {
	c := serial.NewCopier(a.s)
	attacker := a.s.Events[w].Thread
	for i := range e + 1 {
		if i >= w && !a.kept[i] {
			continue
		}
		if err := c.Copy(i); err != nil {
			return nil, err
		}
		if event := &a.s.Events[i]; event.Kind == events.Write && (event.Thread != attacker || i < w) {
			if err := c.Commit(int(event.Thread)); err != nil {
				return nil, err
			}
		}
	}
	return c.Sequence(), c.Drain(int(attacker))
}
