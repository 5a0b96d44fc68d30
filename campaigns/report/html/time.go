package html

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
	"ordeal/sim"
)

// throughput draws operations per second over the time of the campaign, with a
// dot where each finding was first seen.
func (d *campaignData) throughput() template.HTML {
	end := d.sum.Spent().Seconds()
	levels := d.flow.levels(end)
	if len(levels) < 2 {
		return ""
	}
	most, operations := 0.0, 0
	for _, l := range levels {
		most = max(most, l.rate)
	}
	for _, s := range d.flow.slots {
		operations += s.operations
	}
	mean := float64(operations) / end
	label := fmt.Sprintf("Operations checked per second over %s: %s in the mean, at most %s.", span(d.sum.Spent()), messages.Short(mean), messages.Short(most))
	return plot.Figure(label, func(c *plot.Canvas) float64 {
		f := c.Frame(plot.Frame{Left: 46, Top: 34, Right: c.Width - 14, Bottom: 214}, c.Clock("time, ", end), plot.Linear("operations per second", most, messages.Short), false)
		var points []plot.Point
		for _, l := range levels {
			y := f.Y(l.rate)
			points = append(points, plot.Point{X: f.X(l.from), Y: y}, plot.Point{X: f.X(l.to), Y: y})
		}
		c.Area(points, f.Bottom)
		c.Steps("curve s0", points)
		c.Line("mean", f.Left, f.Y(mean), f.Right, f.Y(mean))
		c.Text("mean-label", "end", f.Right, f.Y(mean)-6, "mean "+messages.Short(mean))
		for i := range d.sum.Findings {
			if s := &d.sum.Findings[i]; i < findingsShown && s.Outcome != sim.Missed {
				c.Dot("found", f.X(s.FirstAt.Seconds()), f.Bottom, 4, fmt.Sprintf("first seen after %s: %s", span(s.FirstAt), clip(s.Title, titleShown)))
			}
		}
		return f.Bottom + plot.Under
	})
}

// occurrencesShown bounds the findings that have a line of a plot each.
const occurrencesShown = 20

// occurrences draws the time from the first to the last run of each finding,
// or the number of findings over time if they are many, and says which.
func (d *campaignData) occurrences() (drawn template.HTML, note string) {
	var list []*summary.Finding
	for i := range d.sum.Findings {
		if f := &d.sum.Findings[i]; f.Outcome != sim.Missed {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return "", ""
	}
	slices.SortStableFunc(list, func(a, b *summary.Finding) int { return cmp.Compare(a.FirstAt, b.FirstAt) })
	label := fmt.Sprintf("When each of %s was first and last seen.", messages.Plural(len(list), "finding"))
	draw, note := occurrenceLines, "from the first to the last run of each finding"
	if len(list) > occurrencesShown {
		draw, note = discoveryCurve, "how many different findings had been seen when"
	}
	return plot.Figure(label, func(c *plot.Canvas) float64 { return draw(c, list, d.sum.Spent()) }), note
}

func occurrenceLines(c *plot.Canvas, list []*summary.Finding, end time.Duration) float64 {
	const row = 40
	f := c.Frame(plot.Frame{Left: 8, Top: 8, Right: c.Width - 14, Bottom: 8 + row*float64(len(list))}, c.Clock("time, ", end.Seconds()), plot.Scale{}, false)
	for i, s := range list {
		y := f.Top + row*float64(i) + 28
		first, last := f.X(s.FirstAt.Seconds()), f.X(s.LastAt.Seconds())
		c.Text("label", "start", f.Left, y-12, clip(s.Title, int((c.Width-20)/7.4)))
		c.Line("rail", f.Left, y, f.Right, y)
		c.Line("reach", first, y, last, y)
		c.Dot("end", last, y, 3, fmt.Sprintf("last seen after %s, run %d", span(s.LastAt), s.Last))
		c.Dot("found", first, y, 5, fmt.Sprintf("first seen after %s, run %d", span(s.FirstAt), s.First))
	}
	return f.Bottom + plot.Under
}

func discoveryCurve(c *plot.Canvas, list []*summary.Finding, end time.Duration) float64 {
	f := c.Frame(plot.Frame{Left: 46, Top: 34, Right: c.Width - 14, Bottom: 234},
		c.Clock("time, ", end.Seconds()), plot.Count("different findings", len(list), messages.Short), false)
	points := []plot.Point{{X: f.Left, Y: f.Bottom}}
	for i, s := range list {
		points = append(points, plot.Point{X: f.X(s.FirstAt.Seconds()), Y: f.Y(float64(i + 1))})
	}
	points = append(points, plot.Point{X: f.Right, Y: points[len(points)-1].Y})
	c.Area(points, f.Bottom)
	c.Steps("curve s0", points)
	return f.Bottom + plot.Under
}

// splitShown bounds the configurations of the plot of times.
const splitShown = 24

// splitParts are the parts of a bar of split.
var splitParts = [...]string{"simulator", "search", "evidence"}

type bar struct {
	name  string
	times [len(splitParts)]time.Duration
	sum   time.Duration
}

func (b *bar) add(times ...time.Duration) {
	for i, t := range times {
		b.times[i] += t
		b.sum += t
	}
}

// split draws the processor time of each configuration: simulating, searching
// for verdicts, checking their evidence.
func (d *campaignData) split() template.HTML {
	var bars []bar
	var total bar
	for i := range d.sum.Rows {
		row := &d.sum.Rows[i]
		p := d.configs[row.Config]
		b := bar{name: clip(row.Config, nameShown)}
		b.add(row.Simulated, p.search, p.evidence)
		total.add(b.times[:]...)
		bars = append(bars, b)
	}
	if total.sum == 0 {
		return ""
	}
	slices.SortStableFunc(bars, func(a, b bar) int { return cmp.Compare(b.sum, a.sum) })
	others := ""
	if more := len(bars) - splitShown; more > 0 {
		var rest bar
		for _, b := range bars[splitShown:] {
			rest.add(b.times[:]...)
		}
		bars, others = bars[:splitShown], fmt.Sprintf("and %d others: %s", more, span(rest.sum))
	}
	var words []string
	for i, name := range splitParts {
		words = append(words, fmt.Sprintf("%s %.1f s", name, total.times[i].Seconds()))
	}
	return plot.Figure("Time by configuration. In all: "+strings.Join(words, ", ")+".", func(c *plot.Canvas) float64 {
		return drawSplit(c, bars, &total, others)
	})
}

func drawSplit(c *plot.Canvas, bars []bar, total *bar, others string) float64 {
	x, y := 0.0, 4.0
	for i, name := range splitParts {
		c.Rect(fmt.Sprintf("part p%d", i), x, y, 14, 14, "")
		label := name + " " + span(total.times[i])
		c.Text("label", "start", x+20, y+12, label)
		x += 42 + 7.2*float64(len(label))
		if c.Narrow && i == 1 {
			x, y = 0, 24
		}
	}
	top, row, left := 30.0, 22.0, 210.0
	if c.Narrow {
		top, row, left = 50, 40, 0
	}
	f := c.Frame(plot.Frame{Left: left, Top: top, Right: c.Width - 14, Bottom: top + row*float64(len(bars)) + 4}, c.Clock("", bars[0].sum.Seconds()), plot.Scale{}, false)
	for i, b := range bars {
		y := top + row*float64(i) + 4
		if c.Narrow {
			c.Text("label", "start", 0, y+12, clip(b.name, 44))
			y += 18
		} else {
			c.Text("label", "end", left-10, y+12, clip(b.name, 27))
		}
		var at time.Duration
		for j, v := range b.times {
			from, to := f.X(at.Seconds()), f.X((at + v).Seconds())
			at += v
			if to-from > 0.05 {
				c.Rect(fmt.Sprintf("part p%d", j), from, y, to-from, 15, fmt.Sprintf("%s, %s: %s", b.name, splitParts[j], span(v)))
			}
		}
	}
	if others != "" {
		c.Text("name", "start", 0, f.Bottom+38, others)
	}
	return f.Bottom + plot.Under
}
