// Package chart draws message sequence charts of coherence protocols: from the
// events of a run to an SVG picture with a lane for each core and controller,
// time running down, an arrow for each message and a box for each transition and
// access.
package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"ordeal/sim/trace"
)

// Mark makes an event stand out.
type Mark struct {
	// Class is Fault, Cause or Witness; Note is written beside the box.
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
	// Events are in the order in which they happened; those of kind Commit and
	// Notice are not drawn.
	Events []trace.Event
	// Lines names the lines; a line without a name has its address.
	Lines map[int64]string
	// Accesses has the text of events of kind Access, by index; those without one
	// are not drawn.
	Accesses map[int]string
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

// Sizes in pixels.
const (
	laneWidth = 190
	rowHeight = 26
	headSpace = 50
	margin    = 24
	noteSpace = 18
	boxHeight = 18
	letter    = 7 // width of a letter in a box
	bold      = 8 // of a note beside a box
	noteGap   = 6 // between both
	wordy     = 8 // of a sentence below the title
	narrowest = 640
)

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

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	points, cut := c.points()
	lanes := lanesOf(points)
	x := func(lane string) int { return margin + 40 + laneWidth/2 + laneWidth*slices.Index(lanes, lane) }
	wide := margin + 40 + laneWidth*len(lanes) + margin
	for i := range points {
		p := &points[i]
		if note := c.noteWidth(p); note > 0 {
			_, half := c.text(p)
			wide = max(wide, x(p.lane)+half+note+margin)
		}
	}
	wide = max(wide, narrowest)
	title := wrapped(c.Title, (wide-2*margin)/(wordy+1))
	var notes []string
	for _, note := range c.Notes {
		notes = append(notes, wrapped(note, (wide-2*margin)/wordy)...)
	}
	head := headSpace + noteSpace*(len(title)+len(notes))
	high := head + rowHeight*(len(points)+1) + margin
	y := func(i int) int { return head + rowHeight*(i+1) }
	var out, boxes, labels bytes.Buffer
	var taken []area // by boxes and labels
	for i := range points {
		if p := &points[i]; c.Events[p.event].Kind != trace.Message {
			_, half := c.text(p)
			at := x(p.lane)
			taken = append(taken, area{at - half, y(i) - boxHeight/2, at + half + c.noteWidth(p), y(i) + boxHeight/2})
		}
	}
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(c.Title), style)
	out.WriteString("<defs>")
	for _, class := range []string{"", Fault, Cause} {
		fmt.Fprintf(&out, `<marker id="tip%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="11" markerHeight="11" markerUnits="userSpaceOnUse" orient="auto"><path class="tip %s" d="M0 0L10 5L0 10z"/></marker>`, class, class)
	}
	fmt.Fprintf(&out, "</defs>\n"+`<rect class="paper" width="%d" height="%d"/>`+"\n", wide, high)
	for i, text := range append(title, notes...) {
		class, below := "note", margin+8+noteSpace*i
		if i < len(title) {
			class, below = "title", margin+6+noteSpace*i
		}
		fmt.Fprintf(&out, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, margin, below, html.EscapeString(text))
	}
	if cut += c.Omitted; cut > 0 {
		fmt.Fprintf(&out, `<text class="small" x="%d" y="%d">%d other events are left out</text>`+"\n", margin, margin+8+noteSpace*(len(title)+len(notes)), cut)
	}
	for _, lane := range lanes {
		fmt.Fprintf(&out, `<line class="lane" x1="%d" y1="%d" x2="%d" y2="%d"/><text class="head" x="%d" y="%d">%s</text>`+"\n",
			x(lane), head, x(lane), high-margin, x(lane), head-4, html.EscapeString(lane))
	}
	last := int64(-1)
	for i := range points {
		p := &points[i]
		e := &c.Events[p.event]
		if !p.end && e.At != last {
			last = e.At
			fmt.Fprintf(&labels, `<text class="small" x="4" y="%d">%d</text>`+"\n", y(i)+4, e.At)
		}
		switch {
		case e.Kind != trace.Message:
			c.box(&boxes, p, x(p.lane), y(i))
		case !p.end:
			to := slices.IndexFunc(points, func(q point) bool { return q.end && q.event == p.event })
			class, tip := "arrow", ""
			if m, ok := c.Marks[p.event]; ok {
				class += " " + m.Class
				if m.Class != Witness {
					tip = m.Class
				}
			}
			fmt.Fprintf(&out, `<line class="%s" marker-end="url(#tip%s)" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", class, tip, x(p.lane), y(i), x(e.To), y(to))
			text := c.served(p.event) + e.Name + c.line(e.Line)
			var at area
			at, taken = place(text, x(p.lane), y(i), x(e.To), y(to), taken)
			fmt.Fprintf(&labels, `<text class="label" x="%d" y="%d">%s</text>`+"\n", (at.left+at.right)/2, at.bottom-3, html.EscapeString(text))
		}
	}
	out.Write(boxes.Bytes())
	out.Write(labels.Bytes())
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// box draws a transition or an access, and the note of its mark.
func (c *Chart) box(out io.Writer, p *point, x, y int) {
	e := &c.Events[p.event]
	class := "box"
	if e.Kind == trace.Access {
		class = "access"
	}
	text, half := c.text(p)
	mark := c.Marks[p.event]
	if mark.Class != "" {
		class += " " + mark.Class
	}
	fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/><text class="step" x="%d" y="%d">%s</text>`+"\n",
		class, x-half, y-boxHeight/2, 2*half, boxHeight, x, y+4, html.EscapeString(text))
	if mark.Note != "" {
		fmt.Fprintf(out, `<text class="comment %s" x="%d" y="%d">%s</text>`+"\n", mark.Class, x+half+noteGap, y+4, html.EscapeString(mark.Note))
	}
}

// text is what a box says, and half its width.
func (c *Chart) text(p *point) (text string, half int) {
	e := &c.Events[p.event]
	text = fmt.Sprintf("%s%s: %s → %s%s", c.served(p.event), e.Name, e.State, e.Next, c.line(e.Line))
	if p.times > 0 {
		text += fmt.Sprintf(" ×%d", p.times+1)
	}
	if e.Kind == trace.Access {
		text = c.Accesses[p.event]
	}
	return text, max(laneWidth-12, letter*len([]rune(text))+8) / 2
}

// noteWidth is the width of the note beside a box, with the gap before it; 0 for none.
func (c *Chart) noteWidth(p *point) int {
	note := c.Marks[p.event].Note
	if note == "" || c.Events[p.event].Kind == trace.Message {
		return 0
	}
	return noteGap + bold*len([]rune(note))
}

// wrapped breaks a text into lines of so many letters.
func wrapped(text string, letters int) []string {
	return strings.Split(wordwrap.WrapString(text, uint(letters)), "\n")
}

// served begins the text of what serves an operation of the witness.
func (c *Chart) served(event int) string {
	if letters := c.Serves[event]; letters != "" {
		return "(" + letters + ") "
	}
	return ""
}

// area is a rectangle of the picture.
type area struct{ left, top, right, bottom int }

func (a area) overlaps(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// along are the parts of an arrow at which its label may be, the best first.
var along = []float64{.5, .4, .6, .3, .7, .2, .8, .12, .88}

// place finds a place for the label of an arrow that is not taken, and takes it; the
// middle where there is none.
func place(text string, x1, y1, x2, y2 int, taken []area) (area, []area) {
	half := letter * len([]rune(text)) / 2
	at := func(part float64) area {
		x, y := x1+int(part*float64(x2-x1)), y1+int(part*float64(y2-y1))
		return area{x - half, y - 14, x + half, y}
	}
	for _, part := range along {
		a := at(part)
		if !slices.ContainsFunc(taken, a.overlaps) {
			return a, append(taken, a)
		}
	}
	return at(along[0]), append(taken, at(along[0]))
}

const style = `.paper{fill:#fff} text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733} .title{font-weight:600;font-size:15px} .note{font-size:13px}
.head{font-weight:600;text-anchor:middle} .lane{stroke:#9fb0c0;stroke-dasharray:3 3} .box{fill:#eef3f8;stroke:#9fb0c0} .access{fill:#fff;stroke:#1c2733} .step{text-anchor:middle;font-size:11px}
.arrow{stroke:#1565c0;stroke-width:1.4} .tip{fill:#1565c0} .tip.fault{fill:#c62828} .tip.cause{fill:#b26a00} .label{text-anchor:middle;font-size:11px;fill:#1565c0;paint-order:stroke;stroke:#fff;stroke-width:3px} .small{font-size:9px;fill:#66788a}
.comment{font-weight:600;paint-order:stroke;stroke:#fff;stroke-width:4px} .box.fault,.access.fault{fill:#ffd9d6;stroke:#c62828;stroke-width:2.5} .comment.fault{fill:#c62828} .box.cause,.access.cause{fill:#ffeec2;stroke:#b26a00;stroke-width:2.5} .comment.cause{fill:#8a5200} .arrow.cause{stroke:#b26a00;stroke-width:3} .arrow.fault{stroke:#c62828;stroke-width:3} .access.witness{fill:#dcefdc;stroke:#2e7d32;stroke-width:2} .comment.witness{fill:#2e7d32}
@media (prefers-color-scheme:dark){.paper{fill:#12181f} text{fill:#dbe4ec} .lane{stroke:#51626f} .box{fill:#1d2731;stroke:#51626f} .access{fill:#12181f;stroke:#dbe4ec} .arrow{stroke:#64a8f0} .tip{fill:#64a8f0} .tip.fault{fill:#ff8a80} .tip.cause{fill:#ffca6a} .label{fill:#64a8f0;stroke:#12181f} .small{fill:#8b9cab} .comment{stroke:#12181f} .box.fault,.access.fault{fill:#5a1d1d;stroke:#ff8a80} .comment.fault{fill:#ff8a80} .box.cause,.access.cause{fill:#4f3a10;stroke:#ffca6a} .comment.cause{fill:#ffca6a} .arrow.cause{stroke:#ffca6a} .arrow.fault{stroke:#ff8a80} .access.witness{fill:#1d3a20;stroke:#81c784} .comment.witness{fill:#81c784}}`

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
			points = append(points, point{at: e.At, order: 2, lane: e.Place, event: i}, point{at: e.Arrives, order: 0, lane: e.To, event: i, end: true})
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

// lanesOf lists the lanes: of each core, then its controller, those of one kind
// by their number, then the shared caches and memory.
func lanesOf(points []point) []string {
	var lanes []string
	for _, p := range points {
		if !slices.Contains(lanes, p.lane) {
			lanes = append(lanes, p.lane)
		}
	}
	rank := func(lane string) (group int, number, kind string) {
		name, number, _ := strings.Cut(lane, " ")
		switch name {
		case "core":
			return 0, number, "0"
		case "L1Cache", "CorePair", "L0Cache":
			return 0, number, "1" + name
		case "L2Cache", "L3Cache":
			return 1, number, name
		}
		return 2, number, name
	}
	slices.SortFunc(lanes, func(a, b string) int {
		g, m, k := rank(a)
		h, n, l := rank(b)
		return cmp.Or(g-h, cmp.Compare(len(m), len(n)), strings.Compare(m, n), strings.Compare(k, l))
	})
	return lanes
}
