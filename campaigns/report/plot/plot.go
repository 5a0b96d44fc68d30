// Package plot draws charts of data as SVG for HTML pages. Colours come from
// the style sheet CSS, which has a light and a dark theme.
package plot

import (
	_ "embed"
	"fmt"
	"html/template"
	"strings"
)

// CSS is the style sheet that pages with plots need. It defines the colours
// --panel, --ink, --soft, --rule, --faint, --bad and --s0 to --s5, too.
//
//go:embed plot.css
var CSS string

// The widths of figures in pixels, for desktops and phones. CSS shows one of
// them.
const (
	wide   = 1130
	narrow = 340
)

// Figure draws a plot in both widths. Label says in words what it shows; draw
// returns the height.
func Figure(label string, draw func(c *Canvas) (height float64)) template.HTML {
	var b strings.Builder
	for _, c := range []*Canvas{{Width: wide}, {Width: narrow, Narrow: true}} {
		class := "wide"
		if c.Narrow {
			class = "narrow"
		}
		b.WriteString(c.svg(class, label, draw(c)))
	}
	return template.HTML(b.String())
}

// Canvas collects the elements of a plot. Its methods escape texts. Classes
// are those of CSS; an element with a title has a tooltip.
type Canvas struct {
	Width  float64
	Narrow bool // for phones
	out    strings.Builder
}

func (c *Canvas) svg(class, label string, height float64) string {
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="plot %s" width="%g" height="%g" viewBox="0 0 %g %g" role="img" aria-label="%s">%s</svg>`+"\n",
		class, c.Width, height, c.Width, height, escape(label), c.out.String())
}

func escape(s string) string { return template.HTMLEscapeString(s) }

// element writes an element; attributes are pairs of a name and a string or a
// coordinate.
func (c *Canvas) element(name, class, content string, attributes ...any) {
	fmt.Fprintf(&c.out, `<%s class="%s"`, name, class)
	for i := 0; i < len(attributes); i += 2 {
		value, ok := attributes[i+1].(string)
		if !ok {
			value = number(attributes[i+1].(float64))
		}
		fmt.Fprintf(&c.out, ` %s="%s"`, attributes[i], value)
	}
	fmt.Fprintf(&c.out, ">%s</%s>", content, name)
}

// number is a coordinate with at most one decimal.
func number(v float64) string {
	return strings.TrimSuffix(fmt.Sprintf("%.1f", v), ".0")
}

func tooltip(title string) string {
	if title == "" {
		return ""
	}
	return "<title>" + escape(title) + "</title>"
}

// Line draws a straight line.
func (c *Canvas) Line(class string, x1, y1, x2, y2 float64) {
	c.element("path", class, "", "d", "M"+number(x1)+" "+number(y1)+"L"+number(x2)+" "+number(y2))
}

// Dot draws a disc.
func (c *Canvas) Dot(class string, x, y, radius float64, title string) {
	c.element("circle", class, tooltip(title), "cx", x, "cy", y, "r", radius)
}

// Text writes a line of text; anchor is start, middle or end.
func (c *Canvas) Text(class, anchor string, x, y float64, s string) {
	c.element("text", class, escape(s), "text-anchor", anchor, "x", x, "y", y)
}

// Point is a place on a canvas or a pair of values.
type Point struct{ X, Y float64 }

// Steps draws a curve that is level between points and jumps at each.
func (c *Canvas) Steps(class string, points []Point) {
	c.element("path", class, "", "d", steps(points))
}

func steps(points []Point) string {
	var d strings.Builder
	for i, p := range points {
		if i == 0 {
			fmt.Fprintf(&d, "M%s %s", number(p.X), number(p.Y))
			continue
		}
		if p.X != points[i-1].X {
			d.WriteString("H" + number(p.X))
		}
		if p.Y != points[i-1].Y {
			d.WriteString("V" + number(p.Y))
		}
	}
	return d.String()
}

// Styles is the number of styles of curves, the classes s0, s1, ….
const Styles = 6

// Style is the class of the i-th curve.
func Style(i int) string { return fmt.Sprintf("s%d", i%Styles) }

// characterWidth is about that of a character of a legend, in pixels.
const characterWidth = 7.2

// Legend names curves in lines from y on, if there are several, and returns
// its height.
func (c *Canvas) Legend(names []string, y float64) float64 {
	if len(names) < 2 {
		return 0
	}
	x, from := 0.0, y
	for i, name := range names {
		width := 34 + characterWidth*float64(len([]rune(name))) + 18
		if x > 0 && x+width > c.Width {
			x, y = 0, y+20
		}
		c.Line("curve "+Style(i), x, y-4, x+24, y-4)
		c.Text("label", "start", x+31, y, name)
		x += width
	}
	return y - from + 20
}

// Frame is the area of a plot inside its axes.
type Frame struct {
	Left, Top, Right, Bottom float64
	x, y                     Scale
}

// X is the place of a value of the horizontal axis.
func (f *Frame) X(v float64) float64 { return f.x.at(v, f.Left, f.Right) }

// Y is the place of a value of the vertical axis.
func (f *Frame) Y(v float64) float64 { return f.y.at(v, f.Bottom, f.Top) }

// Under is the height that the ticks and the name of the horizontal axis take.
const Under = 46

// Frame draws axes and the grid of y around f.
func (c *Canvas) Frame(f Frame, x, y Scale) *Frame {
	f.x, f.y = x, y
	for _, t := range y.ticks {
		at := f.Y(t.value)
		c.Line("grid", f.Left, at, f.Right, at)
		c.Text("tick", "end", f.Left-8, at+4, t.label)
	}
	last := -1e9
	for _, t := range x.ticks {
		at := f.X(t.value)
		c.Line("grid", at, f.Bottom, at, f.Bottom+5)
		half := float64(len(t.label))*3.6 + 1
		at = min(max(at, half), c.Width-half)
		if at-half > last+6 {
			c.Text("tick", "middle", at, f.Bottom+19, t.label)
			last = at + half
		}
	}
	c.Line("axis", f.Left, f.Bottom, f.Right, f.Bottom)
	c.Text("name", "end", f.Right, f.Bottom+38, x.name)
	c.Text("name", "start", 0, f.Top-12, y.name)
	return &f
}
