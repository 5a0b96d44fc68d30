package plot

import (
	"html/template"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/dustin/go-humanize"
)

// Chart shows measured values as lines over two axes.
type Chart struct {
	Title  string   `json:"title,omitempty"`
	X      Axis     `json:"x"`
	Y      Axis     `json:"y"`
	Series []Series `json:"series"`
}

// Axis is an axis of a chart.
type Axis struct {
	Label string `json:"label"`
	Unit  string `json:"unit,omitempty"`
	Log   bool   `json:"log,omitempty"`
}

// Series is a line of a chart.
type Series struct {
	Name   string  `json:"name"`
	Points []Value `json:"points"`
}

// Value is a measured point. Bound says that the true Y is larger.
type Value struct {
	X     float64 `json:"x"`
	Y     float64 `json:"y"`
	Bound bool    `json:"bound,omitempty"`
}

// markers are the shapes of the points of a series, beside its colour.
var markers = []string{"m-4 0a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z", "m-4 -4h8v8h-8z", "m0 -5l5 9h-10z", "m0 -5l5 5l-5 5l-5 -5z"}

// The size of a chart, in pixels.
const (
	chartWidth  = 640
	chartHeight = 300 // of the frame
)

// SVG draws the chart: ticks of x at the measured values, y from 0 on or
// logarithmic, an arrow for each bound.
func (c *Chart) SVG() template.HTML {
	var xs, ys []float64
	var names []string
	for _, s := range c.Series {
		names = append(names, s.Name)
		for _, p := range s.drawn(c.Y) {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
	}
	slices.Sort(xs)
	canvas := &Canvas{Width: chartWidth}
	top := 36 + canvas.Legend(names, 14)
	frame := canvas.Frame(Frame{Left: 62, Top: top, Right: chartWidth - 14, Bottom: top + chartHeight}, c.X.exact(slices.Compact(xs)), c.Y.scale(ys), false)
	for i, s := range c.Series {
		var path strings.Builder
		var marks []func()
		for j, p := range s.drawn(c.Y) {
			x, y := frame.X(p.X), frame.Y(p.Y)
			path.WriteString([]string{"M", "L"}[min(j, 1)] + number(x) + " " + number(y))
			marks = append(marks, func() {
				canvas.Mark("point "+Style(i), x, y, markers[i%len(markers)], s.Name+", "+c.X.tick(p.X)+": "+c.Y.tick(p.Y))
				if p.Bound {
					canvas.Mark("mark "+Style(i), x, y, Bound, "")
				}
			})
		}
		canvas.element("path", "curve "+Style(i), "", "d", path.String())
		for _, mark := range marks {
			mark()
		}
	}
	return template.HTML(canvas.svg("chart", c.Title, frame.Bottom+Under))
}

// drawn are the points that have a place: a logarithmic axis has no zero.
func (s *Series) drawn(y Axis) []Value {
	var list []Value
	for _, p := range s.Points {
		if !y.Log || p.Y > 0 {
			list = append(list, p)
		}
	}
	return list
}

// name is the label with the unit, unless ticks have that.
func (a *Axis) name() string {
	text := a.Label
	if a.Unit != "" && a.Unit != "s" {
		text += " (" + a.Unit + ")"
	}
	if a.Log {
		text += ", logarithmic"
	}
	return text
}

func (a *Axis) exact(list []float64) Scale { return values(a.name(), list, a.Log, a.tick) }

func (a *Axis) scale(list []float64) Scale {
	if a.Log && len(list) > 0 {
		return Logarithmic(a.name(), slices.Min(list), slices.Max(list), a.tick)
	}
	return Linear(a.name(), slices.Max(append(list, 0)), a.tick)
}

// tick is the text of a value.
func (a *Axis) tick(v float64) string {
	switch {
	case a.Unit == "s":
		return humanize.SIWithDigits(v, 3, "s")
	case v >= 1<<14 && math.Mod(v, 1024) == 0:
		return strconv.FormatFloat(v/1024, 'f', -1, 64) + "K"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}
