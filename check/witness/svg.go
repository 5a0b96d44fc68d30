package witness

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"unicode/utf8"
)

// Sizes of the drawing, in pixels.
const (
	margin     = 24
	charWidth  = 8.0
	nodeHeight = 26
	rowHeight  = 64
	columnGap  = 110
	headHeight = 34
)

// style holds the colours, for light and dark pages.
const style = `
.paper{fill:#ffffff} text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733}
.title{font-weight:600;font-size:15px} .head{font-weight:600;text-anchor:middle} .op{text-anchor:middle}
.box{fill:#f3f6f9;stroke:#9fb0c0} .arc{fill:none;stroke-width:1.2;opacity:.55} .cycle{stroke-width:2.6;opacity:1}
.label{font-size:11px;text-anchor:middle;paint-order:stroke;stroke:#ffffff;stroke-width:4px}
.po{stroke:#44525f} .rf{stroke:#c62828} .co{stroke:#1565c0} .fr{stroke:#d9730d} .derived{stroke:#1565c0;stroke-dasharray:6 3} .assumed{stroke:#7b1fa2;stroke-dasharray:2 3}
.tpo{fill:#44525f} .trf{fill:#c62828} .tco{fill:#1565c0} .tfr{fill:#b85c00} .tderived{fill:#1565c0} .tassumed{fill:#7b1fa2}
@media (prefers-color-scheme:dark){.paper{fill:#12181f} text{fill:#dbe4ec} .box{fill:#1d2731;stroke:#51626f} .label{stroke:#12181f}
.po{stroke:#9fb0c0} .rf{stroke:#ef6f6c} .co,.derived{stroke:#64a8f0} .fr{stroke:#f2a154} .assumed{stroke:#c78be0}
.tpo{fill:#9fb0c0} .trf{fill:#ef6f6c} .tco,.tderived{fill:#64a8f0} .tfr{fill:#f2a154} .tassumed{fill:#c78be0}}
`

// WriteSVG writes the picture as an SVG document that needs nothing else. Arcs
// are coloured by what they mean: reads-from (rf), coherence (co), from-read
// (fr), program order (po); the cycle is drawn with heavy lines.
func (p *Picture) WriteSVG(w io.Writer) error {
	l := p.layout()
	var out bytes.Buffer
	height := margin + headHeight + float64(len(p.panels))*l.panelHeight
	if p.more > 0 {
		height += headHeight
	}
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.0f %.0f" role="img">`+"\n",
		l.width, height, l.width, height)
	fmt.Fprintf(&out, "<title>%s</title>\n<style>%s</style>\n", html.EscapeString(p.title), style)
	out.WriteString("<defs>\n")
	for _, name := range arcNames {
		fmt.Fprintf(&out, `<marker id="m-%s" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="9" markerHeight="9" markerUnits="userSpaceOnUse" orient="auto"><path class="t%s" d="M0 0L10 5L0 10z"/></marker>`+"\n",
			name, name)
	}
	out.WriteString("</defs>\n")
	fmt.Fprintf(&out, `<rect class="paper" width="%.0f" height="%.0f"/>`+"\n", l.width, height)
	fmt.Fprintf(&out, `<text class="title" x="%d" y="%d">%s</text>`+"\n", margin, margin+10, html.EscapeString(p.title))
	top := float64(margin + headHeight)
	for i := range p.panels {
		p.panelSVG(&out, &p.panels[i], &l, top)
		top += l.panelHeight
	}
	if p.more > 0 {
		fmt.Fprintf(&out, `<text x="%d" y="%.0f">and %d more cases</text>`+"\n", margin, top+10, p.more)
	}
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

// layout says where the columns are.
type layout struct {
	centre      []float64 // of a column
	wide        []float64 // its boxes
	width       float64
	panelHeight float64
}

func (p *Picture) layout() layout {
	var l layout
	x, rows := float64(margin), 0
	for _, c := range p.columns {
		wide := textWidth(c.Head)
		for _, n := range c.Nodes {
			wide = max(wide, textWidth(n.label())+20)
		}
		l.centre = append(l.centre, x+wide/2)
		l.wide = append(l.wide, wide)
		x += wide + columnGap
		rows = max(rows, len(c.Nodes))
	}
	l.width = max(x-columnGap+margin+columnGap/2, textWidth(p.title)+2*margin)
	for _, panel := range p.panels {
		l.width = max(l.width, textWidth(panel.head)+2*margin)
	}
	l.panelHeight = float64(2*headHeight + rows*rowHeight)
	return l
}

// row is the top of the boxes of a row.
func (l *layout) row(top float64, row int) float64 { return top + 18 + float64(row*rowHeight) }

func textWidth(s string) float64 { return charWidth * float64(utf8.RuneCountInString(s)) }

func (n *PictureNode) label() string {
	if n.Name == "" {
		return n.Text
	}
	return n.Name + ": " + n.Text
}

func (p *Picture) panelSVG(out *bytes.Buffer, panel *panel, l *layout, top float64) {
	if panel.head != "" {
		fmt.Fprintf(out, `<text x="%d" y="%.0f">%s</text>`+"\n", margin, top+10, html.EscapeString(panel.head))
	}
	top += headHeight
	for i, c := range p.columns {
		fmt.Fprintf(out, `<text class="head" x="%.1f" y="%.0f">%s</text>`+"\n", l.centre[i], top, html.EscapeString(c.Head))
	}
	var labels bytes.Buffer
	var taken []area
	for i, c := range p.columns {
		for row := range c.Nodes {
			y := l.row(top, row)
			taken = append(taken, area{l.centre[i] - l.wide[i]/2, y, l.centre[i] + l.wide[i]/2, y + nodeHeight})
		}
	}
	for _, heavy := range []bool{true, false} { // the labels of the cycle are placed first
		for i := range panel.arcs {
			if a := &panel.arcs[i]; a.cycle == heavy && a.label != "" {
				taken = a.writeLabel(&labels, a.curve(l, top, i), taken)
			}
		}
	}
	for _, heavy := range []bool{false, true} {
		for i := range panel.arcs {
			if a := &panel.arcs[i]; a.cycle == heavy {
				a.write(out, a.curve(l, top, i))
			}
		}
	}
	for i, c := range p.columns {
		for row := range c.Nodes {
			y := l.row(top, row)
			fmt.Fprintf(out, `<rect class="box" x="%.1f" y="%.0f" width="%.1f" height="%d" rx="5"/>`, l.centre[i]-l.wide[i]/2, y, l.wide[i], nodeHeight)
			fmt.Fprintf(out, `<text class="op" x="%.1f" y="%.0f">%s</text>`+"\n", l.centre[i], y+17.5, html.EscapeString(c.Nodes[row].label()))
		}
	}
	out.Write(labels.Bytes())
}
