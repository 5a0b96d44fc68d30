// Package picture draws evidence: refutations and other cycles as graphs whose columns
// are threads, in SVG and DOT. Package chart below it draws the messages of protocols.
package picture

import (
	"fmt"
	"slices"

	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// Picture is a refutation as a drawing: threads are columns, program order
// runs down, and arcs say what precedes what. WriteSVG and WriteDot write it.
type Picture struct {
	title   string
	columns []Column
	panels  []panel
	more    int // leaves of the refutation that have no panel
}

// Column is a thread, or the initial values.
type Column struct {
	Head  string
	Nodes []Node
}

// Node is a box: the letter that arcs are explained with, and a text.
type Node struct{ Name, Text string }

// panel shows one leaf of the refutation.
type panel struct {
	head  string
	arcs  []arc
	drawn map[[2]spot]bool
}

// add draws an arc unless its ends are the same or have one.
func (p *panel) add(a arc) {
	if ends := [2]spot{a.from, a.to}; !p.drawn[ends] && a.from != a.to {
		p.drawn[ends] = true
		p.arcs = append(p.arcs, a)
	}
}

func (p *panel) programOrder(columns []Column) {
	for c, column := range columns {
		for row := 1; row < len(column.Nodes); row++ {
			p.add(arc{from: spot{c, row - 1}, to: spot{c, row}, kind: programOrder})
		}
	}
}

// arc leads from one node to another, both given by column and row.
type arc struct {
	from, to spot
	kind     arcKind
	label    string
	cycle    bool // of the cycle, as against what it rests on
}

type spot struct{ column, row int }

// arcKind is what an arc means; it chooses its colour.
type arcKind uint8

const (
	programOrder arcKind = iota
	readsFrom
	coherenceOrder
	fromRead
	derivedOrder
	assumedOrder
)

var arcNames = [...]string{
	programOrder: "po", readsFrom: "rf", coherenceOrder: "co", fromRead: "fr", derivedOrder: "derived", assumedOrder: "assumed",
}

// ruleArcs say how edges of each rule are drawn and labelled.
var ruleArcs = [...]struct {
	kind  arcKind
	label string
}{
	witness.PPO:        {programOrder, "po"},
	witness.FenceOrder: {programOrder, "fence"},
	witness.Dependency: {programOrder, "dep"},
	witness.ReadsFrom:  {readsFrom, "rf"},
	witness.OwnStore:   {coherenceOrder, "co"},
	witness.Coherence:  {coherenceOrder, "co"},
	witness.FromInit:   {coherenceOrder, "co (initial)"},
	witness.FromRead:   {fromRead, "fr"},
	witness.FinalWrite: {coherenceOrder, "co (final)"},
	witness.DerivedA:   {derivedOrder, "co"},
	witness.DerivedB:   {fromRead, "fr"},
	witness.Assumed:    {assumedOrder, "assumed"},
	witness.StoreOrder: {coherenceOrder, "co (known)"},
	witness.RealTime:   {programOrder, "real time"},
	witness.Pipeline:   {programOrder, "dep"},
}

// opText is an operation without its thread, in the notation of package axe.
func opText(h *parse.History, id parse.OpID) string { return string(axe.AppendOp(nil, h, id)) }

// maxPanels bounds the cases that are drawn.
const maxPanels = 6

// Draw makes the picture of a refutation. Draw it on a history shrunk to the
// operations that matter, see witness.Restrict. It refuses what witness.Verify refuses.
func Draw(h *parse.History, m model.Model, refutation *witness.Refutation) (*Picture, error) {
	if err := witness.Verify(h, m, refutation); err != nil {
		return nil, fmt.Errorf("draw: %w", err)
	}
	d := &drawer{
		h: h, ref: refutation, shown: witness.Shown(h, refutation),
		p: &Picture{title: "forbidden by " + m.Name}, at: map[parse.OpID]spot{}, inits: map[int32]spot{},
	}
	d.nodes()
	d.threads = len(d.p.columns)
	d.leaves(refutation.Root, "")
	return d.p, nil
}

// drawer makes a picture.
type drawer struct {
	h       *parse.History
	ref     *witness.Refutation
	shown   []parse.OpID
	p       *Picture
	at      map[parse.OpID]spot
	inits   map[int32]spot // by location
	threads int            // columns before that of the initial values
}

func (d *drawer) nodes() {
	for t := range d.h.Threads() {
		c := Column{Head: "thread " + d.h.ThreadNames[t]}
		for i, id := range d.shown {
			if d.h.Start[t] <= id && id < d.h.Start[t+1] {
				d.at[id] = spot{len(d.p.columns), len(c.Nodes)}
				c.Nodes = append(c.Nodes, Node{Name: witness.Letters(i), Text: opText(d.h, id)})
			}
		}
		if c.Nodes != nil {
			d.p.columns = append(d.p.columns, c)
		}
	}
}

// spot is that of an end of an edge. Initial values get a column of their
// own when the first of them is needed.
func (d *drawer) spot(id parse.OpID, e witness.Edge) spot {
	if id != parse.Init {
		return d.at[id]
	}
	loc := witness.EdgeLocation(d.h, e)
	if at, ok := d.inits[loc]; ok {
		return at
	}
	if len(d.p.columns) == d.threads {
		d.p.columns = append(d.p.columns, Column{Head: "initially"})
	}
	c := &d.p.columns[d.threads]
	at := spot{d.threads, len(c.Nodes)}
	c.Nodes = append(c.Nodes, Node{Text: fmt.Sprintf("M[%s] == 0", d.h.Locations[loc])})
	d.inits[loc] = at
	return at
}

func (d *drawer) leaves(n *witness.Node, cases string) {
	if n.First != nil {
		for _, half := range []struct {
			from, to parse.OpID
			below    *witness.Node
		}{{n.From, n.To, n.First}, {n.To, n.From, n.Second}} {
			text := fmt.Sprintf("%s → %s", d.name(half.from), d.name(half.to))
			if cases != "" {
				text = cases + ", " + text
			}
			d.leaves(half.below, text)
		}
		return
	}
	if len(d.p.panels) == maxPanels {
		d.p.more++
		return
	}
	p := panel{drawn: map[[2]spot]bool{}}
	if cases != "" {
		p.head = "if " + cases
	}
	add := func(e witness.Edge, cycle bool) {
		p.add(arc{from: d.spot(e.From, e), to: d.spot(e.To, e), kind: ruleArcs[e.Rule].kind, label: d.label(e), cycle: cycle})
	}
	for _, e := range n.Cycle {
		add(e, true)
	}
	for _, l := range slices.Backward(witness.UsedLemmas(d.h, d.ref, n)) {
		for _, e := range d.ref.Lemmas[l].Premise {
			add(e, false)
		}
	}
	// Where nothing else is drawn.
	p.programOrder(d.p.columns[:d.threads])
	for _, id := range d.shown {
		op := &d.h.Ops[id]
		// What an RMW reads from need not be drawn.
		if from, drawn := d.at[op.RF]; drawn && op.Reads() {
			p.add(arc{from: from, to: d.at[id], kind: readsFrom, label: "rf"})
		}
	}
	d.p.panels = append(d.p.panels, p)
}

func (d *drawer) name(id parse.OpID) string {
	if at, ok := d.at[id]; ok {
		return d.p.columns[at.column].Nodes[at.row].Name
	}
	return "init"
}

// label is what stands beside an edge: what its rule says and by which
// operation.
func (d *drawer) label(e witness.Edge) string {
	label := ruleArcs[e.Rule].label
	switch {
	case e.Via < 0:
		return label
	case e.Rule == witness.DerivedA:
		return fmt.Sprintf("%s (%s reads %s)", label, d.name(e.Via), d.name(e.To))
	case e.Rule == witness.DerivedB:
		return fmt.Sprintf("%s (%s reads %s)", label, d.name(e.From), d.name(e.Via))
	case e.Rule == witness.OwnStore || e.Rule == witness.Coherence:
		return fmt.Sprintf("%s (by %s)", label, d.name(e.Via))
	}
	return label
}

// Arc is a heavy arc of a composed picture. From and To are column and
// row; Kind is "po", "rf", "co" or "fr" and chooses the colour.
type Arc struct {
	From, To    [2]int
	Kind, Label string
}

// Compose makes a picture of evidence other than refutations. Program order
// runs down every column. It refuses arcs of unknown kinds or without ends.
func Compose(title string, columns []Column, arcs []Arc) (*Picture, error) {
	p := &Picture{title: title, columns: columns}
	exists := func(at [2]int) bool {
		return at[0] >= 0 && at[0] < len(columns) && at[1] >= 0 && at[1] < len(columns[at[0]].Nodes)
	}
	only := panel{drawn: map[[2]spot]bool{}}
	for i, a := range arcs {
		kind := slices.Index(arcNames[:], a.Kind)
		if kind < 0 || !exists(a.From) || !exists(a.To) {
			return nil, fmt.Errorf("draw: arc %d from %v to %v of kind %q", i, a.From, a.To, a.Kind)
		}
		from, to := spot{a.From[0], a.From[1]}, spot{a.To[0], a.To[1]}
		only.add(arc{from: from, to: to, kind: arcKind(kind), label: a.Label, cycle: true})
	}
	only.programOrder(columns)
	p.panels = []panel{only}
	return p, nil
}
