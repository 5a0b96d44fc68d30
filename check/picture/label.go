package picture

import (
	"bytes"
	"fmt"
	"html"
	"math"
	"slices"
)

// label is where the text of an arc is.
type label struct {
	at area
	// on reports that the text is on its own arc, which is interrupted there.
	on bool
}

// along are the parts of a path at which a label may be, the best first.
var along = func() []float64 {
	list := []float64{.5}
	for off := .02; off < .38; off += .02 {
		list = append(list, .5-off, .5+off)
	}
	return list
}()

// endsSeen is how much of an arc is seen on both sides of its label at least, near how
// far a label beside an arc may be from it, away how far it is from others at least.
const endsSeen, near, away = 7, 6, 3

// placeLabels puts the labels of arcs where they lie neither on a box, another label or
// another arc, nor on their own but that it is interrupted there. Those for which there
// is no place are at the middle of their arcs; their arcs are returned.
func (l *layout) placeLabels(p *Picture) (lost []*arc) {
	for i := range l.panels {
		arcs, pl := p.panels[i].arcs, &l.panels[i]
		pl.labels = make([]label, len(arcs))
		var taken []area // boxes and labels
		for c, column := range p.columns {
			for row := range column.Nodes {
				taken = append(taken, l.box(spot{c, row}).padded(3))
			}
		}
		lines := make([][]area, len(arcs))
		for k := range arcs {
			lines[k] = areasOf(pl.paths[k])
		}
		for _, heavy := range []bool{true, false} { // the labels of the cycle are placed first
			for k := range arcs {
				if arcs[k].cycle != heavy || arcs[k].label == "" {
					continue
				}
				var ok bool
				if pl.labels[k], ok = l.findPlace(k, arcs[k].label, pl.paths[k], lines, taken); !ok {
					lost = append(lost, &arcs[k])
				}
				taken = append(taken, pl.labels[k].at)
			}
		}
	}
	return lost
}

// findPlace looks for the place of the label of arc k: on it, or else beside it.
func (l *layout) findPlace(k int, text string, path []cubic, lines [][]area, taken []area) (label, bool) {
	half := textWidth(text, labelSize)/2 + 1
	around := func(p point) area { return area{p.x - half, p.y - 6, p.x + half, p.y + 6} }
	free := func(at area) bool {
		return at.left >= 2 && at.top >= 2 && at.right <= l.width-2 && at.bottom <= l.panelHeight-headHeight && !slices.ContainsFunc(taken, at.overlaps)
	}
	alone := func(at area) bool {
		for i, line := range lines {
			if i != k && slices.ContainsFunc(line, at.overlaps) {
				return false
			}
		}
		return true
	}
	begin, end := path[0][0], tipOf(path)
	for _, t := range along {
		c, part := partOf(path, t)
		at := around(c.at(part))
		if seen := at.padded(endsSeen); !seen.contains(begin) && !seen.contains(end) && free(at) && alone(at) {
			return label{at, true}, true
		}
	}
	for _, t := range along {
		c, part := partOf(path, t)
		p, n := c.at(part), c.normal(part)
		far := math.Abs(n.x)*half + math.Abs(n.y)*6 + near - 2
		for _, side := range []float64{1, -1} {
			at := around(point{p.x + side*far*n.x, p.y + side*far*n.y})
			if free(at) && alone(at.padded(away)) && !slices.ContainsFunc(lines[k], at.overlaps) && comes(path, at.padded(near)) {
				return label{at, false}, true
			}
		}
	}
	c, part := partOf(path, along[0])
	return label{around(c.at(part)), true}, false
}

// comes reports whether a path comes into an area.
func comes(path []cubic, to area) bool {
	const points = 200
	for i := range points {
		c, part := partOf(path, float64(i)/points)
		if to.contains(c.at(part)) {
			return true
		}
	}
	return false
}

// partOf is the curve of a path at a part of the path, and the part of that curve.
func partOf(path []cubic, t float64) (*cubic, float64) {
	t *= float64(len(path))
	i := min(int(t), len(path)-1)
	return &path[i], t - float64(i)
}

// write writes a label, on a plate where it interrupts its arc.
func (l *label) write(out *bytes.Buffer, a *arc, top float64) {
	if l.on {
		fmt.Fprintf(out, `<rect class="paper" x="%.1f" y="%.1f" width="%.1f" height="%.1f"/>`, l.at.left, top+l.at.top, l.at.right-l.at.left, l.at.bottom-l.at.top)
	}
	fmt.Fprintf(out, `<text class="label t%s" x="%.1f" y="%.1f">%s</text>`+"\n", arcNames[a.kind], (l.at.left+l.at.right)/2, top+l.at.bottom-2.5, html.EscapeString(a.label))
}
