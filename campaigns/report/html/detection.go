package html

import (
	"cmp"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
)

// trial is the number of operations after which a fault was detected, or that
// were executed without detecting it.
type trial struct {
	ops      int
	detected bool
}

// step is a point of a curve: from ops on, share is what was detected.
type step struct {
	ops   int
	share float64
}

// detectedBy is the share detected within a number of operations: one minus
// the estimate of survival by Kaplan and Meier (J. Am. Stat. Assoc. 1958), in
// which trials without detection count for as long as they lasted.
func detectedBy(trials []trial) []step {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b trial) int { return a.ops - b.ops })
	var curve []step
	survive := 1.0
	for i := 0; i < len(sorted); {
		at, detected, from := sorted[i].ops, 0, i
		for ; i < len(sorted) && sorted[i].ops == at; i++ {
			detected += btoi(sorted[i].detected)
		}
		if detected > 0 {
			survive *= 1 - float64(detected)/float64(len(sorted)-from)
			curve = append(curve, step{at, 1 - survive})
		}
	}
	return curve
}

type series struct {
	name   string
	trials []trial
}

// detection draws which share of each series was detected within how many
// operations; trials without detection are marked on the curve.
func detection(about, axis string, list []series) template.HTML {
	var parts, names []string
	var all []trial
	for _, s := range list {
		detected := 0
		for _, t := range s.trials {
			detected += btoi(t.detected)
		}
		parts = append(parts, fmt.Sprintf("%s: %d of %d", clip(s.name, nameShown), detected, len(s.trials)))
		names = append(names, clip(s.name, 40))
		all = append(all, s.trials...)
	}
	label := about + " " + strings.Join(parts[:min(len(parts), 12)], "; ") + "."
	return plot.Figure(label, func(c *plot.Canvas) float64 {
		top := 30 + c.Legend(names, 14)
		f := c.Frame(plot.Frame{Left: 46, Top: top, Right: c.Width - 14, Bottom: top + 220}, opsScale(axis, all), plot.Percent(), false)
		for i, s := range list {
			points := []plot.Point{{X: f.Left, Y: f.Bottom}}
			curve := detectedBy(s.trials)
			for _, p := range curve {
				points = append(points, plot.Point{X: f.X(float64(p.ops)), Y: f.Y(p.share)})
			}
			last := 0
			for _, t := range s.trials {
				last = max(last, t.ops)
			}
			points = append(points, plot.Point{X: f.X(float64(last)), Y: points[len(points)-1].Y})
			c.Steps("curve "+plot.Style(i), points)
			markCensored(c, f, s.trials, curve, "mark "+plot.Style(i))
		}
		return f.Bottom + plot.Under
	})
}

// opsScale is a logarithmic scale for the operations of trials.
func opsScale(name string, trials []trial) plot.Scale {
	low, high := 1, 1
	for i, t := range trials {
		high = max(high, t.ops)
		if ops := max(t.ops, 1); i == 0 || ops < low {
			low = ops
		}
	}
	return plot.Logarithmic(name, float64(low), float64(high), messages.Short)
}

// markCensored marks the trials without detection, once for each place.
func markCensored(c *plot.Canvas, f *plot.Frame, trials []trial, curve []step, class string) {
	counts := make(map[int]int)
	for _, t := range trials {
		if !t.detected {
			counts[t.ops]++
		}
	}
	for _, ops := range slices.Sorted(maps.Keys(counts)) {
		share := 0.0
		for _, p := range curve {
			if p.ops <= ops {
				share = p.share
			}
		}
		c.Mark(class, f.X(float64(ops)), f.Y(share), plot.Tick, fmt.Sprintf("%d not detected in %s operations", counts[ops], messages.Comma(ops)))
	}
}

// catchesShown bounds the canaries that have a line of a plot each.
const catchesShown = 40

const catchesAxis = "operations of the canary's configuration, logarithmic"

// catches draws how many operations it took to catch each canary, and says
// how: a line for each, or one curve if they are many. Negative controls do
// not count.
func (d *campaignData) catches() (drawn template.HTML, note string) {
	var list []*progress
	all := series{name: "canaries"}
	for _, c := range d.canaries {
		if !c.control() && c.row.Runs > 0 {
			list = append(list, c)
			all.trials = append(all.trials, c.trial())
		}
	}
	const about = "Operations until each canary was caught."
	switch {
	case len(list) == 0:
		return "", ""
	case len(list) > catchesShown:
		return detection(about, catchesAxis, []series{all}),
			"share of the canaries caught within a number of operations of their configuration; | marks those that were not caught"
	}
	slices.SortStableFunc(list, func(a, b *progress) int {
		x, y := a.trial(), b.trial()
		return cmp.Or(btoi(y.detected)-btoi(x.detected), x.ops-y.ops)
	})
	return plot.Figure(about, func(c *plot.Canvas) float64 { return catchLines(c, list, opsScale(catchesAxis, all.trials)) }),
		"of the configuration of each canary; × marks those that were not caught"
}

// trial is the number of operations until the canary was caught.
func (p *progress) trial() trial {
	if p.first != nil {
		return trial{p.first.operations, true}
	}
	return trial{p.operations, false}
}

func catchLines(c *plot.Canvas, list []*progress, scale plot.Scale) float64 {
	left, top, row := 250.0, 8.0, 24.0
	if c.Narrow {
		left, row = 8, 40
	}
	f := c.Frame(plot.Frame{Left: left, Top: top, Right: c.Width - 22, Bottom: top + row*float64(len(list)) + 6}, scale, plot.Scale{}, true)
	for i, k := range list {
		t := k.trial()
		y := top + row*float64(i) + 16
		name := clip(k.row.Config, nameShown)
		if c.Narrow {
			c.Text("label", "start", left, y, clip(name, 44))
			y += 14
		} else {
			c.Text("label", "end", left-14, y+4, clip(name, 32))
		}
		x := f.X(float64(t.ops))
		if t.detected {
			c.Line("bar", f.Left, y, x, y)
			c.Dot("caught", x, y, 5, fmt.Sprintf("%s: caught after %s operations, by run %d", name, messages.Comma(t.ops), k.first.number))
			continue
		}
		c.Line("bar missed", f.Left, y, x, y)
		c.Mark("cross", x, y, plot.Cross, fmt.Sprintf("%s: missed in %s operations", name, messages.Comma(t.ops)))
		if x > f.Right-60 {
			c.Text("lost", "end", x-10, y-5, "missed")
		} else {
			c.Text("lost", "start", x+10, y+4, "missed")
		}
	}
	return f.Bottom + plot.Under
}
