package html

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"ordeal/campaigns/internal/messages"
)

// trial is how many operations something took to be caught, or how many went
// by without that.
type trial struct {
	ops    int
	caught bool
}

// step is a point of a curve: from ops on, share is what was caught.
type step struct {
	ops   int
	share float64
}

// caughtBy is the share caught within a number of operations: one minus the
// estimate of survival by Kaplan and Meier (J. Am. Stat. Assoc. 1958), in
// which trials that were given up count for as long as they lasted.
func caughtBy(trials []trial) []step {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b trial) int { return a.ops - b.ops })
	var curve []step
	survive := 1.0
	for i := 0; i < len(sorted); {
		at, caught, from := sorted[i].ops, 0, i
		for ; i < len(sorted) && sorted[i].ops == at; i++ {
			caught += btoi(sorted[i].caught)
		}
		if caught > 0 {
			survive *= 1 - float64(caught)/float64(len(sorted)-from)
			curve = append(curve, step{at, 1 - survive})
		}
	}
	return curve
}

// series is a curve of a plot of detection.
type series struct {
	name   string
	trials []trial
}

// detection draws what share of each series was caught within how many
// operations; what was given up is marked on the curve.
func (c *canvas) detection(list []series, what string) float64 {
	low, high := math.Inf(1), 1.0
	for _, s := range list {
		for _, t := range s.trials {
			low, high = min(low, float64(max(t.ops, 1))), max(high, float64(t.ops))
		}
	}
	top := 30 + c.legend(list, 14)
	f := &frame{left: 46, top: top, right: c.width - 14, bottom: top + 220}
	var xs []tick
	f.x, xs = logarithmic(min(low, high), high, f.left, f.right)
	f.y = scale{0, 1, f.bottom, f.top, false}
	var ys []tick
	for i := 0; i <= 4; i++ {
		ys = append(ys, tick{float64(i) / 4, fmt.Sprintf("%d %%", 25*i)})
	}
	c.axes(f, xs, ys, what, "")
	for i, s := range list {
		points := [][2]float64{{f.left, f.bottom}}
		curve := caughtBy(s.trials)
		for _, p := range curve {
			points = append(points, [2]float64{f.x.at(float64(p.ops)), f.y.at(p.share)})
		}
		last := 0
		for _, t := range s.trials {
			last = max(last, t.ops)
		}
		end := points[len(points)-1]
		points = append(points, [2]float64{f.x.at(float64(last)), end[1]})
		c.steps(fmt.Sprintf("curve s%d", i%seriesStyles), points, 0, false)
		c.censored(f, s.trials, curve, i)
	}
	return f.bottom + 46
}

// censored marks the trials that were given up, once for each place.
func (c *canvas) censored(f *frame, trials []trial, curve []step, style int) {
	counts := make(map[int]int)
	for _, t := range trials {
		if !t.caught {
			counts[t.ops]++
		}
	}
	var places []int
	for ops := range counts {
		places = append(places, ops)
	}
	slices.Sort(places)
	for _, ops := range places {
		share := 0.0
		for _, p := range curve {
			if p.ops <= ops {
				share = p.share
			}
		}
		x, y := f.x.at(float64(max(ops, 1))), f.y.at(share)
		fmt.Fprintf(&c.out, `<path class="mark s%d" d="M%s %sv10"%s`, style%seriesStyles, num(x), num(y-5),
			tip(fmt.Sprintf("%d given up after %s operations", counts[ops], messages.Comma(ops)), "path"))
	}
}

// seriesStyles is the number of styles of curves in the style sheet.
const seriesStyles = 6

// legend names the series, and gives the height that this took.
func (c *canvas) legend(list []series, y float64) float64 {
	if len(list) < 2 {
		return 0
	}
	x, from := 0.0, y
	for i, s := range list {
		name := clip(s.name, 40)
		wide := 34 + 7.2*float64(len([]rune(name))) + 18
		if x > 0 && x+wide > c.width {
			x, y = 0, y+20
		}
		c.line(fmt.Sprintf("curve s%d", i%seriesStyles), x, y-4, x+24, y-4)
		c.text("label", "start", x+31, y, name)
		x += wide
	}
	return y - from + 20
}

// describe says in words what curves of detection show.
func describe(list []series) string {
	var parts []string
	for _, s := range list {
		caught := 0
		for _, t := range s.trials {
			caught += btoi(t.caught)
		}
		parts = append(parts, fmt.Sprintf("%s: %d of %d caught", clip(s.name, nameShown), caught, len(s.trials)))
	}
	return strings.Join(parts[:min(len(parts), 12)], "; ")
}
