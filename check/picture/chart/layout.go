package chart

import (
	"slices"
	"strings"

	"github.com/mitchellh/go-wordwrap"

	"ordeal/sim/trace"
)

// Sizes in pixels.
const (
	margin    = 24
	lineSpace = 18 // of a sentence below the title
	headSpace = 22 // of the names of the lanes
	rowGap    = 8  // below a box
	textSpace = 13 // of a line in a box or a label
	boxPad    = 6
	labelGap  = 5 // between a label and what is beside it
	tipSize   = 10
	arrowGap  = 7 // below an arrow, to the next row
	trackGap  = 9 // between vertical lines
	laneGap   = 10
	arrival   = 15 // the height of a row with the end of an arrow alone
	narrowest = 640

	legendIndent = 30 // of the texts of the legend

	tickSize, stepSize, noteSize, titleSize = 9, 11, 13, 15 // of letters
)

// Longer texts take another line.
const (
	boxLetters, labelLetters, noteLetters = 26, 22, 26
	// far is how many rows an arrow has between its ends when its label is repeated at
	// the second.
	far = 3
)

// textWidth bounds the width of a text in a font whose letters are all as wide: at most
// 0.61 of their size in Menlo, Consolas and DejaVu Sans Mono.
func textWidth(text string, size int) int {
	return (61*size*len([]rune(text)) + 99) / 100
}

// widest is the width of the longest of some lines.
func widest(lines []string, size int) int {
	wide := 0
	for _, l := range lines {
		wide = max(wide, textWidth(l, size))
	}
	return wide
}

// wrapped breaks a text into lines of so many letters; longer words stay whole.
func wrapped(text string, letters int) []string {
	return strings.Split(wordwrap.WrapString(text, uint(max(letters, 1))), "\n")
}

// row is a row of the picture: a box, or the ends of a message.
type row struct {
	at          int64
	top, height int
	// y is the middle of a box, the height of an arrow.
	y    int
	lane int
	box  *point
	// text and note are the lines of the box, label those of the arrow.
	text, note, label []string
	arrow             int  // index in arrows; -1 for a box
	arrives           bool // the row has the second end of an arrow alone
}

// arrow is a message: it leaves in a row and arrives in the same or in a later one.
type arrow struct {
	event    int
	from, to int // lanes
	sent     int // row
	arrives  int
	// track counts those on its side of the receiver from inside; of no meaning
	// for an arrow in one row.
	track int
	left  bool // it comes from the left of the receiver
}

// lane is the lifeline of a core or a controller.
type lane struct {
	name string
	x    int
	// left and right are how far boxes and labels reach to the sides, leftTracks and
	// rightTracks the number of tracks beyond that.
	left, right, leftTracks, rightTracks int
}

// layout is where everything is.
type layout struct {
	chart  *Chart
	lanes  []lane
	rows   []row
	arrows []arrow
	ticks  int // width of the column of ticks
	width  int
}

func newLayout(c *Chart, points []point) *layout {
	l := &layout{chart: c}
	names := lanesOf(points)
	for _, name := range names {
		half := textWidth(name, stepSize+1)/2 + boxPad
		l.lanes = append(l.lanes, lane{name: name, left: half, right: half})
	}
	l.fillRows(points, names)
	for i := range l.arrows {
		if a := &l.arrows[i]; a.sent != a.arrives {
			l.track(i)
		}
	}
	for i := range l.rows {
		if r := &l.rows[i]; r.box != nil {
			half := r.halfBox()
			ln := &l.lanes[r.lane]
			ln.left, ln.right = max(ln.left, half), max(ln.right, half)
		}
	}
	l.place()
	for l.widen() {
		l.place()
	}
	return l
}

// fillRows makes the rows and the arrows.
func (l *layout) fillRows(points []point, names []string) {
	c := l.chart
	open := map[int]int{} // arrows under way, by event
	for i := range points {
		p := &points[i]
		e := &c.Events[p.event]
		r := row{at: p.at, lane: slices.Index(names, p.lane), arrow: -1}
		switch {
		case e.Kind != trace.Message:
			r.box, r.text = p, c.boxText(p)
			if note := c.Marks[p.event].Note; note != "" {
				r.note = wrapped(note, noteLetters)
			}
			r.height = textSpace*(len(r.text)+len(r.note)) + boxPad + rowGap
		case !p.end:
			open[p.event] = len(l.arrows)
			r.arrow = len(l.arrows)
			l.arrows = append(l.arrows, arrow{event: p.event, from: r.lane, to: slices.Index(names, e.To), sent: len(l.rows), arrives: -1})
			a := &l.arrows[r.arrow]
			a.left = a.from < a.to
			if direct(c, points, i) {
				a.arrives = a.sent
			}
			r.label = c.labelText(p.event)
			r.height = textSpace*len(r.label) + arrowGap + 1
		default:
			r.arrow = open[p.event]
			a := &l.arrows[r.arrow]
			if a.arrives >= 0 {
				continue
			}
			a.arrives, r.arrives = len(l.rows), true
			r.height = arrival
			if a.arrives-a.sent > far {
				r.label = c.labelText(p.event)
				r.height = textSpace*len(r.label) + arrowGap + 1
			}
		}
		l.rows = append(l.rows, r)
	}
}

// direct reports whether an arrow that leaves at a point takes one row: nothing else
// happens until it arrives but messages, none of them sent or received by its receiver.
func direct(c *Chart, points []point, at int) bool {
	sent := &points[at]
	to := c.Events[sent.event].To
	if to == sent.lane {
		return false
	}
	for _, p := range points[at+1:] {
		if p.event == sent.event {
			return true
		}
		if p.lane == to || c.Events[p.event].Kind != trace.Message {
			return false
		}
	}
	return false
}

// track gives an arrow a track outside of those of the arrows that are under way to its
// side of the same lane when it leaves.
func (l *layout) track(i int) {
	a := &l.arrows[i]
	for k := range l.arrows[:i] {
		if b := &l.arrows[k]; b.to == a.to && b.left == a.left && b.sent != b.arrives && b.arrives >= a.sent {
			a.track = max(a.track, b.track+1)
		}
	}
	to := &l.lanes[a.to]
	if a.left {
		to.leftTracks = max(to.leftTracks, a.track+1)
	} else {
		to.rightTracks = max(to.rightTracks, a.track+1)
	}
}

// place puts the lanes beside each other.
func (l *layout) place() {
	for i := range l.rows {
		l.ticks = max(l.ticks, textWidth(tickText(l.rows[i].at), tickSize)+8)
	}
	x := l.ticks
	for i := range l.lanes {
		ln := &l.lanes[i]
		ln.x = x + laneGap + trackGap*ln.leftTracks + ln.left
		x = ln.x + ln.right + trackGap*ln.rightTracks
	}
	l.width = max(x+margin, narrowest)
}

// vertical is where the vertical line of an arrow is.
func (l *layout) vertical(a *arrow) int {
	to := &l.lanes[a.to]
	if a.left {
		return to.x - to.left - trackGap*(a.track+1)
	}
	return to.x + to.right + trackGap*(a.track+1)
}

// labelSpan is where the label of a row is, from left to right: beside the lifeline of
// the row, on the side of the arrow.
func (l *layout) labelSpan(r *row) (from, to int) {
	x, wide, gap := l.lanes[r.lane].x, widest(r.label, stepSize), labelGap
	if r.arrives {
		gap += tipSize
	}
	if l.towardsRight(r) {
		return x + gap, x + gap + wide
	}
	return x - gap - wide, x - gap
}

// towardsRight reports whether the arrow of a row is to the right of the row's lane.
func (l *layout) towardsRight(r *row) bool {
	a := &l.arrows[r.arrow]
	if a.from == a.to {
		return true
	}
	return a.left == (r.lane == a.from)
}

// widen moves lanes apart where a label is on the next lifeline or on the vertical line
// of an arrow, and reports whether it did. It ends: no lane needs more than its longest
// label.
func (l *layout) widen() bool {
	moved := false
	for i := range l.rows {
		r := &l.rows[i]
		if r.label == nil {
			continue
		}
		from, to := l.labelSpan(r)
		right := l.towardsRight(r)
		need := 0
		obstacle := func(x int) {
			switch at := l.lanes[r.lane].x; {
			case right && x > at:
				need = max(need, to+labelGap-x)
			case !right && x < at:
				need = max(need, x-(from-labelGap))
			}
		}
		for k := range l.lanes {
			x := l.lanes[k].x
			if a := &l.arrows[r.arrow]; k == a.to && a.sent == a.arrives { // the tip is there
				x += map[bool]int{true: -tipSize, false: tipSize}[right]
			}
			obstacle(x)
		}
		if right {
			obstacle(l.width)
		} else {
			obstacle(l.ticks)
		}
		for k := range l.arrows {
			if a := &l.arrows[k]; a.sent < i && i <= a.arrives {
				obstacle(l.vertical(a))
			}
		}
		if need <= 0 {
			continue
		}
		moved = true
		if right {
			l.lanes[r.lane].right += need
		} else {
			l.lanes[r.lane].left += need
		}
		l.place()
	}
	return moved
}

// halfBox is half the width of the box of a row.
func (r *row) halfBox() int {
	return max(widest(r.text, stepSize), widest(r.note, stepSize))/2 + boxPad
}
