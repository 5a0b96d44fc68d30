package chart

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"ordeal/sim/trace"
)

// area is a rectangle of a picture, a line if it is as flat.
type area struct {
	left, top, right, bottom float64
	what                     string
}

// overlaps reports whether two areas have a point inside both.
func (a area) overlaps(b area) bool {
	return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom
}

// picture is where the parts of a chart are.
type picture struct {
	width, height float64
	texts         []area // all
	labels        []area // those that are not in a box
	boxes         []area
	lanes         []area
	arrows        [][]area // the lines and the tip of each
}

// sizes are those of letters, by class, as style says.
var sizes = map[string]float64{"title": 15, "note": 13, "head": 12, "small": 9}

// letterWidth is that of a letter as part of its size: Menlo and DejaVu Sans Mono have 0.602.
const letterWidth = 0.602

var number = regexp.MustCompile(`-?\d+`)

// measure finds the parts of a chart.
func measure(t *testing.T, svg string) *picture {
	t.Helper()
	p := new(picture)
	d := xml.NewDecoder(strings.NewReader(svg))
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
		class, _, _ := strings.Cut(attr["class"], " ")
		switch {
		case e.Name.Local == "svg":
			p.width, p.height = num("width"), num("height")
		case e.Name.Local == "text":
			var text string
			if err := d.DecodeElement(&text, &e); err != nil {
				t.Fatal(err)
			}
			size := sizes[class]
			if size == 0 {
				size = 11
			}
			wide := letterWidth * size * float64(len([]rune(text)))
			a := area{num("x"), num("y") - .8*size, num("x") + wide, num("y") + .2*size, text}
			if slices.Contains([]string{"head", "step", "comment"}, class) { // centred
				a.left, a.right = a.left-wide/2, a.right-wide/2
			}
			p.texts = append(p.texts, a)
			if class != "step" && class != "comment" {
				p.labels = append(p.labels, a)
			}
		case e.Name.Local == "rect" && class != "paper":
			p.boxes = append(p.boxes, area{num("x"), num("y"), num("x") + num("width"), num("y") + num("height"), class})
		case e.Name.Local == "line":
			p.lanes = append(p.lanes, area{num("x1"), num("y1"), num("x2"), num("y2"), "lane"})
		case class == "arrow":
			p.arrows = append(p.arrows, segments(t, attr["d"]))
		}
	}
}

// segments are the lines of a path of M, H and V, and its tip.
func segments(t *testing.T, path string) []area {
	t.Helper()
	var x, y float64
	var tip area
	var list []area
	for n, part := range strings.FieldsFunc(strings.NewReplacer("H", " H", "V", " V").Replace(path), func(r rune) bool { return r == ' ' }) {
		v, err := strconv.ParseFloat(number.FindString(part), 64)
		if err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		toX, toY := x, y
		switch {
		case n == 0:
			x = v
			continue
		case n == 1:
			y = v
			continue
		case part[0] == 'H':
			toX = v
		default:
			toY = v
		}
		list = append(list, area{min(x, toX), min(y, toY), max(x, toX), max(y, toY), "arrow " + path})
		if toX != x { // the tip of the last one
			tip = area{toX - 10, toY - 5, toX, toY + 5, "tip " + path}
			if toX < x {
				tip.left, tip.right = toX, toX+10
			}
		}
		x, y = toX, toY
	}
	return append(list, tip)
}

// faults say what lies on what.
func (p *picture) faults() []string {
	var list []string
	add := func(a, b area) { list = append(list, fmt.Sprintf("%q lies on %q: %+v %+v", a.what, b.what, a, b)) }
	for i, a := range p.texts {
		if a.left < 0 || a.top < 0 || a.right > p.width || a.bottom > p.height {
			list = append(list, fmt.Sprintf("%q is cut off: %+v", a.what, a))
		}
		for _, b := range p.texts[:i] {
			if a.overlaps(b) {
				add(a, b)
			}
		}
		for _, arrow := range p.arrows {
			for _, b := range arrow {
				if a.overlaps(b) {
					add(a, b)
				}
			}
		}
	}
	for _, a := range p.labels {
		for _, b := range slices.Concat(p.lanes, p.boxes) {
			if a.overlaps(b) {
				add(a, b)
			}
		}
	}
	for i, a := range p.boxes {
		for _, b := range p.boxes[:i] {
			if a.overlaps(b) {
				add(a, b)
			}
		}
		for _, arrow := range p.arrows {
			for _, b := range arrow {
				if a.overlaps(b) {
					add(a, b)
				}
			}
		}
		for _, b := range p.lanes {
			if a.overlaps(b) && (b.left < a.left+4 || b.left > a.right-4) {
				add(a, b)
			}
		}
	}
	for i, arrow := range p.arrows { // two vertical lines in one place look as one
		for k := range i {
			for _, a := range arrow {
				for _, b := range p.arrows[k] {
					if a.left == a.right && b.left == b.right && a.left == b.left && a.top < b.bottom && b.top < a.bottom {
						add(a, b)
					}
				}
			}
		}
	}
	return list
}

// generated is a chart with lanes, messages, accesses and marks as a seed has it.
func generated(seed uint64) *Chart {
	rng := rand.New(rand.NewPCG(seed, 1))
	pick := func(list ...string) string { return list[rng.IntN(len(list))] }
	c := &Chart{
		Title: strings.Repeat("load not repeated ", 1+rng.IntN(6)), Notes: []string{strings.Repeat("a sentence ", rng.IntN(40))},
		Legend: map[string]string{Fault: strings.Repeat("the wrong read ", 1+rng.IntN(12)), Cause: "the new value", Witness: "other operations"},
		Lines:  map[int64]string{64: "x"}, Accesses: map[int]string{}, Values: map[int]string{}, Serves: map[int]string{}, Marks: map[int]Mark{}, Omitted: rng.IntN(3),
	}
	if rng.IntN(2) > 0 {
		c.Lines[128] = "d,e"
	}
	cores, shared := 1+rng.IntN(5), 1+rng.IntN(3)
	place := func() string {
		if n := rng.IntN(cores + shared); n < cores {
			return fmt.Sprintf("L1Cache %d", n)
		}
		return fmt.Sprintf("%s %d", pick("L2Cache", "Directory"), rng.IntN(shared))
	}
	at := rng.Int64N(1e12)
	for i := range 1 + rng.IntN(90) {
		at += rng.Int64N(40)
		line := int64(64 + 64*rng.IntN(2))
		switch rng.IntN(5) {
		case 0:
			t := rng.IntN(cores)
			c.Events = append(c.Events, trace.Event{Kind: trace.Access, At: at, Place: fmt.Sprintf("core %d", t), Line: line})
			c.Accesses[i] = pick("M[x] := 1", "a: M[d] == 645", "{ M[d] == 645; M[d] := 481036337797 }")
		case 1, 2:
			c.Events = append(c.Events, trace.Event{
				Kind: trace.Message, At: at, Arrives: at + rng.Int64N(400), Place: place(), To: place(), Line: line,
				Name: pick("GETS", "INV", "DATA_EXCLUSIVE", "DEACTIVATE_PERSISTENT", "CompData_UD_PD"),
			})
			if rng.IntN(3) == 0 {
				c.Values[i] = pick("x = 1", "d = 481036337797", "d = 645, e = 17")
			}
		default:
			c.Events = append(c.Events, trace.Event{
				Kind: trace.Transition, At: at, Place: place(), Line: line,
				Name: pick("Load", "Ack_all", "Transient_Local_GETS_Last_Token"), State: pick("I", "IS_I", "BUSY_BLKD_WAIT"), Next: pick("S", "SM"),
			})
		}
		if rng.IntN(8) == 0 {
			c.Serves[i] = pick("a", "b,c")
		}
		if rng.IntN(6) == 0 {
			c.Marks[i] = Mark{pick(Fault, Cause, Witness), pick("", "the new value", "invalidated here, the core is not notified  MOESI_AMD_Base-CorePair.sm:1686")}
		}
	}
	return c
}

// TestGeometry requires of many charts that no text lies on another, on an arrow, on a
// lifeline outside of its box, or outside of the picture, and that each message has its
// arrow.
func TestGeometry(t *testing.T) {
	for seed := range uint64(200) {
		c := generated(seed)
		var out bytes.Buffer
		if err := c.WriteSVG(&out); err != nil {
			t.Fatal(err)
		}
		p := measure(t, out.String())
		if faults := p.faults(); len(faults) > 0 {
			t.Fatalf("seed %d: %d faults, the first: %s", seed, len(faults), faults[0])
		}
		messages := 0
		points, _ := c.points()
		for _, q := range points {
			if q.end {
				messages++
			}
		}
		if len(p.arrows) != messages || len(p.texts) < len(points)-messages {
			t.Fatalf("seed %d: %d arrows and %d texts of %d messages and %d points", seed, len(p.arrows), len(p.texts), messages, len(points))
		}
	}
}

// TestFaults has the geometric test find what it looks for.
func TestFaults(t *testing.T) {
	const svg = `<svg width="300" height="200"><line class="lane" x1="100" y1="0" x2="100" y2="200"/><path class="arrow" d="M10 50H200V90H250"/>%s</svg>`
	for text, want := range map[string]int{
		`<text class="label" x="10" y="45">GETS</text>`:                                                      0,
		`<text class="label" x="10" y="53">GETS</text>`:                                                      1, // on the arrow
		`<text class="label" x="90" y="30">GETS</text>`:                                                      1, // on the lifeline
		`<text class="label" x="10" y="45">GETS</text><text class="label" x="20" y="40">D</text>`:            1,
		`<text class="label" x="290" y="45">GETS</text>`:                                                     1, // cut off
		`<rect class="box" x="60" y="60" width="80" height="20"/>`:                                           0,
		`<rect class="box" x="160" y="60" width="80" height="20"/>`:                                          1,
		`<path class="arrow" d="M100 70H200V80H250"/>`:                                                       1,
		`<rect class="box" x="60" y="60" width="80" height="20"/><text class="small" x="70" y="75">1</text>`: 1,
	} {
		if got := measure(t, fmt.Sprintf(svg, text)).faults(); len(got) != want {
			t.Errorf("%s: %q, want %d", text, got, want)
		}
	}
}

// TestOvertaking has the arrows of two messages to a lane cross where the later one
// overtakes, and only there.
func TestOvertaking(t *testing.T) {
	for overtakes, second := range map[bool]int64{true: 30, false: 50} {
		c := &Chart{Lines: map[int64]string{64: "x"}, Events: []trace.Event{
			message(10, 40, "L2Cache 0", "L1Cache 0", "DATA", 64), message(20, second, "L2Cache 0", "L1Cache 0", "INV", 64),
			transitionAt(25, "L1Cache 0", 64), transitionAt(35, "L1Cache 0", 64), transitionAt(45, "L1Cache 0", 64),
		}}
		var out bytes.Buffer
		if err := c.WriteSVG(&out); err != nil {
			t.Fatal(err)
		}
		p := measure(t, out.String())
		crossings := 0
		for _, a := range p.arrows[0] {
			for _, b := range p.arrows[1] {
				if (a.left == a.right) != (b.left == b.right) && a.left <= b.right && b.left <= a.right && a.top < b.bottom+1 && b.top < a.bottom+1 {
					crossings++
				}
			}
		}
		if (crossings > 0) != overtakes {
			t.Errorf("the second message arrives at %d: %d crossings in\n%s", second, crossings, out.String())
		}
	}
}
