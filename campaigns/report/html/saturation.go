package html

import (
	"fmt"
	"html/template"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
	"ordeal/sim"
)

// saturationView shows whether more operations would discover more.
type saturationView struct {
	Rows               []saturationRow
	Coverage, Findings template.HTML
}

// saturationRow is what the runs discovered of one kind.
type saturationRow struct {
	Name             string
	Runs, Operations int
	Seen             string
	// Last is the operations at which something new was last seen, and LastShare
	// their share of all; empty if nothing was seen.
	Last, LastShare string
	Once            int
	// Expected is the estimate of Good and Turing of how much the next run shows
	// that no run has shown: what one run alone showed, by the number of runs (Good,
	// Biometrika 1953; for tests: Böhme, STADS, TOSEM 2018). With none it is less
	// than that of one.
	Expected string
	Class    string // "good" where it is small
}

// step is a point of a curve: from so many operations on, share is what was seen.
type step struct {
	ops   int
	share float64
}

// protocolsShown bounds the protocols of a plot of growth.
const protocolsShown = 12

// levelled is the largest number of new things expected of the next run that is
// called small.
const levelled = 0.01

// saturation is nil where no runs have ended.
func (d *campaignData) saturation() *saturationView {
	if d.growth.findings.runs == 0 {
		return nil
	}
	v := &saturationView{}
	totals, once := make(map[string]int), make(map[string]int)
	for _, p := range d.sum.Protocols(d.archive.Campaign) {
		if p.Edited {
			continue
		}
		if p.Whole { // else the simulator does not list what can be reached
			totals[p.Name] = len(p.Reachable)
		}
		for _, t := range p.Coverage {
			once[p.Name] += btoi(t.Runs == 1)
		}
	}
	for _, name := range d.growth.order {
		if len(v.Rows) == rowsShown {
			break
		}
		x := d.growth.protocols[name]
		seen := messages.Plural(len(x.firsts), "transition")
		if n := totals[name]; n > 0 {
			seen = fmt.Sprintf("%s of %s transitions", messages.Comma(len(x.firsts)), messages.Comma(n))
		}
		v.Rows = append(v.Rows, x.row(clip(name, nameShown), seen, once[name]))
	}
	found := 0
	for _, f := range d.sum.Findings {
		found += btoi(f.Runs == 1 && f.Outcome != sim.Missed)
	}
	v.Rows = append(v.Rows, d.growth.findings.row("all configurations", messages.Plural(len(d.growth.findings.firsts), "finding"), found))
	v.Coverage, v.Findings = d.coverageGrowth(totals), d.findingGrowth()
	return v
}

// row is the view of a discovery, of which once things were seen by one run only.
func (x *discovery[K]) row(name, seen string, once int) saturationRow {
	r := saturationRow{Name: name, Runs: x.runs, Operations: x.operations, Seen: seen, Once: once}
	if n := len(x.firsts); n > 0 {
		r.Last, r.LastShare = messages.Comma(x.firsts[n-1]), percent(x.firsts[n-1], x.operations)
	}
	word := "about"
	if once == 0 {
		word = "below"
	}
	r.Expected = fmt.Sprintf("%s %.2g", word, float64(max(once, 1))/float64(x.runs))
	if float64(max(once, 1)) <= levelled*float64(x.runs) {
		r.Class = "good"
	}
	return r
}

// coverageGrowth draws the share of each protocol's transitions that had been
// taken after so many operations on it.
func (d *campaignData) coverageGrowth(totals map[string]int) template.HTML {
	var names, parts []string
	var curves [][]step
	first, last := 0, 1
	for _, name := range d.growth.order[:min(len(d.growth.order), protocolsShown)] {
		x := d.growth.protocols[name]
		if len(x.firsts) == 0 {
			continue
		}
		total := max(totals[name], len(x.firsts))
		names = append(names, clip(name, 40))
		parts = append(parts, clip(name, nameShown)+" "+percent(len(x.firsts), total))
		curves = append(curves, x.curve(func(n int) float64 { return float64(n) / float64(total) }))
		if first == 0 || x.firsts[0] < first {
			first = x.firsts[0]
		}
		last = max(last, x.operations)
	}
	if len(curves) == 0 {
		return ""
	}
	label := "Share of the transitions that were taken after so many operations; in the end: " + strings.Join(parts, ", ") + "."
	return plot.Figure(label, func(c *plot.Canvas) float64 {
		top := 30 + c.Legend(names, 14)
		f := c.Frame(plot.Frame{Left: 46, Top: top, Right: c.Width - 14, Bottom: top + 220},
			plot.Logarithmic("operations on the protocol, logarithmic", float64(max(first, 1)), float64(last), messages.Short), plot.Percent())
		for i, curve := range curves {
			c.Steps("curve "+plot.Style(i), growthPoints(f, curve))
		}
		return f.Bottom + plot.Under
	})
}

// findingGrowth draws how many different findings there were after so many
// operations of the campaign.
func (d *campaignData) findingGrowth() template.HTML {
	x := &d.growth.findings
	if len(x.firsts) == 0 {
		return ""
	}
	label := fmt.Sprintf("Different findings after so many operations: %d after %s of %s.", len(x.firsts), messages.Comma(x.firsts[len(x.firsts)-1]), messages.Comma(x.operations))
	return plot.Figure(label, func(c *plot.Canvas) float64 {
		f := c.Frame(plot.Frame{Left: 46, Top: 34, Right: c.Width - 14, Bottom: 194},
			plot.Logarithmic("operations of the campaign, logarithmic", float64(max(x.firsts[0], 1)), float64(max(x.operations, 1)), messages.Short),
			plot.Count("different findings", len(x.firsts), messages.Short))
		c.Steps("curve s0", growthPoints(f, x.curve(func(n int) float64 { return float64(n) })))
		return f.Bottom + plot.Under
	})
}

// curve is what had been seen when, up to the end; value gives the height of a
// number of things.
func (x *discovery[K]) curve(value func(seen int) float64) []step {
	var curve []step
	for i, ops := range x.firsts {
		if last := len(curve) - 1; last >= 0 && curve[last].ops == ops {
			curve[last].share = value(i + 1)
			continue
		}
		curve = append(curve, step{ops, value(i + 1)})
	}
	return append(curve, step{x.operations, value(len(x.firsts))})
}

func growthPoints(f *plot.Frame, curve []step) []plot.Point {
	points := []plot.Point{{X: f.X(float64(curve[0].ops)), Y: f.Bottom}}
	for _, p := range curve {
		points = append(points, plot.Point{X: f.X(float64(p.ops)), Y: f.Y(p.share)})
	}
	return points
}
