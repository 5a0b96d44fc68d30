package html

import (
	"fmt"
	"html/template"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/summary"
	"ordeal/sim"
)

// throughput draws operations a second over the time of the campaign, with a
// mark where each finding was first seen.
func (n *night) throughput() template.HTML {
	end := n.sum.Elapsed.Seconds()
	levels := n.flow.levels(end)
	if len(levels) < 2 {
		return ""
	}
	most, all := 0.0, 0
	for _, l := range levels {
		most = max(most, l.rate)
	}
	for _, s := range n.flow.slots {
		all += s.operations
	}
	mean := float64(all) / end
	about := fmt.Sprintf("Operations judged per second over %s: %s in the mean, at most %s.", span(n.sum.Elapsed), short(mean), short(most))
	return figure(about, func(c *canvas) float64 {
		f := &frame{left: 46, top: 34, right: c.width - 14, bottom: 214}
		xs, ys := []tick(nil), []tick(nil)
		unit := ""
		ticks := 10
		if c.narrow {
			ticks = 5
		}
		f.x, xs, unit = clock(end, ticks, f.left, f.right)
		f.y, ys = linear(most, 4, f.bottom, f.top)
		c.axes(f, xs, ys, "time, "+unit, "operations per second")
		var points [][2]float64
		for _, l := range levels {
			y := f.y.at(l.rate)
			points = append(points, [2]float64{f.x.at(l.from), y}, [2]float64{f.x.at(l.to), y})
		}
		c.steps("area", points, f.bottom, true)
		c.steps("curve s0", points, 0, false)
		c.line("mean", f.left, f.y.at(mean), f.right, f.y.at(mean))
		c.text("mean-label", "end", f.right, f.y.at(mean)-6, "mean "+short(mean))
		for i := range n.sum.Findings {
			if s := &n.sum.Findings[i]; i < findingsShown && s.Outcome != sim.Missed {
				c.dot("found", f.x.at(s.FirstAt.Seconds()), f.bottom, 4, fmt.Sprintf("first seen after %s: %s", span(s.FirstAt), clip(s.Title, titleShown)))
			}
		}
		return f.bottom + 46
	})
}

// sightingsShown bounds the findings that have a line of a plot each.
const sightingsShown = 20

// sightings draws, for each finding, from when to when it was seen, or how
// many had been seen when, where they are many.
func (n *night) sightings() template.HTML {
	var list []*summary.Finding
	for i := range n.sum.Findings {
		if f := &n.sum.Findings[i]; f.Outcome != sim.Missed {
			list = append(list, f)
		}
	}
	if len(list) == 0 {
		return ""
	}
	slices.SortStableFunc(list, func(a, b *summary.Finding) int { return int(a.FirstAt - b.FirstAt) })
	about := fmt.Sprintf("When each of %s was first and last seen.", messages.Plural(len(list), "finding"))
	if len(list) > sightingsShown {
		return figure(about, func(c *canvas) float64 { return c.discovery(list, n.sum.Elapsed) })
	}
	return figure(about, func(c *canvas) float64 {
		const row = 40
		f := &frame{left: 8, top: 8, right: c.width - 14}
		f.bottom = f.top + row*float64(len(list))
		ticks := 10
		if c.narrow {
			ticks = 5
		}
		xs, unit := []tick(nil), ""
		f.x, xs, unit = clock(n.sum.Elapsed.Seconds(), ticks, f.left, f.right)
		c.axes(f, xs, nil, "time, "+unit, "")
		for i, s := range list {
			y := f.top + row*float64(i) + 28
			first, last := f.x.at(s.FirstAt.Seconds()), f.x.at(s.LastAt.Seconds())
			c.text("label", "start", f.left, y-12, clip(s.Title, int((c.width-20)/7.4)))
			c.line("rail", f.left, y, f.right, y)
			c.line("reach", first, y, last, y)
			c.dot("end", last, y, 3, fmt.Sprintf("last seen after %s, run %d", span(s.LastAt), s.Last))
			c.dot("found", first, y, 5, fmt.Sprintf("first seen after %s, run %d", span(s.FirstAt), s.First))
		}
		return f.bottom + 46
	})
}

// discovery draws how many of the findings, in order of their first sight, had
// been seen when.
func (c *canvas) discovery(list []*summary.Finding, end time.Duration) float64 {
	f := &frame{left: 46, top: 34, right: c.width - 14, bottom: 234}
	ticks := 10
	if c.narrow {
		ticks = 5
	}
	var xs, ys []tick
	var unit string
	f.x, xs, unit = clock(end.Seconds(), ticks, f.left, f.right)
	f.y, ys = linear(float64(len(list)), 4, f.bottom, f.top)
	c.axes(f, xs, ys, "time, "+unit, "different findings")
	points := [][2]float64{{f.left, f.bottom}}
	for i, s := range list {
		points = append(points, [2]float64{f.x.at(s.FirstAt.Seconds()), f.y.at(float64(i + 1))})
	}
	points = append(points, [2]float64{f.right, points[len(points)-1][1]})
	c.steps("area", points, f.bottom, true)
	c.steps("curve s0", points, 0, false)
	return f.bottom + 46
}

// sightingsNote says what sightings draws.
func (n *night) sightingsNote() string {
	if n.findings() > sightingsShown {
		return "how many different findings had been seen when"
	}
	return "from the first to the last run of each finding"
}

// splitShown bounds the configurations of the plot of times.
const splitShown = 24

// split draws where the processor time went: simulating, searching for
// verdicts, checking their evidence.
func (n *night) split() template.HTML {
	type bar struct {
		name  string
		times [3]float64
	}
	parts := [...]string{"simulator", "search", "evidence"}
	var bars []bar
	var sums [3]float64
	for i := range n.sum.Rows {
		row := &n.sum.Rows[i]
		p := n.configs[row.Config]
		b := bar{clip(row.Config, nameShown), [3]float64{row.Simulated.Seconds(), p.search.Seconds(), p.evidence.Seconds()}}
		for j, v := range b.times {
			sums[j] += v
		}
		bars = append(bars, b)
	}
	total := func(b *bar) float64 { return b.times[0] + b.times[1] + b.times[2] }
	slices.SortStableFunc(bars, func(a, b bar) int {
		switch x, y := total(&a), total(&b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return 0
	})
	others := ""
	if more := len(bars) - splitShown; more > 0 {
		sum := 0.0
		for i := range bars[splitShown:] {
			sum += total(&bars[splitShown+i])
		}
		bars, others = bars[:splitShown], fmt.Sprintf("and %d others: %s", more, span(seconds(sum)))
	}
	high := 0.0
	for i := range bars {
		high = max(high, total(&bars[i]))
	}
	if high == 0 {
		return ""
	}
	var words []string
	for j, name := range parts {
		words = append(words, fmt.Sprintf("%s %.1f s", name, sums[j]))
	}
	return figure("Time by configuration. In all: "+strings.Join(words, ", ")+".", func(c *canvas) float64 {
		x := 0.0
		for j, name := range parts {
			c.rect(fmt.Sprintf("part p%d", j), x, 4, 14, 14, "")
			label := fmt.Sprintf("%s %s", name, span(seconds(sums[j])))
			c.text("label", "start", x+20, 16, label)
			x += 20 + 7.2*float64(len(label)) + 22
			if c.narrow && j == 1 {
				x = 0
				c.out.WriteString(`<g transform="translate(0 20)">`)
			}
		}
		top, row, left := 30.0, 22.0, 210.0
		if c.narrow {
			c.out.WriteString("</g>")
			top, row, left = 50, 40, 0
		}
		f := &frame{left: left, top: top, right: c.width - 14, bottom: top + row*float64(len(bars)) + 4}
		ticks := 8
		if c.narrow {
			ticks = 4
		}
		xs, unit := []tick(nil), ""
		f.x, xs, unit = clock(high, ticks, f.left, f.right)
		for i := range bars {
			b := &bars[i]
			y := top + row*float64(i) + 4
			if c.narrow {
				c.text("label", "start", 0, y+12, clip(b.name, 44))
				y += 18
			} else {
				c.text("label", "end", left-10, y+12, clip(b.name, 27))
			}
			at := 0.0
			for j, v := range b.times {
				from := f.x.at(at)
				at += v
				if wide := f.x.at(at) - from; wide > 0.05 {
					c.rect(fmt.Sprintf("part p%d", j), from, y, wide, 15, fmt.Sprintf("%s, %s: %s", b.name, parts[j], span(seconds(v))))
				}
			}
		}
		c.axes(f, xs, nil, unit, "")
		if others != "" {
			c.text("name", "start", 0, f.bottom+38, others)
		}
		return f.bottom + 46
	})
}
