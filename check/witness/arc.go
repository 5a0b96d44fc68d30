package witness

import (
	"bytes"
	"fmt"
	"html"
	"io"
	"math"
	"slices"
	"unicode/utf8"
)

// point is a place on the paper.
type point struct{ x, y float64 }

// area is a rectangle of it.
type area struct{ left, top, right, bottom float64 }

func (a area) overlaps(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// cubic is a Bézier curve from its first point to its last.
type cubic [4]point

func straight(from, to point) cubic { return cubic{from, from, to, to} }

// at is the point of the curve at a part of it, from 0 to 1.
func (c *cubic) at(t float64) point {
	u := 1 - t
	f := func(a, b, c, d float64) float64 { return u*u*u*a + 3*u*u*t*b + 3*u*t*t*c + t*t*t*d }
	return point{f(c[0].x, c[1].x, c[2].x, c[3].x), f(c[0].y, c[1].y, c[2].y, c[3].y)}
}

// write draws an arc along its curves.
func (a *arc) write(out io.Writer, path []cubic) {
	class, heavy := arcNames[a.kind], ""
	if a.cycle {
		heavy = " cycle"
	}
	fmt.Fprintf(out, `<path class="arc %s%s" marker-end="url(#m-%s)" d="M%.1f %.1f`, class, heavy, class, path[0][0].x, path[0][0].y)
	for _, c := range path {
		fmt.Fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", c[1].x, c[1].y, c[2].x, c[2].y, c[3].x, c[3].y)
	}
	fmt.Fprintln(out, `"/>`)
}

// along are the parts of a curve at which a label may be, the best first.
var along = []float64{.3, .42, .5, .6, .2, .7, .8, .12, .88}

// beside are how far from its curve a label may be, the best first.
var beside = []point{{0, 0}, {-12, 0}, {12, 0}, {-24, 0}, {24, 0}, {0, -10}, {0, 10}, {-12, -20}, {12, 20}, {12, -20}, {-12, 20}, {0, -30}, {0, 30}}

// labelChar is the width of a letter of a label.
const labelChar = 6.7

// writeLabel writes the label of an arc where neither a box nor another label is, and
// takes the place; at its best point where there is none.
func (a *arc) writeLabel(out *bytes.Buffer, path []cubic, taken []area) []area {
	half := labelChar * float64(utf8.RuneCountInString(a.label)) / 2
	around := func(p point) area { return area{p.x - half, p.y - 6, p.x + half, p.y + 6} }
	at := path[0].at(along[0])
search:
	for _, off := range beside {
		for i := range path {
			for _, part := range along {
				p := path[i].at(part)
				if p = (point{p.x + off.x, p.y + off.y}); !slices.ContainsFunc(taken, around(p).overlaps) {
					at = p
					break search
				}
			}
		}
	}
	fmt.Fprintf(out, `<text class="label t%s" x="%.1f" y="%.1f">%s</text>`+"\n", arcNames[a.kind], at.x, at.y+4, html.EscapeString(a.label))
	return append(taken, around(at))
}

// curve is the way of an arc: straight down to the next row, around the right of the
// boxes within a column, from side to side between neighbouring columns, and
// between two rows where there are columns in between, whose boxes would hide it.
func (a *arc) curve(l *layout, top float64, number int) []cubic {
	x := l.centre[a.from.column]
	y1, y2 := l.row(top, a.from.row), l.row(top, a.to.row)
	switch {
	case a.from.column == a.to.column && a.to.row == a.from.row+1:
		return []cubic{straight(point{x, y1 + nodeHeight}, point{x, y2})}
	case a.from.column == a.to.column:
		side := x + l.wide[a.from.column]/2
		bulge := min(24+14*math.Abs(float64(a.from.row-a.to.row)), columnGap-10)
		from, to := point{side, y1 + nodeHeight/2 - 4}, point{side, y2 + nodeHeight/2 + 4}
		return []cubic{{from, point{side + bulge, from.y}, point{side + bulge, to.y}, to}}
	}
	sign := 1.0
	if a.from.column > a.to.column {
		sign = -1
	}
	// Arcs to the right leave high, those to the left low, so that an arc and
	// its opposite do not meet.
	shift := -5 * sign
	from := point{x + sign*l.wide[a.from.column]/2, y1 + nodeHeight/2 + shift}
	to := point{l.centre[a.to.column] - sign*l.wide[a.to.column]/2, y2 + nodeHeight/2 + shift}
	reach := sign * columnGap / 2
	if next := a.from.column + int(sign); next == a.to.column {
		return []cubic{{from, point{from.x + reach, from.y}, point{to.x - reach, to.y}, to}}
	}
	// Arcs in the same space between rows are some pixels apart.
	between := y1 + (nodeHeight+rowHeight)/2 + float64(number%3-1)*9
	if a.to.row < a.from.row {
		between -= rowHeight
	}
	enter, leave := point{from.x + 2*reach, between}, point{to.x - 2*reach, between}
	return []cubic{
		{from, point{from.x + reach, from.y}, point{enter.x - reach, between}, enter},
		straight(enter, leave),
		{leave, point{leave.x + reach, between}, point{to.x - reach, to.y}, to},
	}
}
