package picture

import (
	"fmt"
	"io"
	"math"
)

// point is a place on the paper.
type point struct{ x, y float64 }

// area is a rectangle of it.
type area struct{ left, top, right, bottom float64 }

func (a area) overlaps(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// padded is the area with some pixels more on all sides.
func (a area) padded(by float64) area {
	return area{a.left - by, a.top - by, a.right + by, a.bottom + by}
}

func (a area) contains(p point) bool {
	return a.left < p.x && p.x < a.right && a.top < p.y && p.y < a.bottom
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

// pieces are how many parts of a curve are taken for straight.
const pieces = 24

// areasOf are areas in which the curves of an arc are, its tip last.
func areasOf(path []cubic) []area {
	var list []area
	for _, c := range path {
		from := c[0]
		for i := 1; i <= pieces; i++ {
			to := c.at(float64(i) / pieces)
			list = append(list, area{min(from.x, to.x), min(from.y, to.y), max(from.x, to.x), max(from.y, to.y)}.padded(1.5))
			from = to
		}
	}
	end, tip := path[len(path)-1], tipOf(path)
	return append(list, area{min(end[3].x, tip.x), min(end[3].y, tip.y), max(end[3].x, tip.x), max(end[3].y, tip.y)}.padded(tipSize/2))
}

// tipOf is where the tip of an arc begins.
func tipOf(path []cubic) point {
	end := path[len(path)-1]
	dx, dy := end[3].x-end[2].x, end[3].y-end[2].y
	if end[2] == end[3] {
		dx, dy = end[3].x-end[0].x, end[3].y-end[0].y
	}
	long := max(math.Hypot(dx, dy), 1)
	return point{end[3].x - tipSize*dx/long, end[3].y - tipSize*dy/long}
}

// way is how an arc gets from box to box.
type way uint8

const (
	down    way = iota // straight to the next row
	around             // around the right of the boxes within a column
	between            // from side to side between neighbouring columns
	past               // between two rows where there are columns in between, whose boxes would hide it
)

func (a *arc) way() way {
	switch d := a.to.column - a.from.column; {
	case d == 0 && a.to.row == a.from.row+1:
		return down
	case d == 0:
		return around
	case d == 1 || d == -1:
		return between
	}
	return past
}

// band is the row below which an arc passes columns.
func (a *arc) band() int {
	if a.to.row < a.from.row {
		return a.from.row - 1
	}
	return a.from.row
}

// length is how many rows or columns an arc passes.
func (a *arc) length() int {
	if a.way() == around {
		return max(a.from.row, a.to.row) - min(a.from.row, a.to.row)
	}
	return max(a.from.column, a.to.column) - min(a.from.column, a.to.column)
}

// meets reports whether two arcs that go in the same way would lie on each other in one
// track.
func (a *arc) meets(b *arc) bool {
	switch a.way() {
	case around:
		return a.from.column == b.from.column && min(a.from.row, a.to.row) <= max(b.from.row, b.to.row) && min(b.from.row, b.to.row) <= max(a.from.row, a.to.row)
	case past:
		return a.band() == b.band() && min(a.from.column, a.to.column) <= max(b.from.column, b.to.column) && min(b.from.column, b.to.column) <= max(a.from.column, a.to.column)
	}
	return false
}

// path is the way of an arc, from the top of the rows.
func (l *layout) path(a *arc, pl *panelLayout, k int) []cubic {
	ends := pl.ends[k]
	from, to := l.box(a.from), l.box(a.to)
	height := func(box area, p port) float64 {
		return box.top + (box.bottom-box.top)*float64(p.number+1)/float64(p.of+1)
	}
	switch a.way() {
	case down:
		x := l.centre[a.from.column]
		return []cubic{straight(point{x, from.bottom}, point{x, to.top})}
	case around:
		// A curve comes three quarters as far as its control points.
		reach := pl.reach[k] / .75
		begin, end := point{from.right, height(from, ends[0])}, point{to.right, height(to, ends[1])}
		return []cubic{{begin, point{begin.x + reach, begin.y}, point{end.x + reach, end.y}, end}}
	}
	begin, end, bend := point{from.right, height(from, ends[0])}, point{to.left, height(to, ends[1])}, pl.bends[k]
	gapAfter, gapBefore := l.gaps[a.from.column], 0.0
	if a.to.column < a.from.column {
		begin.x, end.x, bend = from.left, to.right, 1-bend
		gapAfter, gapBefore = -l.gaps[a.from.column-1], -l.gaps[a.to.column]
	} else {
		gapBefore = l.gaps[a.to.column-1]
	}
	if a.way() == between {
		x := begin.x + bend*gapAfter
		return []cubic{{begin, point{x, begin.y}, point{x, end.y}, end}}
	}
	y := l.tops[a.band()] + l.high[a.band()] + float64(trackGap*(pl.tracks[k]+1)) + 4
	enter, leave := point{begin.x + gapAfter, y}, point{end.x - gapBefore, y}
	return []cubic{
		{begin, point{begin.x + gapAfter/2, begin.y}, point{begin.x + gapAfter/2, y}, enter},
		straight(enter, leave),
		{leave, point{end.x - gapBefore/2, y}, point{end.x - gapBefore/2, end.y}, end},
	}
}

// tipSize is the length and width of the tip of an arc.
const tipSize = 9

// write draws an arc along its curves.
func (a *arc) write(out io.Writer, top float64, path []cubic) {
	class, heavy := arcNames[a.kind], ""
	if a.cycle {
		heavy = " cycle"
	}
	fmt.Fprintf(out, `<path class="arc %s%s" marker-end="url(#m-%s)" d="M%.1f %.1f`, class, heavy, class, path[0][0].x, top+path[0][0].y)
	for _, c := range path {
		fmt.Fprintf(out, "C%.1f %.1f %.1f %.1f %.1f %.1f", c[1].x, top+c[1].y, c[2].x, top+c[2].y, c[3].x, top+c[3].y)
	}
	fmt.Fprintln(out, `"/>`)
}

// normal is a unit vector across a path at a part of one of its curves.
func (c *cubic) normal(t float64) point {
	from, to := c.at(max(t-.02, 0)), c.at(min(t+.02, 1))
	dx, dy := to.x-from.x, to.y-from.y
	long := math.Hypot(dx, dy)
	if long == 0 {
		return point{0, -1}
	}
	return point{dy / long, -dx / long}
}
