// Package chart draws message sequence charts of coherence protocols: from the
// transitions and messages of a run to an SVG picture with a lane for each
// controller, time running down, an arrow for each message and a box for each
// transition.
package chart

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"io"
	"slices"
	"strings"

	"ordeal/sim/builtin/event"
	"ordeal/sim/builtin/memory"
	"ordeal/sim/builtin/ruby"
)

// Recorder collects the transitions and messages of a run; its methods are for
// builtin.Options.Trace and Messages.
type Recorder struct {
	// Lines are those to follow, by name; nil means all.
	Lines    map[memory.Addr]string
	steps    []ruby.Step
	messages []ruby.Message
}

// Step records a transition.
func (r *Recorder) Step(s ruby.Step) {
	if r.follows(s.Line) {
		r.steps = append(r.steps, s)
	}
}

// Message records a message that is sent.
func (r *Recorder) Message(m ruby.Message) {
	if m.To != "" && r.follows(m.Line) {
		r.messages = append(r.messages, m)
	}
}

func (r *Recorder) follows(line memory.Addr) bool {
	_, ok := r.Lines[line]
	return ok || r.Lines == nil
}

// MaxEvents bounds the events in a chart, which are the last ones of the run.
const MaxEvents = 120

// Sizes in pixels.
const (
	laneWidth = 190
	rowHeight = 26
	headSpace = 74
	margin    = 24
	boxHeight = 18
)

// point is an event on a lane: a transition, or an end of a message.
type point struct {
	at      event.Tick
	order   int // among those of the same tick
	lane    string
	text    string // of a transition
	message int    // index of the message, -1 for a transition
	end     bool   // of the message
}

// WriteSVG draws the last events of the run under a title.
func (r *Recorder) WriteSVG(w io.Writer, title string) error {
	points, messages, cut := r.points()
	lanes := lanesOf(points)
	wide := max(2*margin+laneWidth*len(lanes), 2*margin+8*len(title)+160)
	high := headSpace + rowHeight*(len(points)+1) + margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", wide, high, wide, high)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(title), style)
	out.WriteString(`<defs><marker id="tip" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="8" markerHeight="8" orient="auto"><path class="tip" d="M0 0L10 5L0 10z"/></marker></defs>` + "\n")
	fmt.Fprintf(&out, `<rect class="paper" width="%d" height="%d"/><text class="title" x="%d" y="%d">%s</text>`+"\n", wide, high, margin, margin+6, html.EscapeString(title))
	if cut > 0 {
		fmt.Fprintf(&out, `<text class="small" x="%d" y="%d">%d earlier events are left out</text>`+"\n", margin, margin+24, cut)
	}
	x := func(lane string) int { return margin + laneWidth/2 + laneWidth*slices.Index(lanes, lane) }
	for _, lane := range lanes {
		fmt.Fprintf(&out, `<line class="lane" x1="%d" y1="%d" x2="%d" y2="%d"/><text class="head" x="%d" y="%d">%s</text>`+"\n",
			x(lane), headSpace, x(lane), high-margin, x(lane), headSpace-8, html.EscapeString(lane))
	}
	y := func(i int) int { return headSpace + rowHeight*(i+1) }
	var labels bytes.Buffer
	for i := range points {
		p := &points[i]
		if p.message < 0 {
			fmt.Fprintf(&labels, `<rect class="box" x="%d" y="%d" width="%d" height="%d" rx="4"/><text class="step" x="%d" y="%d">%s</text>`+"\n",
				x(p.lane)-laneWidth/2+6, y(i)-boxHeight/2, laneWidth-12, boxHeight, x(p.lane), y(i)+4, html.EscapeString(p.text))
			fmt.Fprintf(&labels, `<text class="small" x="4" y="%d">%d</text>`+"\n", y(i)+4, p.at)
			continue
		}
		if p.end {
			continue
		}
		to := slices.IndexFunc(points, func(q point) bool { return q.end && q.message == p.message })
		m := &messages[p.message]
		fmt.Fprintf(&out, `<line class="arrow" marker-end="url(#tip)" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", x(p.lane), y(i), x(points[to].lane), y(to))
		fmt.Fprintf(&labels, `<text class="label" x="%d" y="%d">%s</text>`+"\n", (x(p.lane)+x(points[to].lane))/2, (y(i)+y(to))/2-3, html.EscapeString(r.label(m)))
	}
	out.Write(labels.Bytes())
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

const style = `.paper{fill:#fff} text{font:12px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733} .title{font-weight:600;font-size:15px}
.head{font-weight:600;text-anchor:middle} .lane{stroke:#9fb0c0;stroke-dasharray:3 3} .box{fill:#eef3f8;stroke:#9fb0c0} .step{text-anchor:middle;font-size:11px}
.arrow{stroke:#1565c0;stroke-width:1.4} .tip{fill:#1565c0} .label{text-anchor:middle;font-size:11px;fill:#1565c0;paint-order:stroke;stroke:#fff;stroke-width:3px} .small{font-size:9px;fill:#66788a}
@media (prefers-color-scheme:dark){.paper{fill:#12181f} text{fill:#dbe4ec} .lane{stroke:#51626f} .box{fill:#1d2731;stroke:#51626f} .arrow{stroke:#64a8f0} .tip{fill:#64a8f0} .label{fill:#64a8f0;stroke:#12181f} .small{fill:#8b9cab}}`

// label is the text of a message: its type, and its line where several are
// followed.
func (r *Recorder) label(m *ruby.Message) string { return m.Type + r.line(m.Line) }

func (r *Recorder) line(line memory.Addr) string {
	switch {
	case len(r.Lines) == 1:
		return ""
	case r.Lines == nil:
		return fmt.Sprintf(" %#x", int64(line))
	}
	return " " + r.Lines[line]
}

// points returns the last events of the run in order, the messages that they
// refer to, and the number of events left out.
func (r *Recorder) points() ([]point, []ruby.Message, int) {
	var points []point
	for _, s := range r.steps {
		text := fmt.Sprintf("%s: %s → %s%s", s.Event, s.State, s.Next, r.line(s.Line))
		points = append(points, point{at: s.At, order: 1, lane: fmt.Sprintf("%s %d", s.Machine, s.Number), text: text, message: -1})
	}
	for i, m := range r.messages {
		points = append(points, point{at: m.At, order: 2, lane: owner(m.Buffer), message: i}, point{at: m.Arrives, order: 0, lane: owner(m.To), message: i, end: true})
	}
	slices.SortStableFunc(points, func(a, b point) int { return cmp.Or(cmp.Compare(a.at, b.at), cmp.Compare(a.order, b.order)) })
	cut := max(0, len(points)-MaxEvents)
	kept := points[cut:]
	// A message that starts before the cut starts at the top.
	starts := map[int]bool{}
	for _, p := range kept {
		if p.message >= 0 && !p.end {
			starts[p.message] = true
		}
	}
	var whole []point
	for _, p := range kept {
		if p.end && !starts[p.message] {
			m := r.messages[p.message]
			whole = append(whole, point{at: m.At, lane: owner(m.Buffer), message: p.message})
		}
	}
	return append(whole, kept...), r.messages, cut
}

// owner is the controller of a buffer, whose name stands before the buffer's.
func owner(buffer string) string {
	if i := strings.LastIndexByte(buffer, ' '); i > 0 {
		return buffer[:i]
	}
	return buffer
}

// lanesOf lists the controllers: those of cores first, as they come by name.
func lanesOf(points []point) []string {
	var lanes []string
	for _, p := range points {
		if !slices.Contains(lanes, p.lane) {
			lanes = append(lanes, p.lane)
		}
	}
	rank := func(lane string) int {
		switch name, _, _ := strings.Cut(lane, " "); name {
		case "L1Cache", "CorePair":
			return 0
		case "L2Cache", "L3Cache":
			return 1
		}
		return 2
	}
	slices.SortFunc(lanes, func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), cmp.Compare(len(a), len(b)), strings.Compare(a, b))
	})
	return lanes
}
