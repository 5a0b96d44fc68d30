package papers

import (
	"fmt"
	"html"
	"math"
	"strconv"
	"strings"
)

// The sizes of a chart, in pixels.
const (
	chartWidth, chartHeight = 640, 380
	marginLeft, marginRight = 78, 170
	marginTop, marginBottom = 34, 54
	tickLength, markSize    = 5, 4
	legendLine, titleOffset = 20, 18
	gridColour, axisColour  = "#e2e2e2", "#333"
	boundRise               = 14 // of the arrow of a lower bound
)

// colours tell lines apart, also for people who do not see all colours; dashes
// help where they are printed in grey.
var (
	colours = []string{"#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000"}
	dashes  = []string{"", "6 3", "2 3", "8 3 2 3", "", "6 3", "2 3"}
)

// scaled maps the values of an axis to pixels.
type scaled struct {
	axis      Axis
	low, high float64 // in pixels
	from, to  float64 // in values, of a logarithmic axis in logarithms
	ticks     []float64
}

// base is that of a logarithmic axis, and of the steps between ticks.
func (a *Axis) base() float64 {
	if a.Base == 0 {
		return 10
	}
	return float64(a.Base)
}

func (s *scaled) value(v float64) float64 {
	if s.axis.Log {
		return math.Log(v) / math.Log(s.axis.base())
	}
	return v
}

// at is the pixel of a value.
func (s *scaled) at(v float64) float64 {
	return s.low + (s.value(v)-s.from)/(s.to-s.from)*(s.high-s.low)
}

// newScaled fits an axis to values.
func newScaled(a Axis, values []float64, exact bool, low, high float64) scaled {
	s := scaled{axis: a, low: low, high: high, from: math.Inf(1), to: math.Inf(-1)}
	for _, v := range values {
		s.from, s.to = min(s.from, s.value(v)), max(s.to, s.value(v))
	}
	if len(values) == 0 {
		s.from, s.to = 0, 1
	}
	switch {
	case exact: // ticks at the measured values themselves
		s.ticks = values
		pad := 0.04 * (s.to - s.from)
		if pad == 0 {
			pad = 1
		}
		s.from, s.to = s.from-pad, s.to+pad
	case a.Log:
		s.from, s.to = math.Floor(s.from+1e-9), math.Ceil(s.to-1e-9)
		if s.from == s.to {
			s.to++
		}
		for e := s.from; e <= s.to; e++ {
			s.ticks = append(s.ticks, math.Pow(a.base(), e))
		}
	default:
		s.from = 0
		step := niceStep(s.to / 5)
		s.to = math.Ceil(s.to/step-1e-9) * step
		if s.to == 0 {
			s.to = step
		}
		for v := 0.0; v <= s.to+step/2; v += step {
			s.ticks = append(s.ticks, v)
		}
	}
	return s
}

// niceStep is 1, 2 or 5 times a power of ten, at least v.
func niceStep(v float64) float64 {
	if v <= 0 {
		return 1
	}
	unit := math.Pow(10, math.Floor(math.Log10(v)))
	for _, m := range []float64{1, 2, 5} {
		if m*unit >= v*(1-1e-9) {
			return m * unit
		}
	}
	return 10 * unit
}

// tick is the text of a tick.
func (a *Axis) tick(v float64) string {
	switch {
	case a.Unit == "s":
		return tickTime(v)
	case v >= 1<<14 && math.Mod(v, 1024) == 0:
		return strconv.FormatFloat(v/1024, 'f', -1, 64) + "K"
	}
	return strconv.FormatFloat(v, 'g', 6, 64)
}

// tickTime is a round time.
func tickTime(s float64) string {
	switch {
	case s == 0:
		return "0"
	case s < 0.9995e-3:
		return strconv.FormatFloat(s*1e6, 'g', 3, 64) + " µs"
	case s < 0.9995:
		return strconv.FormatFloat(s*1e3, 'g', 3, 64) + " ms"
	}
	return strconv.FormatFloat(s, 'g', 3, 64) + " s"
}

// SVG draws the chart.
func (c *Chart) SVG() string {
	var xs, ys []float64
	seen := map[float64]bool{}
	for i := range c.Series {
		for _, p := range c.Series[i].Points {
			if !seen[p.X] {
				xs, seen[p.X] = append(xs, p.X), true
			}
			if !c.Y.Log || p.Y > 0 {
				ys = append(ys, p.Y)
			}
		}
	}
	x := newScaled(c.X, xs, true, marginLeft, chartWidth-marginRight)
	y := newScaled(c.Y, ys, false, chartHeight-marginBottom, marginTop)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" width="%d" height="%d" font-family="sans-serif" font-size="13" role="img">`+"\n",
		chartWidth, chartHeight, chartWidth, chartHeight)
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", chartWidth, chartHeight)
	if c.Title != "" {
		fmt.Fprintf(&b, `<text x="%d" y="%d" font-weight="bold">%s</text>`+"\n", marginLeft, titleOffset, html.EscapeString(c.Title))
	}
	for _, t := range y.ticks {
		at := y.at(t)
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="%s"/><text x="%d" y="%.1f" text-anchor="end">%s</text>`+"\n",
			marginLeft, at, chartWidth-marginRight, gridColour, marginLeft-tickLength-3, at+4, c.Y.tick(t))
	}
	for _, t := range x.ticks {
		at := x.at(t)
		fmt.Fprintf(&b, `<path d="M%.1f %dv%d" stroke="%s"/><text x="%.1f" y="%d" text-anchor="middle">%s</text>`+"\n",
			at, chartHeight-marginBottom, tickLength, axisColour, at, chartHeight-marginBottom+tickLength+15, c.X.tick(t))
	}
	fmt.Fprintf(&b, `<path d="M%d %dV%dH%d" fill="none" stroke="%s"/>`+"\n", marginLeft, marginTop, chartHeight-marginBottom, chartWidth-marginRight, axisColour)
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">%s</text>`+"\n", (marginLeft+chartWidth-marginRight)/2, chartHeight-10, c.X.title())
	middle := (marginTop + chartHeight - marginBottom) / 2
	fmt.Fprintf(&b, `<text transform="translate(16 %d) rotate(-90)" text-anchor="middle">%s</text>`+"\n", middle, c.Y.title())
	for i := range c.Series {
		c.line(&b, i, &x, &y)
	}
	b.WriteString("</svg>\n")
	return b.String()
}

// title is the label of an axis.
func (a *Axis) title() string {
	text := a.Label
	if a.Unit != "" && a.Unit != "s" { // ticks have the unit of times
		text += " (" + a.Unit + ")"
	}
	if a.Log {
		text += ", logarithmic"
	}
	return html.EscapeString(text)
}

// line draws a series and its entry in the legend. An arrow upwards marks a
// lower bound.
func (c *Chart) line(b *strings.Builder, i int, x, y *scaled) {
	s, colour := &c.Series[i], colours[i%len(colours)]
	var path strings.Builder
	for _, p := range s.Points {
		if c.Y.Log && p.Y <= 0 {
			continue
		}
		px, py := x.at(p.X), y.at(p.Y)
		step := "L"
		if path.Len() == 0 {
			step = "M"
		}
		fmt.Fprintf(&path, "%s%.1f %.1f", step, px, py)
		mark(b, i, px, py, colour)
		if p.Bound {
			fmt.Fprintf(b, `<path d="M%.1f %.1fv-%dm-4 5l4 -5l4 5" fill="none" stroke="%s" stroke-width="1.5"/>`+"\n", px, py, boundRise, colour)
		}
	}
	dash := dashes[i%len(dashes)]
	fmt.Fprintf(b, `<path d="%s" fill="none" stroke="%s" stroke-width="1.8" stroke-dasharray="%s"/>`+"\n", path.String(), colour, dash)
	lx, ly := float64(chartWidth-marginRight+14), float64(marginTop+10+i*legendLine)
	fmt.Fprintf(b, `<path d="M%.1f %.1fh26" stroke="%s" stroke-width="1.8" stroke-dasharray="%s"/>`+"\n", lx, ly, colour, dash)
	mark(b, i, lx+13, ly, colour)
	fmt.Fprintf(b, `<text x="%.1f" y="%.1f">%s</text>`+"\n", lx+33, ly+4, html.EscapeString(s.Name))
}

// mark draws the mark of a series' points.
func mark(b *strings.Builder, i int, x, y float64, colour string) {
	const r = markSize
	switch i % 4 {
	case 0:
		fmt.Fprintf(b, `<circle cx="%.1f" cy="%.1f" r="%d" fill="%s"/>`, x, y, r, colour)
	case 1:
		fmt.Fprintf(b, `<rect x="%.1f" y="%.1f" width="%d" height="%d" fill="%s"/>`, x-r, y-r, 2*r, 2*r, colour)
	case 2:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl%d %dh-%dz" fill="%s"/>`, x, y-r-1, r+1, 2*r+1, 2*r+2, colour)
	default:
		fmt.Fprintf(b, `<path d="M%.1f %.1fl%d %dl-%d %dl-%d -%dz" fill="%s"/>`, x, y-r-1, r+1, r+1, r+1, r+1, r+1, r+1, colour)
	}
	b.WriteByte('\n')
}
