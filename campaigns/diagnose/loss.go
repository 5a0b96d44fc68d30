package diagnose

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"ordeal/check/picture/chart"
	"ordeal/gen"
	"ordeal/sim/trace"
)

// Final is a value that a location had at the end.
type Final struct {
	Loc   gen.LocID
	Value gen.Value
}

// Loss is where a value got lost that a store had written: an older one was found later.
type Loss struct {
	Loc gen.LocID
	// Read is the operation of the witness that found the older value, -1 for the end
	// of the run.
	Read  int
	Found gen.Value
	// Write is the access that wrote the value, by its index.
	Write int
	// At is the transition after which no message has the value any more: the last one
	// that handled a message with it, or that of the store itself, or where Gives the
	// one by which the controller of the store gave up the line. Message brought the
	// value there; -1 for none.
	At, Message int
	Gives       bool
	// Older are the messages with an older value that were sent later, from there to
	// the reader.
	Older []int
}

// losses are those of the final values of the witness, and of the reads of outdated values
// that a message brought which left after the store.
func (c *Cause) losses() []Loss {
	var list []Loss
	for _, f := range c.Witness.Finals {
		if write := c.lastWrite(f.Loc); write >= 0 && c.Events[write].Written != f.Value {
			l := Loss{Loc: f.Loc, Read: -1, Found: f.Value, Write: write}
			if c.follow(&l, c.finalReader(write), len(c.Events)) {
				list = append(list, l)
			}
		}
	}
	for _, f := range c.Faults {
		op, j := &c.Witness.Operations[f.Read], c.Joined[f.Read]
		if f.Before >= 0 || j.Served < 0 || c.Events[j.Served].Own {
			continue
		}
		l := Loss{Loc: op.Loc, Read: f.Read, Found: op.Read, Write: f.Overwritten}
		if c.follow(&l, c.Events[j.Served].Place, j.Served) && len(l.Older) > 0 {
			list = append(list, l)
		}
	}
	return list
}

// finalReader is the controller whose core asked for the line of a write last, to read the
// final values, which is no access of the program; empty where none did after the last
// access to the line.
func (c *Cause) finalReader(write int) string {
	place := ""
	for i := write + 1; i < len(c.Events); i++ {
		switch e := &c.Events[i]; {
		case e.Line != c.Events[write].Line:
		case e.Kind == trace.Access:
			place = ""
		case e.Kind == trace.Transition && e.Own:
			place = e.Place
		}
	}
	return place
}

// lastWrite is the last access that wrote a location; -1 if there is none.
func (c *Cause) lastWrite(loc gen.LocID) int {
	last := -1
	for i := range c.Events {
		if e := &c.Events[i]; e.Kind == trace.Access && e.Writes && e.Loc == loc {
			last = i
		}
	}
	return last
}

// longest bounds the messages that a value is followed back along.
const longest = 100

// follow goes back along the messages with the data of the line that came to a controller
// before an event, to any for no place, until one has the value that was written. It
// reports whether it finds where the value got lost.
func (c *Cause) follow(l *Loss, place string, end int) bool {
	write := &c.Events[l.Write]
	l.At, l.Message = -1, -1
	served := c.served(l.Write)
	for range longest {
		m := c.broughtData(write.Line, place, end)
		if m < 0 || c.Events[m].At < write.At {
			break
		}
		e := &c.Events[m]
		if e.Data[c.word(l.Loc)] == write.Written {
			l.Message, l.At = m, c.handles(m)
			return l.At >= 0
		}
		l.Older = append(l.Older, m)
		place, end = e.Place, m
	}
	if served < 0 {
		return false
	}
	if place == c.Events[served].Place {
		l.At = served
		return true
	}
	for i := served + 1; i < end; i++ {
		if e := &c.Events[i]; c.samePlace(i, served) && e.State != e.Next && !e.Own {
			l.At, l.Gives = i, true
			for m := i; m < end; m++ { // it may have gone to a place that asked for none
				if e := &c.Events[m]; e.Kind == trace.Message && e.Line == write.Line && e.Data != nil && e.Data[c.word(l.Loc)] == write.Written && c.handles(m) >= 0 {
					l.At, l.Message, l.Gives = c.handles(m), m, false
				}
			}
			return true
		}
	}
	return false
}

// word is the place of a location in the data of its line.
func (c *Cause) word(l gen.LocID) int64 { return c.program.Offset(l) % gen.LineBytes / gen.WordBytes }

// broughtData is the last message with the data of a line that came to a controller
// before an event, for no place to any that handles it; -1 if there is none.
func (c *Cause) broughtData(line int64, place string, before int) int {
	end := int64(-1)
	if before < len(c.Events) {
		end = c.Events[before].At
	}
	var list []int
	for i := range c.Events {
		e := &c.Events[i]
		if e.Kind == trace.Message && e.Data != nil && e.Line == line && (place == "" || e.To == place) && i != before && (end < 0 || e.Arrives <= end) {
			list = append(list, i)
		}
	}
	slices.SortStableFunc(list, func(i, k int) int { return cmp.Compare(c.Events[i].Arrives, c.Events[k].Arrives) })
	for _, i := range slices.Backward(list) {
		if place != "" || c.handles(i) >= 0 {
			return i
		}
	}
	return -1
}

// handles is the transition that handles a message; -1 if it is not in the trace.
func (c *Cause) handles(message int) int {
	m := &c.Events[message]
	for i := message + 1; i < len(c.Events); i++ {
		if e := &c.Events[i]; e.Kind == trace.Transition && e.Place == m.To && e.Line == m.Line && e.At >= m.Arrives && !e.Own {
			return i
		}
	}
	return -1
}

// sentences say of a final value what it should be, and where the value got lost.
func (l *Loss) sentences(c *Cause) []string {
	var list []string
	write, name := &c.Events[l.Write], c.program.Locations[l.Loc]
	if l.Read < 0 {
		list = append(list, fmt.Sprintf("the final value of %s is %d, which is older than %d, written at tick %d by thread %d", name, l.Found, write.Written, write.At, write.Thread))
	}
	at := fmt.Sprintf("%s at tick %d", c.row(l.At), c.Events[l.At].At)
	var text string
	switch {
	case l.Gives:
		text = fmt.Sprintf("the value is lost in %s: it gives up the line, and no message carries %s = %d after that", at, name, write.Written)
	case l.Message >= 0:
		m := &c.Events[l.Message]
		text = fmt.Sprintf("the value is lost in %s: %s from %s brings %s = %d, and what is found after that is older", at, m.Name, m.Place, name, write.Written)
	case len(l.Older) > 0:
		text = fmt.Sprintf("the value is lost after %s, which serves the store: what the controller sends is older", at)
	default:
		text = fmt.Sprintf("the value is lost after %s, which serves the store: no message brings an older one", at)
	}
	if _, actions := c.source(&c.Events[l.At]); len(actions) > 0 {
		text += "; its actions: " + strings.Join(actions, ", ")
	}
	return append(list, text)
}

// mark marks where the value got lost, and the messages with it and with what was found.
func (l *Loss) mark(mark func(event int, class, note string)) {
	mark(l.Write, chart.Cause, "the new value")
	for _, m := range l.Older {
		mark(m, chart.Fault, "")
	}
	mark(l.Message, chart.Cause, "")
	mark(l.At, chart.Cause, "the new value is lost here")
}

// events are those that a picture of the loss shows.
func (l *Loss) events(c *Cause) []int {
	return append([]int{l.Write, c.served(l.Write), l.Message, l.At}, l.Older...)
}
