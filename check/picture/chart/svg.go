package chart

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"strconv"

	"ordeal/sim/trace"
)

// WriteSVG draws the chart.
func (c *Chart) WriteSVG(w io.Writer) error {
	points, cut := c.points()
	l := newLayout(c, points)
	var head bytes.Buffer
	top := c.writeHead(&head, l.width, cut+c.Omitted)
	bottom := top + headSpace
	for i := range l.rows {
		r := &l.rows[i]
		r.top = bottom
		bottom += r.height
		r.y = bottom - arrowGap
		if r.box != nil {
			r.y = r.top + (r.height-rowGap)/2
		}
	}
	high := bottom + margin
	var out bytes.Buffer
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" role="img">`+"\n", l.width, high, l.width, high)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n<defs>", html.EscapeString(c.Title), style)
	for _, class := range []string{"", Fault, Cause} {
		fmt.Fprintf(&out, `<marker id="tip%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="%d" markerHeight="%d" markerUnits="userSpaceOnUse" orient="auto"><path class="tip %s" d="M0 0L10 5L0 10z"/></marker>`,
			class, tipSize, tipSize, class)
	}
	fmt.Fprintf(&out, "</defs>\n"+`<rect class="paper" width="%d" height="%d"/>`+"\n", l.width, high)
	out.Write(head.Bytes())
	for _, ln := range l.lanes {
		fmt.Fprintf(&out, `<line class="lane" x1="%d" y1="%d" x2="%d" y2="%d"/>`+"\n", ln.x, top+headSpace-4, ln.x, high-margin/2)
		writeText(&out, "head", ln.x, top+headSpace-9, ln.name)
	}
	for i := range l.arrows {
		l.writeArrow(&out, &l.arrows[i])
	}
	last := int64(-1)
	for i := range l.rows {
		r := &l.rows[i]
		if r.at != last {
			last = r.at
			writeText(&out, "small", 4, r.y+3, tickText(r.at))
		}
		if r.box != nil {
			c.writeBox(&out, r, l.lanes[r.lane].x)
		} else if r.label != nil {
			from, _ := l.labelSpan(r)
			for n, text := range r.label {
				writeText(&out, classes("label", c.Marks[l.arrows[r.arrow].event].Class), from, r.y-4-textSpace*(len(r.label)-1-n), text)
			}
		}
	}
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// writeHead writes the title, the notes and the legend, and returns the height that
// they take.
func (c *Chart) writeHead(out io.Writer, wide, omitted int) (height int) {
	letters := func(size int) int { return 100 * (wide - 2*margin) / (61 * size) }
	y := margin + 6
	for _, line := range wrapped(c.Title, letters(titleSize)) {
		writeText(out, "title", margin, y, line)
		y += lineSpace
	}
	for _, note := range c.Notes {
		for _, line := range wrapped(note, letters(noteSize)) {
			writeText(out, "note", margin, y, line)
			y += lineSpace
		}
	}
	used := map[string]bool{}
	for _, m := range c.Marks {
		used[m.Class] = true
	}
	for _, class := range []string{Fault, Cause, Witness} {
		if text := c.Legend[class]; text != "" && used[class] {
			fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="22" height="11" rx="3"/>`, classes("access", class), margin, y-10)
			for _, line := range wrapped(text, letters(noteSize)-legendIndent/(61*noteSize/100)-1) {
				writeText(out, "note", margin+legendIndent, y, line)
				y += lineSpace
			}
		}
	}
	if omitted > 0 {
		text := fmt.Sprintf("%d other events are left out", omitted)
		if omitted == 1 {
			text = "1 other event is left out"
		}
		writeText(out, "small", margin, y-2, text)
		y += lineSpace
	}
	return y
}

// writeArrow draws a message.
func (l *layout) writeArrow(out io.Writer, a *arrow) {
	tip, mark := "", l.chart.Marks[a.event].Class
	if mark == Fault || mark == Cause {
		tip = mark
	}
	from, to, sent, arrives := l.lanes[a.from].x, l.lanes[a.to].x, l.rows[a.sent].y, l.rows[a.arrives].y
	path := fmt.Sprintf("M%d %dH%d", from, sent, to)
	if a.sent != a.arrives {
		path = fmt.Sprintf("M%d %dH%dV%dH%d", from, sent, l.vertical(a), arrives, to)
	}
	fmt.Fprintf(out, `<path class="%s" marker-end="url(#tip%s)" d="%s"/>`+"\n", classes("arrow", mark), tip, path)
}

// writeBox draws a transition or an access, and the note of its mark.
func (c *Chart) writeBox(out io.Writer, r *row, x int) {
	kind, mark := "box", c.Marks[r.box.event].Class
	if c.Events[r.box.event].Kind == trace.Access {
		kind = "access"
	}
	half := r.halfBox()
	fmt.Fprintf(out, `<rect class="%s" x="%d" y="%d" width="%d" height="%d" rx="4"/>`, classes(kind, mark), x-half, r.top, 2*half, r.height-rowGap)
	y := r.top + boxPad/2 + textSpace - 3
	for _, text := range r.text {
		writeText(out, "step", x, y, text)
		y += textSpace
	}
	for _, text := range r.note {
		writeText(out, classes("comment", mark), x, y, text)
		y += textSpace
	}
}

func writeText(out io.Writer, class string, x, y int, text string) {
	fmt.Fprintf(out, `<text class="%s" x="%d" y="%d">%s</text>`+"\n", class, x, y, html.EscapeString(text))
}

// classes are those of an element with a mark.
func classes(kind, mark string) string {
	if mark == "" {
		return kind
	}
	return kind + " " + mark
}

func tickText(at int64) string { return strconv.FormatInt(at, 10) }

// style has the colours of light and dark pages. Marks differ without colours, too: what
// is a fault has wide lines, a cause dashed ones.
const style = `.paper{fill:#fff} text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733} .title{font-weight:600;font-size:15px} .note{font-size:13px}
.head{font-weight:600;font-size:12px;text-anchor:middle} .lane{stroke:#9fb0c0;stroke-dasharray:3 3} .box{fill:#eef3f8;stroke:#9fb0c0} .access{fill:#fff;stroke:#1c2733} .step,.comment{text-anchor:middle}
.arrow{fill:none;stroke:#1565c0;stroke-width:1.4;stroke-linejoin:round} .tip{fill:#1565c0} .tip.fault{fill:#c62828} .tip.cause{fill:#9a5b00} .label{fill:#1565c0} .label.fault{fill:#c62828;font-weight:600} .label.cause{fill:#8a5200;font-weight:600} .small{font-size:9px;fill:#5a6b7b}
.comment{font-weight:600} .box.fault,.access.fault{fill:#ffd9d6;stroke:#c62828;stroke-width:2.5} .comment.fault{fill:#b71c1c} .box.cause,.access.cause{fill:#ffeec2;stroke:#9a5b00;stroke-width:2.5;stroke-dasharray:6 3} .comment.cause{fill:#7a4800} .arrow.cause{stroke:#9a5b00;stroke-width:2.6;stroke-dasharray:7 3} .arrow.fault{stroke:#c62828;stroke-width:3} .box.witness,.access.witness{fill:#dcefdc;stroke:#2e7d32;stroke-width:1.5} .comment.witness{fill:#1b5e20}
@media (prefers-color-scheme:dark){.paper{fill:#12181f} text{fill:#dbe4ec} .lane{stroke:#51626f} .box{fill:#1d2731;stroke:#51626f} .access{fill:#12181f;stroke:#dbe4ec} .arrow{stroke:#64a8f0} .tip,.label{fill:#64a8f0} .tip.fault,.label.fault{fill:#ff8a80} .tip.cause,.label.cause{fill:#ffca6a} .small{fill:#8b9cab} .box.fault,.access.fault{fill:#5a1d1d;stroke:#ff8a80} .comment.fault{fill:#ff9d94} .box.cause,.access.cause{fill:#4f3a10;stroke:#ffca6a} .comment.cause{fill:#ffca6a} .arrow.cause{stroke:#ffca6a} .arrow.fault{stroke:#ff8a80} .box.witness,.access.witness{fill:#1d3a20;stroke:#81c784} .comment.witness{fill:#81c784}}`
