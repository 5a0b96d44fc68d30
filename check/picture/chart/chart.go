// Package chart draws message sequence charts of coherence protocols: from the
// events of a run to an SVG picture with a lane for each core and controller,
// time running down, an arrow for each message and a box for each transition and
// access.
//
// No two of its texts lie on each other, and none on a lifeline or an arrow: each box
// and each end of a message has a row of its own, and an arrow consists of horizontal
// lines in the rows of its ends and of a vertical one, for the time in which the
// message is under way, in a track beside the boxes of the receiver's lane. Tracks are
// given in the order of sending, so that the arrows of two messages to a lane cross
// there where the later one overtakes.
package chart

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ordeal/sim/trace"
)

// Mark makes an event stand out.
type Mark struct {
	// Class is Fault, Cause or Witness; Note is written in the box.
	Class, Note string
}

// The classes of marks.
const (
	// Fault is where the wrong value was read, Cause what made it wrong, Witness
	// an operation of the refutation.
	Fault, Cause, Witness = "fault", "cause", "witness"
)

// Chart is what to draw.
type Chart struct {
	Title string
	// Notes are sentences below the title.
	Notes []string
	// Legend says what the classes of marks mean; those without a text are not
	// explained.
	Legend map[string]string
	// Events are in the order in which they happened; those of kind Commit and
	// Notice are not drawn.
	Events []trace.Event
	// Lines names the lines; a line without a name has its address.
	Lines map[int64]string
	// Accesses has the text of events of kind Access, by index; those without one
	// are not drawn.
	Accesses map[int]string
	// Values has the text of the data that a message carries, by index.
	Values map[int]string
	// Serves has the letters of the operations of the witness that a message or a
	// transition serves, by index.
	Serves map[int]string
	// Marks are by index of the event.
	Marks map[int]Mark
	// Omitted counts events that the caller left out.
	Omitted int
}

// MaxEvents bounds the points of a chart; the last ones stay, and those with a
// mark.
const MaxEvents = 120

// point is an event on a lane: a transition, an access, or an end of a message.
type point struct {
	at    int64
	order int // among those of the same tick
	lane  string
	event int
	end   bool // of the message
	// times is how often a transition that changes no state is repeated, as one that
	// waits is: it is drawn once.
	times int
}

// boxText is what a box says, in lines.
func (c *Chart) boxText(p *point) []string {
	e := &c.Events[p.event]
	if e.Kind == trace.Access {
		return []string{c.Accesses[p.event]}
	}
	event, states := c.served(p.event)+e.Name+":", fmt.Sprintf("%s → %s%s", e.State, e.Next, c.line(e.Line))
	if p.times > 0 {
		states += fmt.Sprintf(" ×%d", p.times+1)
	}
	if len([]rune(event+states)) < boxLetters {
		return []string{event + " " + states}
	}
	return []string{event, states}
}

// labelText is what stands at the ends of an arrow, in lines.
func (c *Chart) labelText(event int) []string {
	e := &c.Events[event]
	name, data := c.served(event)+e.Name, c.Values[event]
	switch {
	case data == "":
		return []string{name + c.line(e.Line)}
	case len(name)+len(data) < labelLetters:
		return []string{name + " " + data}
	}
	return []string{name, data}
}

// served begins the text of what serves an operation of the witness.
func (c *Chart) served(event int) string {
	if letters := c.Serves[event]; letters != "" {
		return "(" + letters + ") "
	}
	return ""
}

// line names a line where there are several.
func (c *Chart) line(line int64) string {
	name, ok := c.Lines[line]
	switch {
	case !ok:
		return fmt.Sprintf(" %#x", line)
	case len(c.Lines) == 1:
		return ""
	}
	return " " + name
}

// drawn reports whether an event is drawn at all.
func (c *Chart) drawn(i int) bool {
	switch e := &c.Events[i]; e.Kind {
	case trace.Transition, trace.Message:
		return true
	case trace.Access:
		return c.Accesses[i] != ""
	}
	return false
}

// points returns the points to draw in order, and the number of those left out.
func (c *Chart) points() (kept []point, cut int) {
	var points []point
	for i := range c.Events {
		if !c.drawn(i) {
			continue
		}
		switch e := &c.Events[i]; e.Kind {
		case trace.Message:
			end := point{at: e.Arrives, order: 0, lane: e.To, event: i, end: true}
			if e.Arrives <= e.At {
				end.at, end.order = e.At, 3 // never before it was sent
			}
			points = append(points, point{at: e.At, order: 2, lane: e.Place, event: i}, end)
		default:
			points = append(points, point{at: e.At, order: 1, lane: e.Place, event: i})
		}
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	points, cut = c.withoutRepeats(points)
	from := max(0, len(points)-MaxEvents)
	// A message stays as a whole.
	whole := map[int]bool{}
	for i, p := range points {
		if _, marked := c.Marks[p.event]; i >= from || marked {
			whole[p.event] = true
		}
	}
	for _, p := range points {
		if whole[p.event] {
			kept = append(kept, p)
		}
	}
	return kept, cut + len(points) - len(kept)
}

// withoutRepeats draws a transition that changes no state once, if it is repeated
// with no other transition of the controller for the line in between, and no message:
// an access that waits. Repeats says how many points are left out.
func (c *Chart) withoutRepeats(points []point) (kept []point, repeats int) {
	type place struct {
		lane string
		line int64
	}
	latest := map[place]int{} // in kept
	for _, p := range points {
		e := &c.Events[p.event]
		at := place{p.lane, e.Line}
		if p.end {
			delete(latest, at)
		}
		if e.Kind == trace.Transition {
			if i, ok := latest[at]; ok && c.repeats(kept[i].event, p.event) {
				kept[i].times++
				repeats++
				continue
			}
			latest[at] = len(kept)
		}
		kept = append(kept, p)
	}
	return kept, repeats
}

// repeats reports whether two events are the same transition, which changes no state
// and has no mark.
func (c *Chart) repeats(i, k int) bool {
	a, b := &c.Events[i], &c.Events[k]
	_, first := c.Marks[i]
	_, second := c.Marks[k]
	return !first && !second && a.State == a.Next && b.State == b.Next && a.State == b.State && a.Name == b.Name && c.Serves[i] == c.Serves[k]
}

// lanesOf lists the lanes: of each core, then its caches, then those that are shared.
func lanesOf(points []point) []string {
	var lanes []string
	for _, p := range points {
		if !slices.Contains(lanes, p.lane) {
			lanes = append(lanes, p.lane)
		}
	}
	slices.SortFunc(lanes, func(a, b string) int {
		g, m, k := rank(a)
		h, n, l := rank(b)
		return cmp.Or(g-h, m-n, strings.Compare(k, l))
	})
	return lanes
}

// rank is where a lane stands: those of cores and of their caches by the number of the
// core, then the shared ones by kind and number.
func rank(lane string) (group, number int, kind string) {
	name, digits, _ := strings.Cut(lane, " ")
	number, _ = strconv.Atoi(digits)
	switch name {
	case "core":
		return 0, number, "0"
	case "L1Cache", "L0Cache", "L1":
		return 0, number, "1" + name
	case "CorePair": // of cores 2n and 2n+1
		return 0, 2*number + 1, "1" + name
	case "L2Cache", "L3Cache":
		return 1, number, name
	}
	return 2, number, name
}
