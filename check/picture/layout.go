package picture

import (
	"cmp"
	"slices"
	"unicode/utf8"
)

// Sizes of the drawing, in pixels.
const (
	margin     = 24
	nodeHeight = 26  // of a box with up to one arc on a side
	portGap    = 10  // between the ends of arcs on a side of a box
	rowGap     = 38  // below a box
	columnGap  = 110 // between boxes
	trackGap   = 16  // between arcs that pass columns
	bulgeGap   = 16  // between arcs within a column
	headHeight = 34
	lineHeight = 18 // of the legend

	opSize, labelSize, titleSize = 13, 11, 15 // of letters
)

// textWidth bounds the width of a text in a font whose letters are all as wide: at most
// 0.61 of their size in Menlo, Consolas and DejaVu Sans Mono.
func textWidth(s string, size float64) float64 {
	return .61 * size * float64(utf8.RuneCountInString(s))
}

// layout says where the parts of a picture are; heights are from the top of the rows of
// a panel.
type layout struct {
	centre []float64 // of a column
	wide   []float64 // its boxes
	gaps   []float64 // right of its boxes
	tops   []float64 // of the boxes of a row
	high   []float64 // these boxes
	below  []float64 // the space below them
	panels []panelLayout

	width, panelHeight float64
}

// panelLayout is that of a panel; slices are by arc.
type panelLayout struct {
	ends   [][2]port // the first and the last
	tracks []int     // of those that pass columns or lie within one
	reach  []float64 // how far those within a column go beside it
	bends  []float64 // where those between neighbours turn, as a part of the gap
	paths  [][]cubic
	labels []label
}

// port is where an arc ends on a side of a box: one of so many, from the top.
type port struct{ number, of int }

// growths bounds how often a picture is drawn larger for labels without a place; one
// with more than manyArcs arcs is drawn once.
const growths, manyArcs = 16, 150

func (p *Picture) layout() *layout {
	l := p.frame()
	for n := range growths {
		l.place(p)
		if lost := l.placeLabels(p); len(lost) == 0 || n == growths-1 || len(l.panels[0].ends) > manyArcs {
			break
		} else {
			l.grow(lost)
		}
	}
	return l
}

// frame makes the columns and rows as large as their boxes and arcs need, and gives the
// ends and tracks of the arcs.
func (p *Picture) frame() *layout {
	l := &layout{}
	rows := 0
	for _, c := range p.columns {
		wide := textWidth(c.Head, opSize)
		for _, n := range c.Nodes {
			wide = max(wide, textWidth(n.label(), opSize)+20)
		}
		l.wide = append(l.wide, wide)
		l.gaps = append(l.gaps, columnGap)
		rows = max(rows, len(c.Nodes))
	}
	if last := len(l.gaps) - 1; last >= 0 {
		l.gaps[last] = 0
	}
	l.high, l.below = slices.Repeat([]float64{nodeHeight}, rows), slices.Repeat([]float64{rowGap}, rows)
	for i := range p.panels {
		arcs := p.panels[i].arcs
		pl := panelLayout{tracks: tracksOf(arcs)}
		pl.ends, pl.reach, pl.bends = portsOf(arcs, pl.tracks), reachOf(arcs, pl.tracks), bendsOf(arcs)
		l.panels = append(l.panels, pl)
		for k := range arcs {
			a := &arcs[k]
			for n, at := range []spot{a.from, a.to} {
				l.high[at.row] = max(l.high[at.row], float64(portGap*(pl.ends[k][n].of+1)))
			}
			text := textWidth(a.label, labelSize)
			switch first := min(a.from.column, a.to.column); a.way() {
			case between:
				l.gaps[first] = max(l.gaps[first], text+60)
			case around:
				l.gaps[first] = max(l.gaps[first], pl.reach[k]+text+bulgeGap)
			case past:
				l.below[a.band()] = max(l.below[a.band()], float64(trackGap*(pl.tracks[k]+2))+8)
			}
		}
	}
	return l
}

// place puts columns beside each other and rows below each other, and the arcs between
// them.
func (l *layout) place(p *Picture) {
	l.centre, l.tops = l.centre[:0], l.tops[:0]
	x, y := float64(margin), 0.0
	for i, wide := range l.wide {
		l.centre = append(l.centre, x+wide/2)
		x += wide + l.gaps[i]
	}
	for i, high := range l.high {
		l.tops = append(l.tops, y)
		y += high + l.below[i]
	}
	l.width = max(x+margin, textWidth(p.title, titleSize)+2*margin)
	for i := range p.panels {
		l.width = max(l.width, textWidth(p.panels[i].head, opSize)+2*margin)
	}
	for _, line := range p.legend() {
		l.width = max(l.width, textWidth(line.text, labelSize)+2*margin+sampleWidth)
	}
	l.panelHeight = y + 2*headHeight
	for i := range l.panels {
		pl := &l.panels[i]
		pl.paths = pl.paths[:0]
		for k := range p.panels[i].arcs {
			pl.paths = append(pl.paths, l.path(&p.panels[i].arcs[k], pl, k))
		}
	}
}

// grow makes space around arcs.
func (l *layout) grow(arcs []*arc) {
	wider, higher := map[int]bool{}, map[int]bool{}
	for _, a := range arcs {
		first, last := min(a.from.column, a.to.column), max(a.from.column, a.to.column)
		for c := first; c < max(last, first+1); c++ {
			wider[c] = true
		}
		top, bottom := min(a.from.row, a.to.row), max(a.from.row, a.to.row)
		for row := top; row < max(bottom, top+1); row++ {
			higher[row] = true
		}
	}
	for c := range l.gaps {
		if wider[c] {
			l.gaps[c] += 16 + l.gaps[c]/8
		}
	}
	for row := range l.below {
		if higher[row] {
			l.below[row] += 14
		}
	}
}

// box is where a box is.
func (l *layout) box(at spot) area {
	left := l.centre[at.column] - l.wide[at.column]/2
	return area{left, l.tops[at.row], left + l.wide[at.column], l.tops[at.row] + l.high[at.row]}
}

// portsOf gives the ends of arcs at the sides of boxes: from top to bottom those of arcs
// within the column to above, the others by where they lead, and those within the column
// to below, such that no two arcs cross beside a box that they share.
func portsOf(arcs []arc, tracks []int) [][2]port {
	type end struct {
		arc, side    int // 0 for the first end of the arc
		group, order float64
	}
	sides := map[spot]*[2][]end{} // the left and the right one
	for i := range arcs {
		a := &arcs[i]
		if a.way() == down {
			continue
		}
		for n, at := range []spot{a.from, a.to} {
			other := [2]spot{a.to, a.from}[n]
			e := end{arc: i, side: n, group: 1, order: float64(other.row)}
			switch a.way() {
			case around:
				e.group, e.order = 0, -e.order
				if other.row > at.row {
					e.group = 2
				}
			case past:
				e.order = float64(a.band()) + .5 + float64(tracks[i])/float64(2*len(arcs))
			}
			if sides[at] == nil {
				sides[at] = new([2][]end)
			}
			right := 0
			if other.column >= at.column {
				right = 1
			}
			sides[at][right] = append(sides[at][right], e)
		}
	}
	ports := make([][2]port, len(arcs))
	for _, both := range sides {
		for _, side := range both {
			slices.SortStableFunc(side, func(a, b end) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.order, b.order)) })
			for n, e := range side {
				ports[e.arc][e.side] = port{n, len(side)}
			}
		}
	}
	return ports
}

// tracksOf gives arcs that pass columns between the same rows tracks of their own where
// they are above the same columns, and arcs beside a column depths of their own where
// they are beside the same rows, the short ones inside.
func tracksOf(arcs []arc) []int {
	tracks := make([]int, len(arcs))
	order := make([]int, len(arcs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(arcs[i].length(), arcs[k].length()) })
	for n, i := range order {
		a := &arcs[i]
		taken := map[int]bool{}
		for _, k := range order[:n] {
			if b := &arcs[k]; a.way() == b.way() && a.meets(b) {
				taken[tracks[k]] = true
			}
		}
		for taken[tracks[i]] {
			tracks[i]++
		}
	}
	return tracks
}

// reachOf says how far arcs within a column go beside it: past the labels of those inside.
func reachOf(arcs []arc, tracks []int) []float64 {
	reach := make([]float64, len(arcs))
	order := make([]int, len(arcs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, k int) int { return cmp.Compare(tracks[i], tracks[k]) })
	for n, i := range order {
		reach[i] = bulgeGap
		for _, k := range order[:n] {
			if a, b := &arcs[i], &arcs[k]; a.way() == around && b.way() == around && a.meets(b) {
				reach[i] = max(reach[i], reach[k]+bulgeGap+textWidth(b.label, labelSize))
			}
		}
	}
	return reach
}

// bendsOf says where arcs between neighbouring columns turn, such that they turn beside
// each other: of those that go down from the left, the lowest first, of the others the
// highest.
func bendsOf(arcs []arc) []float64 {
	gaps := map[int][]int{} // arcs by the column to the left
	for i := range arcs {
		if a := &arcs[i]; a.way() == between {
			column := min(a.from.column, a.to.column)
			gaps[column] = append(gaps[column], i)
		}
	}
	bends := make([]float64, len(arcs))
	for _, list := range gaps {
		order := func(i int) (up, row int) {
			left, right := arcs[i].from, arcs[i].to
			if left.column > right.column {
				left, right = right, left
			}
			if right.row >= left.row {
				return 0, -left.row
			}
			return 1, left.row
		}
		slices.SortStableFunc(list, func(i, k int) int {
			a, x := order(i)
			b, y := order(k)
			return cmp.Or(a-b, x-y)
		})
		for n, i := range list {
			bends[i] = float64(n+1) / float64(len(list)+1)
		}
	}
	return bends
}
