package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ordeal/check/internal/cases"
	"ordeal/check/model"
	"ordeal/check/search"
	"ordeal/check/witness"
	"ordeal/parse"
)

var (
	totals   = []model.Model{model.SC, model.TSO, model.PSO, model.RMO}
	closures = []model.Model{model.WSC, model.WTSO, model.WPSO}
)

// refutation is one of a history, or nil if the model allows it.
func refutation(t *testing.T, h *parse.History, m model.Model) *witness.Refutation {
	t.Helper()
	v, err := search.Auto.Run(t.Context(), h, m, search.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return v.Refutation
}

// drawing is what a reader finds in a picture's SVG.
type drawing struct {
	texts        []string
	arcs, cycles int
}

// readSVG reads a document strictly: anything but well-formed XML is a fault.
func readSVG(t *testing.T, doc []byte) drawing {
	t.Helper()
	var d drawing
	dec := xml.NewDecoder(bytes.NewReader(doc))
	var inside string
	for {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return d
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, doc)
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local
			for _, a := range token.Attr {
				if a.Name.Local == "class" && strings.HasPrefix(a.Value, "arc ") {
					d.arcs++
					if strings.HasSuffix(a.Value, " cycle") {
						d.cycles++
					}
				}
				if strings.Contains(a.Value, "NaN") {
					t.Errorf("no number in %s", a.Value)
				}
			}
		case xml.CharData:
			if inside == "text" && strings.TrimSpace(string(token)) != "" {
				d.texts = append(d.texts, string(token))
			}
		}
	}
}

// draw draws a refutation and reads the picture back.
func draw(t *testing.T, h *parse.History, m model.Model, ref *witness.Refutation) (*Picture, drawing) {
	t.Helper()
	small, ref, _ := witness.Restrict(h, ref)
	p, err := Draw(small, m, ref)
	if err != nil {
		t.Fatal(err)
	}
	var svg, again, dot bytes.Buffer
	for _, err := range []error{p.WriteSVG(&svg), p.WriteSVG(&again), p.WriteDot(&dot)} {
		if err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(svg.Bytes(), again.Bytes()) {
		t.Error("a picture is drawn in two ways")
	}
	if open, shut := strings.Count(dot.String(), "{"), strings.Count(dot.String(), "}"); open != shut && !strings.Contains(dot.String(), "M[{") {
		t.Errorf("%d braces open, %d close in\n%s", open, shut, dot.String())
	}
	return p, readSVG(t, svg.Bytes())
}

// TestDraw draws every refutation of the literature's cases, and requires each
// operation that matters in it once for each panel, and the whole cycle.
func TestDraw(t *testing.T) {
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	drawn := 0
	for _, c := range all {
		for _, m := range append(totals, closures...) {
			ref := refutation(t, c.History, m)
			if ref == nil {
				continue
			}
			drawn++
			p, d := draw(t, c.History, m, ref)
			small, ref, _ := witness.Restrict(c.History, ref)
			leaves := leavesOf(ref.Root)
			if len(p.panels)+p.more != len(leaves) {
				t.Errorf("%s: %s: %d panels and %d more for %d cases", c.Name, m.Name, len(p.panels), p.more, len(leaves))
			}
			edges := 0
			for i := range p.panels {
				for _, e := range leaves[i].Cycle {
					if e.From != e.To {
						edges++
					}
				}
			}
			if d.cycles != edges {
				t.Errorf("%s: %s: %d arcs of cycles for %d edges", c.Name, m.Name, d.cycles, edges)
			}
			for id := range small.Ops {
				if n := countSuffix(d.texts, ": "+opText(small, parse.OpID(id))); n < len(p.panels) {
					t.Errorf("%s: %s: %s is drawn %d times in %d panels", c.Name, m.Name, opText(small, parse.OpID(id)), n, len(p.panels))
				}
			}
		}
	}
	if drawn < 30 {
		t.Errorf("only %d refutations are drawn", drawn)
	}
}

func leavesOf(n *witness.Node) []*witness.Node {
	if n.First == nil {
		return []*witness.Node{n}
	}
	return append(leavesOf(n.First), leavesOf(n.Second)...)
}

func countSuffix(list []string, suffix string) int {
	n := 0
	for _, s := range list {
		if strings.HasSuffix(s, suffix) {
			n++
		}
	}
	return n
}

// TestDrawMany: a picture of many cases draws maxPanels and counts the others.
func TestDrawMany(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[y] := 2\n1: M[y] == 2\n1: M[x] == 0\n2: M[z] := 3\n3: M[z] := 4\n")
	ref := refutation(t, h, model.TSO)
	// Splits that nothing needs are splits all the same.
	for range 3 {
		ref.Root = &witness.Node{From: 4, To: 5, First: ref.Root, Second: ref.Root}
	}
	p, d := draw(t, h, model.TSO, ref)
	if d := cmp.Diff([]int{maxPanels, 1}, []int{len(p.panels), countSuffix(d.texts, "and 2 more cases")}); d != "" {
		t.Errorf("panels, notes (-want +got):\n%s", d)
	}
}

// TestDrawEscapes: names of threads and locations do not become markup.
func TestDrawEscapes(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[y] := 2\n1: M[y] == 2\n1: M[x] == 0\n")
	h.Locations[0], h.Locations[1] = `<script>"&'`, "]]>"
	h.ThreadNames[0] = "</svg>"
	ref := refutation(t, h, model.TSO)
	_, d := draw(t, h, model.TSO, ref)
	found := strings.Join(d.texts, "\n")
	for _, want := range []string{`M[<script>"&'] := 1`, "M[]]>] == 2", "thread </svg>"} {
		if !strings.Contains(found, want) {
			t.Errorf("%q is not in the picture:\n%s", want, found)
		}
	}
}

// TestDrawSource has an RMW that reads from a store which is not drawn: no edge
// begins elsewhere in its place.
func TestDrawSource(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: { M[y] == 9; M[y] := 2 }\n1: M[y] == 2\n1: M[x] == 0\n2: { M[y] == 8; M[y] := 9 }\n3: M[y] := 8\n")
	p, d := draw(t, h, model.TSO, refutation(t, h, model.TSO))
	for _, a := range p.panels[0].arcs {
		if n := p.columns[a.from.column].Nodes[a.from.row]; a.kind == readsFrom && strings.HasSuffix(n.Text, "M[x] := 1") {
			t.Errorf("%s is read from, by nothing: %q", n.Text, d.texts)
		}
	}
}
