package html

import (
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
		f := c.Frame(plot.Frame{Left: 46, Top: top, Right: c.Width - 14, Bottom: top + 220}, opsScale(axis, all), plot.Percent())
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
		c.Tick(class, f.X(float64(ops)), f.Y(share), fmt.Sprintf("%d not detected in %s operations", counts[ops], messages.Comma(ops)))
	}
}
