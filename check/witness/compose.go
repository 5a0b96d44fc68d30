package witness

import (
	"fmt"
	"slices"
)

// PictureColumn is a column of a composed picture: a thread, and what it did.
type PictureColumn struct {
	Head  string
	Nodes []PictureNode
}

// PictureNode is a box: the letter that arcs are explained with, and a text.
type PictureNode struct{ Name, Text string }

// PictureArc is a heavy arc of a composed picture. From and To are column and
// row; Kind is "po", "rf", "co" or "fr" and chooses the colour.
type PictureArc struct {
	From, To    [2]int
	Kind, Label string
}

// Compose makes a picture of evidence other than refutations. Program order
// runs down every column. It refuses arcs of unknown kinds or without ends.
func Compose(title string, columns []PictureColumn, arcs []PictureArc) (*Picture, error) {
	p := &Picture{title: title}
	for _, c := range columns {
		col := column{head: c.Head}
		for _, n := range c.Nodes {
			col.nodes = append(col.nodes, node{name: n.Name, text: n.Text})
		}
		p.columns = append(p.columns, col)
	}
	exists := func(at [2]int) bool {
		return at[0] >= 0 && at[0] < len(columns) && at[1] >= 0 && at[1] < len(columns[at[0]].Nodes)
	}
	var only panel
	drawn := map[[2]spot]bool{}
	for i, a := range arcs {
		kind := slices.Index(arcNames[:], a.Kind)
		if kind < 0 || !exists(a.From) || !exists(a.To) {
			return nil, fmt.Errorf("draw: arc %d from %v to %v of kind %q", i, a.From, a.To, a.Kind)
		}
		from, to := spot{a.From[0], a.From[1]}, spot{a.To[0], a.To[1]}
		drawn[[2]spot{from, to}] = true
		only.arcs = append(only.arcs, arc{from: from, to: to, kind: arcKind(kind), label: a.Label, cycle: true})
	}
	for c, col := range p.columns {
		for row := 1; row < len(col.nodes); row++ {
			from, to := spot{c, row - 1}, spot{c, row}
			if !drawn[[2]spot{from, to}] {
				only.arcs = append(only.arcs, arc{from: from, to: to, kind: programOrder})
			}
		}
	}
	p.panels = []panel{only}
	return p, nil
}
