package diagnose

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"ordeal/check/picture/chart"
	"ordeal/sim/trace"
)

// WriteText writes for each operation of the witness its place in the program,
// the line, the tick at which it performed and the transitions that served it,
// each with its place in the source of the protocol; then what went wrong.
func (c *Cause) WriteText(w io.Writer) error {
	var out bytes.Buffer
	for i, op := range c.Witness.Operations {
		fmt.Fprintf(&out, "(%s) %s: %s", op.Letter, op.Place(), op.Text)
		if address, ok := c.Address(&op); ok {
			fmt.Fprintf(&out, "; address %#x, %s", address, c.Performed(i))
		}
		out.WriteString("\n")
		c.transitions(&out, c.Joined[i])
		out.WriteString("\n")
	}
	for _, s := range c.Sentences() {
		fmt.Fprintln(&out, s)
	}
	_, err := w.Write(out.Bytes())
	return err
}

// Performed says when operation i of the witness performed.
func (c *Cause) Performed(i int) string {
	j := c.Joined[i]
	switch {
	case j.Access < 0:
		return "the trace has no access of it"
	case j.Forwarded:
		return fmt.Sprintf("forwarded from a store of its thread that performed at tick %d", c.Events[j.Access].At)
	}
	return fmt.Sprintf("performed at tick %d", c.Events[j.Access].At)
}

// Step is a transition that served an operation of the witness.
type Step struct {
	Tick int64 `json:"tick"`
	// Place is the controller, Row the transition as (STATE, EVENT) → NEXT, Source
	// its place in the text of the protocol, as file:line; empty where that is not
	// known.
	Place   string   `json:"controller"`
	Row     string   `json:"transition"`
	Source  string   `json:"source,omitempty"`
	Actions []string `json:"actions,omitempty"`
}

// transitions writes those that served an operation.
func (c *Cause) transitions(out io.Writer, j Joined) {
	for _, s := range c.steps(j) {
		fmt.Fprintf(out, "%14d  %s  %s  %s  %s\n", s.Tick, s.Place, s.Row, s.Source, strings.Join(s.Actions, " "))
	}
}

// Steps are those that served operation i of the witness.
func (c *Cause) Steps(i int) []Step { return c.steps(c.Joined[i]) }

// steps are the transitions of the controller that served an access, from the
// request of its core on.
func (c *Cause) steps(j Joined) []Step {
	if j.Served < 0 {
		return nil
	}
	from := j.Asked
	if from < 0 {
		from = j.Served
	}
	var list []Step
	last := -1
	for i := from; i <= j.Served; i++ {
		if !c.samePlace(i, j.Served) || c.repeats(last, i) {
			continue
		}
		last = i
		e := &c.Events[i]
		place, actions := c.source(e)
		list = append(list, Step{Tick: e.At, Place: e.Place, Row: fmt.Sprintf("(%s, %s) → %s", e.State, e.Name, e.Next), Source: place, Actions: actions})
	}
	return list
}

// repeats reports whether a transition is the same as another, as where a message
// is polled again and again while it has to wait.
func (c *Cause) repeats(last, i int) bool {
	if last < 0 {
		return false
	}
	a, b := &c.Events[last], &c.Events[i]
	return a.State == a.Next && a.State == b.State && a.Next == b.Next && a.Name == b.Name && a.Place == b.Place && a.Line == b.Line
}

// legend says what the marks of the picture mean.
var legend = map[string]string{
	chart.Fault:   "the wrong read, the transition that served it, and the messages that brought its value",
	chart.Cause:   "what made it wrong: the store of the new value, and the invalidation or where the value is lost",
	chart.Witness: "the other operations of the witness",
}

// WriteSVG draws the events from the request for the first wrong read to the
// last operation of the witness.
func (c *Cause) WriteSVG(w io.Writer, title string) error {
	d := &chart.Chart{Title: title, Notes: c.Sentences(), Legend: legend, Lines: c.lines, Accesses: map[int]string{}, Values: map[int]string{}, Serves: map[int]string{}, Marks: map[int]chart.Mark{}}
	serves := c.serves()
	kept, omitted := c.shown()
	d.Omitted = omitted
	if slices.ContainsFunc(kept, func(event int) bool { return serves[event] != "" }) {
		d.Notes = append(slices.Clip(d.Notes), "A letter in parentheses: the message or transition serves that operation of the witness.")
	}
	marks := c.marks()
	for n, i := range kept {
		e := c.Events[i]
		d.Events = append(d.Events, e)
		d.Serves[n] = serves[i]
		if e.Kind == trace.Message {
			d.Values[n] = c.carried(&e)
		}
		mark, marked := marks[i]
		if e.Kind == trace.Access {
			d.Accesses[n] = operationText(c.program.Locations[e.Loc], e.Reads, e.Writes, e.Read, e.Written)
			if op := c.operation(i); op >= 0 {
				d.Accesses[n] = c.Witness.Operations[op].Letter + ": " + c.Witness.Operations[op].Text
				if !marked {
					mark, marked = chart.Mark{Class: chart.Witness}, true
				}
			}
		}
		if place, _ := c.source(&e); marked {
			mark.Note = strings.TrimSpace(mark.Note + "  " + place)
			d.Marks[n] = mark
		}
	}
	return d.WriteSVG(w)
}

// carried is the data of a message, at the locations of the witness in its line; empty
// for one without data.
func (c *Cause) carried(e *trace.Event) string {
	if e.Data == nil {
		return ""
	}
	var list []string
	for _, l := range c.Witness.Locations() {
		if c.lineOf(l) == e.Line {
			list = append(list, fmt.Sprintf("%s = %d", c.program.Locations[l], e.Data[c.word(l)]))
		}
	}
	return strings.Join(list, ", ")
}

// shown are the events from the request for the first wrong read to the last
// operation of the witness, by their index, and the number of those between them
// that do not matter to it. Of what follows the new values that is all but what
// serves the witness and what reaches the controllers that served the wrong reads.
func (c *Cause) shown() (kept []int, omitted int) {
	first, last := c.window()
	mine, lines, late := c.places(), c.faultLines(), c.late()
	serves, marks := c.serves(), c.marks()
	before := map[string]int{} // the last transition of a controller
	for i := range c.Events {
		op, marked := c.operation(i), marks[i].Class != ""
		e := &c.Events[i]
		switch {
		case e.Kind == trace.Commit || e.Kind == trace.Notice:
			continue
		case op < 0 && !marked && (i < first || i > last): // a marked message may have left earlier
			continue
		case e.Kind == trace.Access && op < 0 && !(e.Writes && lines[e.Line]):
			continue // of no matter to the witness
		case e.Kind != trace.Access && !lines[e.Line], e.Kind == trace.Transition && !mine[e.Place], e.Kind == trace.Message && !marked && !(mine[e.Place] && mine[e.To]):
			omitted++
			continue
		case late(i) && op < 0 && serves[i] == "" && !marked:
			omitted++
			continue
		}
		if e.Kind == trace.Transition {
			if last, ok := before[e.Place]; ok && c.repeats(last, i) && serves[i] == serves[last] && !marked {
				omitted++
				continue
			}
			before[e.Place] = i
		}
		kept = append(kept, i)
	}
	return kept, omitted
}

// late reports of an event whether it follows all the values that the wrong reads
// missed, and reaches none of the controllers that served these reads before they
// performed. Nothing is late where there are no wrong reads.
func (c *Cause) late() func(event int) bool {
	written := len(c.Events)
	if len(c.Faults) > 0 {
		written = -1
	}
	performed := map[string]int{} // the last wrong read of a controller
	for _, f := range c.Faults {
		j := c.Joined[f.Read]
		written = max(written, f.Overwritten)
		if j.Served >= 0 {
			place := c.Events[j.Served].Place
			performed[place] = max(performed[place], j.Access)
		}
	}
	return func(event int) bool {
		e := &c.Events[event]
		to := e.Place
		if e.Kind == trace.Message {
			to = e.To
		}
		read, ok := performed[to]
		return event > written && !(ok && event <= read)
	}
}

// ShownText are the events that the chart shows, a line each.
func (c *Cause) ShownText() []string {
	kept, _ := c.shown()
	marks := c.marks()
	var lines []string
	for _, i := range kept {
		line := c.EventText(&c.Events[i])
		if note := marks[i].Note; note != "" {
			line += "  ← " + note
		}
		lines = append(lines, line)
	}
	return lines
}

// marks are those of the events of the faults, by their index.
func (c *Cause) marks() map[int]chart.Mark {
	marks := map[int]chart.Mark{}
	mark := func(event int, class, note string) {
		if event >= 0 {
			marks[event] = chart.Mark{Class: class, Note: note}
		}
	}
	for _, f := range c.Faults {
		j := c.Joined[f.Read]
		note := "stale value read here"
		switch {
		case j.Forwarded:
			note = c.Witness.Operations[f.Read].Letter + " has this value too early, and is not repeated"
		case f.Before >= 0:
			note = "read too early, and not repeated"
		}
		for i := range c.Witness.Operations {
			op, before := &c.Witness.Operations[f.Read], &c.Witness.Operations[i]
			at := c.Joined[i].Access
			if _, marked := marks[at]; !marked && before.Thread == op.Thread && before.Number < op.Number && before.Reads && at > j.Access {
				mark(at, chart.Witness, "before "+op.Letter+" in the program, performed after it")
			}
		}
		mark(j.Access, chart.Fault, note)
		mark(j.Served, chart.Fault, "")
		if f.Invalidation >= 0 {
			note := "invalidated here, the core is not notified"
			if f.Notified {
				note = "invalidated here, the core is notified"
			}
			mark(f.Invalidation, chart.Cause, note)
		}
		mark(c.brought(j.Served), chart.Fault, "")
		mark(c.brought(f.Invalidation), chart.Cause, "")
		mark(f.Overwritten, chart.Cause, "the new value")
	}
	for i := range c.Torn {
		c.Torn[i].mark(c, mark)
	}
	for i := range c.Losses {
		c.Losses[i].mark(mark)
	}
	return marks
}

// brought is the message that a transition handles: the last one about its line
// that had arrived; -1 if there is none.
func (c *Cause) brought(transition int) int {
	found := -1
	if transition < 0 || c.Events[transition].Own {
		return found
	}
	t := &c.Events[transition]
	for i := range c.Events {
		e := &c.Events[i]
		if e.Kind == trace.Message && e.To == t.Place && e.Line == t.Line && e.Arrives <= t.At && (found < 0 || e.Arrives >= c.Events[found].Arrives) {
			found = i
		}
	}
	return found
}

// operation is the operation of the witness that an event performed; -1 if it is
// none.
func (c *Cause) operation(event int) int {
	for i, j := range c.Joined {
		if j.Access == event {
			return i
		}
	}
	return -1
}

// window is the part of the trace that shows the faults, or the whole witness
// where there are none.
func (c *Cause) window() (first, last int) {
	first, last = len(c.Events), 0
	add := func(list ...int) {
		for _, i := range list {
			if i >= 0 {
				first, last = min(first, i), max(last, i)
			}
		}
	}
	for _, f := range c.Faults {
		j := c.Joined[f.Read]
		add(j.Asked, j.Served, j.Access, f.Invalidation, f.Overwritten)
		if f.Before >= 0 {
			add(c.Joined[f.Before].Access)
		}
		for i, op := range c.Witness.Operations {
			if op.Writes && c.Joined[i].Access == f.Overwritten {
				add(c.Joined[i].Asked)
			}
		}
	}
	for i := range c.Torn {
		add(c.Torn[i].events(c)...)
	}
	for i := range c.Losses {
		add(c.Losses[i].events(c)...)
	}
	if len(c.Faults)+len(c.Torn)+len(c.Losses) == 0 {
		for _, j := range c.Joined {
			add(j.Asked, j.Access)
		}
	}
	return first, last
}

// faultLines are the lines of the wrong reads, or all where there are none.
func (c *Cause) faultLines() map[int64]bool {
	lines := map[int64]bool{}
	for _, f := range c.Faults {
		lines[c.Events[c.Joined[f.Read].Access].Line] = true
	}
	for i := range c.Torn {
		lines[c.Events[c.Torn[i].First].Line] = true
	}
	for i := range c.Losses {
		lines[c.Events[c.Losses[i].Write].Line] = true
	}
	for line := range c.lines {
		if len(c.Faults)+len(c.Torn)+len(c.Losses) == 0 {
			lines[line] = true
		}
	}
	return lines
}

// places are the lanes that matter: cores of the witness, the controllers that
// served them, and all that are no caches of cores.
func (c *Cause) places() map[string]bool {
	private, mine := map[string]bool{}, map[string]bool{}
	for i := range c.Events {
		e := &c.Events[i]
		switch {
		case e.Kind == trace.Transition && e.Own:
			private[e.Place] = true
		case e.Kind == trace.Transition:
			mine[e.Place] = true
		case e.Kind == trace.Access:
			mine[e.Place] = true
		case e.Kind == trace.Message:
			mine[e.To] = true
		}
	}
	for place := range private {
		delete(mine, place)
	}
	for _, j := range c.Joined {
		if j.Served >= 0 {
			mine[c.Events[j.Served].Place] = true
		}
	}
	for i := range c.Torn {
		for _, event := range c.Torn[i].events(c) {
			if event >= 0 {
				mine[c.Events[event].Place] = true
			}
		}
	}
	for i := range c.Losses {
		for _, event := range c.Losses[i].events(c) {
			if event >= 0 {
				mine[c.Events[event].Place] = true
			}
		}
	}
	return mine
}
