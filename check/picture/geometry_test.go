package picture

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ordeal/check/internal/cases"
	"ordeal/check/internal/histgen"
	"ordeal/check/model"
	"ordeal/check/witness"
	"ordeal/parse"
)

// drawn is a part of a picture: a rectangle, or the points of an arc.
type drawn struct {
	area
	class, what string
	points      []point
}

// parts are those of a picture.
type parts struct {
	paper                      area
	texts, boxes, plates, arcs []drawn
}

// letterSizes are those of texts by class, as style says.
var letterSizes = map[string]float64{"title": 15, "label": 11, "key": 11}

// measure finds the parts of a picture.
func measure(t *testing.T, svg []byte) *parts {
	t.Helper()
	p := new(parts)
	d := xml.NewDecoder(bytes.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return p
		} else if err != nil {
			t.Fatal(err)
		}
		e, ok := token.(xml.StartElement)
		if !ok {
			continue
		}
		attr := map[string]string{}
		for _, a := range e.Attr {
			attr[a.Name.Local] = a.Value
		}
		num := func(name string) float64 {
			n, _ := strconv.ParseFloat(attr[name], 64)
			return n
		}
		class, rest, _ := strings.Cut(attr["class"], " ")
		rectangle := drawn{area: area{num("x"), num("y"), num("x") + num("width"), num("y") + num("height")}, class: rest, what: class}
		switch {
		case e.Name.Local == "svg":
			p.paper = rectangle.area
		case e.Name.Local == "text":
			var text string
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			size := letterSizes[class]
			if size == 0 {
				size = 13
			}
			wide := .602 * size * float64(len([]rune(text))) // Menlo and DejaVu Sans Mono
			a := area{num("x"), num("y") - .75*size, num("x") + wide, num("y") + .2*size}
			if slices.Contains([]string{"head", "op", "label"}, class) { // centred
				a.left, a.right = a.left-wide/2, a.right-wide/2
			}
			p.texts = append(p.texts, drawn{area: a, class: class + " " + rest, what: text})
		case class == "box":
			p.boxes = append(p.boxes, rectangle)
		case class == "paper" && rectangle.area != p.paper:
			p.plates = append(p.plates, rectangle)
		case class == "arc":
			kind, _, _ := strings.Cut(rest, " ")
			p.arcs = append(p.arcs, arcAlong(t, kind, attr["d"]))
		}
	}
}

// arcAlong is the arc of a path, and the area that it is in.
func arcAlong(t *testing.T, kind, path string) drawn {
	t.Helper()
	d := drawn{class: kind, what: path, points: pointsOf(t, path)}
	d.area = area{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
	for _, p := range d.points {
		d.area = area{min(d.left, p.x), min(d.top, p.y), max(d.right, p.x), max(d.bottom, p.y)}
	}
	return d
}

// pointsOf are points of a path of M and C, a pixel or less apart.
func pointsOf(t *testing.T, path string) []point {
	t.Helper()
	var n []float64
	for _, f := range strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("MC ", r) }) {
		v, err := strconv.ParseFloat(f, 64)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		n = append(n, v)
	}
	var list []point
	for i := 2; i+5 < len(n); i += 6 {
		c := cubic{{n[i-2], n[i-1]}, {n[i], n[i+1]}, {n[i+2], n[i+3]}, {n[i+4], n[i+5]}}
		steps := 1 + int((math.Hypot(c[1].x-c[0].x, c[1].y-c[0].y) + math.Hypot(c[2].x-c[1].x, c[2].y-c[1].y) + math.Hypot(c[3].x-c[2].x, c[3].y-c[2].y)))
		for k := range steps + 1 {
			list = append(list, c.at(float64(k)/float64(steps)))
		}
	}
	return list
}

// enters reports whether an arc comes into an area.
func (d *drawn) enters(a area) bool {
	return d.padded(1).overlaps(a) && slices.ContainsFunc(d.points, a.contains)
}

// faults say what lies on what, and which arcs do not begin and end at boxes.
func (p *parts) faults() []string {
	var list []string
	add := func(text string, a, b *drawn) {
		list = append(list, fmt.Sprintf("%q %s %q: %+v %+v", a.what, text, b.what, a.area, b.area))
	}
	for i := range p.texts {
		a := &p.texts[i]
		if a.left < 0 || a.top < 0 || a.right > p.paper.right || a.bottom > p.paper.bottom {
			add("is cut off by", a, &drawn{area: p.paper, what: "the paper"})
		}
		for k := range i {
			if a.overlaps(p.texts[k].area) {
				add("lies on", a, &p.texts[k])
			}
		}
		if strings.HasPrefix(a.class, "op") {
			continue
		}
		for k := range p.boxes {
			if a.overlaps(p.boxes[k].area) {
				add("lies on", a, &p.boxes[k])
			}
		}
		list = append(list, p.crossed(a)...)
	}
	for i := range p.arcs {
		a := &p.arcs[i]
		for k := range p.boxes {
			if a.enters(p.boxes[k].padded(-1)) {
				add("is behind", a, &p.boxes[k])
			}
		}
		for _, end := range []point{a.points[0], a.points[len(a.points)-1]} {
			if !slices.ContainsFunc(p.boxes, func(b drawn) bool { return b.padded(.2).contains(end) }) {
				list = append(list, fmt.Sprintf("%q does not touch a box at %+v", a.what, end))
			}
		}
		for k := range i {
			b := &p.arcs[k]
			if apart(a.points[len(a.points)-1], b.points[len(b.points)-1]) < tipSize-1 {
				add("ends where another does", a, b)
			}
			if along := alongside(a, b); along > 80 {
				list = append(list, fmt.Sprintf("%q and %q look as one for %.0f pixels", a.what, b.what, along))
			}
		}
	}
	return list
}

// crossed says which arcs a text lies on, other than the one that it belongs to and that
// is interrupted by a plate below the text; and whether it has an arc of its kind.
func (p *parts) crossed(text *drawn) []string {
	var list []string
	covered := slices.ContainsFunc(p.plates, func(plate drawn) bool {
		return plate.left <= text.left && plate.right >= text.right && plate.top <= text.top && plate.bottom >= text.bottom
	})
	below := 0
	for i := range p.arcs {
		a := &p.arcs[i]
		if !a.enters(text.area) {
			continue
		}
		below++
		own := "label t"+a.class == text.class
		seen := text.padded(5)
		if !covered || !own || below > 1 || seen.contains(a.points[0]) || seen.contains(a.points[len(a.points)-1]) {
			list = append(list, fmt.Sprintf("%q lies on the arc %q", text.what, a.what))
		}
	}
	if kind, ok := strings.CutPrefix(text.class, "label t"); ok && !slices.ContainsFunc(p.arcs, func(a drawn) bool {
		return a.class == kind && a.enters(text.padded(8))
	}) {
		list = append(list, fmt.Sprintf("%q is beside no arc", text.what))
	}
	return list
}

func apart(a, b point) float64 { return math.Hypot(a.x-b.x, a.y-b.y) }

// alongside is how long two arcs are less than two pixels apart.
func alongside(a, b *drawn) float64 {
	if !a.padded(2).overlaps(b.area) {
		return 0
	}
	long := 0.0
	for i := 1; i < len(a.points); i += 6 {
		if slices.ContainsFunc(b.points, func(q point) bool { return apart(a.points[i], q) < 2 }) {
			long += 6 * apart(a.points[i-1], a.points[i])
		}
	}
	return long
}

// generatedPicture has columns, rows and arcs as a seed has them.
func generatedPicture(t *testing.T, seed uint64) *Picture {
	t.Helper()
	rng := rand.New(rand.NewPCG(seed, 3))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	var columns []Column
	for c := range 1 + rng.IntN(5) {
		column := Column{Head: fmt.Sprintf("thread %d", c)}
		for r := range 1 + rng.IntN(4) {
			column.Nodes = append(column.Nodes, Node{Name: witness.Letters(4*c + r), Text: pick("M[x] := 1", "M[d] == 481036342037", "{ M[d] == 645; M[d] := 481036337797 }")})
		}
		columns = append(columns, column)
	}
	spot := func() [2]int {
		c := rng.IntN(len(columns))
		return [2]int{c, rng.IntN(len(columns[c].Nodes))}
	}
	var arcs []Arc
	for range 1 + rng.IntN(12) {
		kind := pick(arcNames[:]...)
		arcs = append(arcs, Arc{From: spot(), To: spot(), Kind: kind, Label: pick(kind, "co (initial)", kind+" (by cd)")})
	}
	p, err := Compose(pick("forbidden by tso", "not equivalent to an execution under sc"), columns, arcs)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// requireGeometry draws a picture and requires that it has no fault.
func requireGeometry(t *testing.T, what string, p *Picture) {
	t.Helper()
	var out bytes.Buffer
	if err := p.WriteSVG(&out); err != nil {
		t.Fatal(err)
	}
	m := measure(t, out.Bytes())
	arcs, boxes := 0, 0
	for i := range p.panels {
		arcs += len(p.panels[i].arcs)
	}
	for _, c := range p.columns {
		boxes += len(c.Nodes) * len(p.panels)
	}
	if len(m.arcs) != arcs || len(m.boxes) != boxes {
		t.Errorf("%s: %d arcs and %d boxes, want %d and %d", what, len(m.arcs), len(m.boxes), arcs, boxes)
	}
	if faults := m.faults(); len(faults) > 0 {
		t.Errorf("%s: %d faults, the first: %s", what, len(faults), faults[0])
	}
}

// TestGeometry requires of many pictures, of arcs at random and of refutations, that no
// label lies on a box, another text, or an arc but its own, which is interrupted there;
// that each arc begins and ends at a box, with a tip of its own, and no two look as one.
func TestGeometry(t *testing.T) {
	for seed := range uint64(80) {
		requireGeometry(t, fmt.Sprintf("seed %d", seed), generatedPicture(t, seed))
	}
	all, err := cases.Load("../testdata/cases")
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(61, 0))
	for i := range 40 {
		all = append(all, cases.Case{Name: fmt.Sprintf("random %d", i), History: mutated(rng)})
	}
	refuted := 0
	for _, c := range all {
		for _, m := range totals {
			ref := refutation(t, c.History, m)
			if ref == nil {
				continue
			}
			refuted++
			small, ref, _ := witness.Restrict(c.History, ref)
			p, err := Draw(small, m, ref)
			if err != nil {
				t.Fatal(err)
			}
			requireGeometry(t, c.Name+": "+m.Name, p)
		}
	}
	if refuted < 100 {
		t.Errorf("only %d refutations", refuted)
	}
}

// mutated is what a machine did in a few operations, with some reads changed.
func mutated(rng *rand.Rand) *parse.History {
	p := histgen.Params{
		Threads: 2 + rng.IntN(3), Ops: 8 + rng.IntN(6), Locations: 1 + rng.IntN(3), RMWs: 0.1 * float64(rng.IntN(2)),
		Fences: 0.1 * float64(rng.IntN(3)), Mask: parse.FenceMask(1 + rng.IntN(15)), Deps: 0.5 * float64(rng.IntN(2)),
	}
	return histgen.Mutate(rng, histgen.Machine(rng, totals[rng.IntN(4)], p), rng.IntN(4))
}

// TestFaults has the geometric test find what it looks for.
func TestFaults(t *testing.T) {
	const svg = `<svg width="400" height="200"><rect class="box" x="10" y="40" width="90" height="30"/><rect class="box" x="300" y="40" width="90" height="30"/>` +
		`<path class="arc rf cycle" d="M100.0 50.0C200.0 50.0 200.0 50.0 300.0 50.0"/>%s</svg>`
	const plate = `<rect class="paper" x="190" y="43" width="20" height="14"/>`
	for text, want := range map[string]int{
		plate + `<text class="label trf" x="200" y="53">rf</text>`:                             0,
		`<text class="label trf" x="200" y="53">rf</text>`:                                     1, // without a plate
		plate + `<text class="label tco" x="200" y="53">co</text>`:                             2, // on another arc, and beside none of its own
		`<text class="label trf" x="200" y="40">rf</text>`:                                     0, // beside
		`<text class="label trf" x="200" y="90">rf</text>`:                                     1, // far from it
		`<text class="label trf" x="104" y="44">rf</text>`:                                     1, // on a box
		`<text class="op" x="55" y="58">a: load</text><text class="op" x="70" y="60">b</text>`: 1,
		`<text class="head" x="380" y="20">thread 0</text>`:                                    1, // cut off
		`<path class="arc po" d="M100.0 60.0C200.0 60.0 200.0 60.0 300.0 60.0"/>`:              0,
		`<path class="arc po" d="M100.0 60.0C200.0 60.0 200.0 60.0 290.0 60.0"/>`:              1, // touches no box
		`<path class="arc po" d="M100.0 60.0C150.0 50.0 250.0 50.0 300.0 60.0"/>`:              0,
		`<path class="arc po" d="M100.0 51.0C200.0 51.0 200.0 51.0 300.0 60.0"/>`:              1, // looks as one with the other
		`<path class="arc po" d="M100.0 60.0C200.0 60.0 250.0 80.0 300.0 54.0"/>`:              1, // ends where the other does
		`<path class="arc po" d="M60.0 40.0C60.0 90.0 60.0 90.0 100.0 65.0"/>`:                 1, // behind a box
	} {
		if got := measure(t, fmt.Appendf(nil, svg, text)).faults(); len(got) != want {
			t.Errorf("%s: %q, want %d", text, got, want)
		}
	}
}

// TestLegend explains the arcs that a picture has, and no others.
func TestLegend(t *testing.T) {
	h := cases.Parse("0: M[x] := 1\n0: M[y] := 2\n1: M[y] == 2\n1: M[x] == 0\n")
	edge := func(from, to parse.OpID, rule witness.Rule) witness.Edge {
		return witness.Edge{From: from, To: to, Rule: rule, Via: parse.NoOp, Lemma: -1}
	}
	derived := witness.Edge{From: 0, To: parse.Init, Rule: witness.DerivedA, Via: 3, Lemma: 0}
	ref := &witness.Refutation{
		Lemmas: []witness.Lemma{{Edge: derived, Premise: []witness.Edge{
			edge(0, 1, witness.PPO), edge(1, 2, witness.ReadsFrom), edge(2, 3, witness.PPO),
		}}},
		Root: &witness.Node{Cycle: []witness.Edge{derived, edge(parse.Init, 0, witness.FromInit)}},
	}
	_, d := draw(t, h, model.TSO, ref)
	text := strings.Join(d.texts, "\n")
	for _, want := range []string{"thick lines:", "po: program order", "rf: the load reads", "co: order of the stores to a location\n", "co: order of the stores to a location, which follows"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in the legend:\n%s", want, text)
		}
	}
	for _, other := range []string{"assumed:", "fence:", "dep:", "fr:"} {
		if strings.Contains(text, other) {
			t.Errorf("%q is explained, which is not in the picture:\n%s", other, text)
		}
	}
}
