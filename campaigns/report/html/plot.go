package html

import (
	"fmt"
	"html/template"
	"strings"
)

// The widths in which plots are drawn: one for desktops, one for phones. The
// style sheet shows one of them.
var widths = [...]float64{1130, 340}

// figure draws a plot in both widths. About says in words what it shows; draw
// draws it, and gives the height.
func figure(about string, draw func(c *canvas) (height float64)) template.HTML {
	var b strings.Builder
	for i, width := range widths {
		c := &canvas{width: width, narrow: i > 0}
		height := draw(c)
		class := "wide"
		if c.narrow {
			class = "narrow"
		}
		fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" class="plot %s" width="%g" height="%g" viewBox="0 0 %g %g" role="img" aria-label="%s">`,
			class, width, height, width, height, escape(about))
		b.WriteString(c.out.String())
		b.WriteString("</svg>\n")
	}
	return template.HTML(b.String())
}

// canvas collects the elements of a plot. Its methods escape what they write.
type canvas struct {
	width  float64
	narrow bool
	out    strings.Builder
}

func escape(s string) string { return template.HTMLEscapeString(s) }

// line draws a straight line.
func (c *canvas) line(class string, x1, y1, x2, y2 float64) {
	fmt.Fprintf(&c.out, `<path class="%s" d="M%s %sL%s %s"/>`, class, num(x1), num(y1), num(x2), num(y2))
}

// rect draws a rectangle, with a tip where title is not empty.
func (c *canvas) rect(class string, x, y, width, height float64, title string) {
	fmt.Fprintf(&c.out, `<rect class="%s" x="%s" y="%s" width="%s" height="%s"%s`, class, num(x), num(y), num(width), num(height), tip(title, "rect"))
}

// dot draws a disc, with a tip where title is not empty.
func (c *canvas) dot(class string, x, y, radius float64, title string) {
	fmt.Fprintf(&c.out, `<circle class="%s" cx="%s" cy="%s" r="%s"%s`, class, num(x), num(y), num(radius), tip(title, "circle"))
}

// tip is the end of an element.
func tip(title, name string) string {
	if title == "" {
		return "/>"
	}
	return "><title>" + escape(title) + "</title></" + name + ">"
}

// text writes a line of text; anchor is start, middle or end.
func (c *canvas) text(class, anchor string, x, y float64, s string) {
	fmt.Fprintf(&c.out, `<text class="%s" text-anchor="%s" x="%s" y="%s">%s</text>`, class, anchor, num(x), num(y), escape(s))
}

// steps draws a curve that jumps at each point and is level between them; with
// a base it is filled down to there.
func (c *canvas) steps(class string, points [][2]float64, base float64, filled bool) {
	if len(points) == 0 {
		return
	}
	var d strings.Builder
	for i, p := range points {
		switch {
		case i == 0 && filled:
			fmt.Fprintf(&d, "M%s %sV%s", num(p[0]), num(base), num(p[1]))
		case i == 0:
			fmt.Fprintf(&d, "M%s %s", num(p[0]), num(p[1]))
		default:
			fmt.Fprintf(&d, "H%s", num(p[0]))
			if p[1] != points[i-1][1] {
				fmt.Fprintf(&d, "V%s", num(p[1]))
			}
		}
	}
	if filled {
		fmt.Fprintf(&d, "V%sZ", num(base))
	}
	fmt.Fprintf(&c.out, `<path class="%s" d="%s"/>`, class, d.String())
}

// frame is a plot's field with its axes.
type frame struct {
	left, top, right, bottom float64
	x, y                     scale
}

// axes draws grid, ticks and the names of the axes.
func (c *canvas) axes(f *frame, xs, ys []tick, xName, yName string) {
	for _, t := range ys {
		y := f.y.at(t.value)
		c.line("grid", f.left, y, f.right, y)
		c.text("tick", "end", f.left-8, y+4, t.label)
	}
	last := -1e9
	for _, t := range xs {
		x := f.x.at(t.value)
		c.line("grid", x, f.bottom, x, f.bottom+5)
		half := float64(len(t.label))*3.6 + 1
		at := min(max(x, half), c.width-half)
		if at-half > last+6 {
			c.text("tick", "middle", at, f.bottom+19, t.label)
			last = at + half
		}
	}
	c.line("axis", f.left, f.bottom, f.right, f.bottom)
	c.text("name", "end", f.right, f.bottom+38, xName)
	c.text("name", "start", 0, f.top-12, yName)
}

// num writes a place with one digit after the point where it has one.
func num(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}
