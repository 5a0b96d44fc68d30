package picture

import (
	"bytes"
	"fmt"
	"html"
	"io"
)

// style holds the colours, for light and dark pages.
const style = `
.paper{fill:#ffffff} text{font:13px ui-monospace,Menlo,Consolas,monospace;fill:#1c2733}
.title{font-weight:600;font-size:15px} .head{font-weight:600;text-anchor:middle} .op{text-anchor:middle}
.box{fill:#f3f6f9;stroke:#9fb0c0} .arc{fill:none;stroke-width:1.2;opacity:.55} .sample{fill:none;stroke-width:1.4} .cycle{stroke-width:2.6;opacity:1}
.label{font-size:11px;text-anchor:middle} .key{font-size:11px}
.po{stroke:#44525f} .rf{stroke:#c62828} .co{stroke:#1565c0} .fr{stroke:#d9730d} .derived{stroke:#1565c0;stroke-dasharray:6 3} .assumed{stroke:#7b1fa2;stroke-dasharray:2 3}
.tpo{fill:#44525f} .trf{fill:#c62828} .tco{fill:#1565c0} .tfr{fill:#b85c00} .tderived{fill:#1565c0} .tassumed{fill:#7b1fa2}
@media (prefers-color-scheme:dark){.paper{fill:#12181f} text{fill:#dbe4ec} .box{fill:#1d2731;stroke:#51626f}
.po{stroke:#9fb0c0} .rf{stroke:#ef6f6c} .co,.derived{stroke:#64a8f0} .fr{stroke:#f2a154} .assumed{stroke:#c78be0}
.tpo{fill:#9fb0c0} .trf{fill:#ef6f6c} .tco,.tderived{fill:#64a8f0} .tfr{fill:#f2a154} .tassumed{fill:#c78be0}}
`

// WriteSVG writes the picture as an SVG document that needs nothing else. Arcs
// are coloured by what they mean: reads-from (rf), coherence (co), from-read
// (fr), program order (po); the cycle is drawn with heavy lines. A legend says so.
func (p *Picture) WriteSVG(w io.Writer) error {
	l := p.layout()
	var out bytes.Buffer
	legend := p.legend()
	height := margin + headHeight + float64(len(p.panels))*l.panelHeight + lineHeight*float64(len(legend))
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
	writeText(&out, "title", margin, margin+10, p.title)
	top := float64(margin + headHeight)
	for i := range p.panels {
		l.write(&out, p, i, top)
		top += l.panelHeight
	}
	if p.more > 0 {
		writeText(&out, "", margin, top+10, fmt.Sprintf("and %d more cases", p.more))
		top += headHeight
	}
	for _, line := range legend {
		line.write(&out, top)
		top += lineHeight
	}
	out.WriteString("</svg>\n")
	_, err := w.Write(out.Bytes())
	return err
}

func (n *Node) label() string {
	if n.Name == "" {
		return n.Text
	}
	return n.Name + ": " + n.Text
}

// write draws panel i below a height.
func (l *layout) write(out *bytes.Buffer, p *Picture, i int, top float64) {
	panel, pl := &p.panels[i], &l.panels[i]
	if panel.head != "" {
		writeText(out, "", margin, top+10, panel.head)
	}
	top += headHeight
	for c := range p.columns {
		writeText(out, "head", l.centre[c], top, p.columns[c].Head)
	}
	top += headHeight / 2
	for _, heavy := range []bool{false, true} {
		for k := range panel.arcs {
			if a := &panel.arcs[k]; a.cycle == heavy {
				a.write(out, top, pl.paths[k])
			}
		}
	}
	for c := range p.columns {
		for row := range p.columns[c].Nodes {
			box := l.box(spot{c, row})
			fmt.Fprintf(out, `<rect class="box" x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="5"/>`, box.left, top+box.top, box.right-box.left, box.bottom-box.top)
			writeText(out, "op", l.centre[c], top+(box.top+box.bottom)/2+4.5, p.columns[c].Nodes[row].label())
		}
	}
	for k := range panel.arcs {
		if a := &panel.arcs[k]; a.label != "" {
			pl.labels[k].write(out, a, top)
		}
	}
}

func writeText(out *bytes.Buffer, class string, x, y float64, text string) {
	fmt.Fprintf(out, `<text class="%s" x="%.1f" y="%.1f">%s</text>`+"\n", class, x, y, html.EscapeString(text))
}
