package witness

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
)

// TestArcs demands that no arc is behind a box and that no label is on a box or on
// another label, in the pictures of the literature's cases that are small, and of
// one whose arcs pass columns.
func TestArcs(t *testing.T) {
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	all = append(all, cases.Case{Name: "far", History: cases.Parse("0: M[x] := 1\n0: M[y] := 2\n1: M[z] := 3\n1: M[z] := 4\n2: M[z] == 4\n2: M[z] == 3\n" +
		"3: M[y] == 2\n3: M[x] == 0\n")})
	arcs := 0
	for _, c := range all {
		for _, m := range totals {
			ref := newProver(rand.New(rand.NewPCG(61, 0)), c.History, m).prove(m.Family == model.Total)
			if ref == nil {
				continue
			}
			small, ref, _ := Restrict(c.History, ref)
			p, err := Draw(small, m, ref)
			if err != nil {
				t.Fatal(err)
			}
			l := p.layout()
			var boxes []area
			for i, column := range p.columns {
				for row := range column.Nodes {
					boxes = append(boxes, area{l.centre[i] - l.wide[i]/2, l.row(0, row), l.centre[i] + l.wide[i]/2, l.row(0, row) + nodeHeight})
				}
			}
			for i := range p.panels[0].arcs {
				arcs++
				if b := hidden(p.panels[0].arcs[i].curve(&l, 0, i), boxes); b != nil {
					t.Errorf("%s: %s: arc %+v is behind the box at %+v", c.Name, m.Name, p.panels[0].arcs[i], *b)
				}
			}
			if len(p.panels) == 1 {
				noOverlap(t, c.Name+": "+m.Name, p)
			}
		}
	}
	if arcs < 100 {
		t.Errorf("only %d arcs", arcs)
	}
}

// hidden is a box that a path enters by more than a pixel.
func hidden(path []cubic, boxes []area) *area {
	for _, c := range path {
		for i := range 101 {
			p := c.at(float64(i) / 100)
			for k, b := range boxes {
				if p.x > b.left+1 && p.x < b.right-1 && p.y > b.top+1 && p.y < b.bottom-1 {
					return &boxes[k]
				}
			}
		}
	}
	return nil
}

// noOverlap reads the boxes and labels of a picture and compares them all.
func noOverlap(t *testing.T, what string, p *Picture) {
	t.Helper()
	var out bytes.Buffer
	if err := p.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	var areas []area // labels first
	var boxes []area
	for line := range strings.Lines(out.String()) {
		var x, y, w, h float64
		if _, err := fmt.Sscanf(line, `<rect class="box" x="%f" y="%f" width="%f" height="%f"`, &x, &y, &w, &h); err == nil {
			boxes = append(boxes, area{x, y, x + w, y + h})
		}
		if strings.HasPrefix(line, `<text class="label `) {
			at := line[strings.Index(line, " x="):]
			if _, err := fmt.Sscanf(at, ` x="%f" y="%f"`, &x, &y); err != nil {
				t.Fatal(err)
			}
			text := line[strings.Index(line, ">")+1 : strings.LastIndex(line, "</")]
			half := 6 * float64(len(text)) / 2
			areas = append(areas, area{x - half, y - 9, x + half, y + 1})
		}
	}
	labels := len(areas)
	areas = append(areas, boxes...)
	for i := range labels {
		for k := range areas {
			if k != i && areas[i].overlaps(areas[k]) {
				t.Errorf("%s: the label at %+v overlaps %+v", what, areas[i], areas[k])
			}
		}
	}
}
