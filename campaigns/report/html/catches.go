package html

import (
	"cmp"
	"fmt"
	"html/template"
	"slices"

	"ordeal/campaigns/internal/messages"
)

// catchesShown bounds the canaries that have a line of a plot each.
const catchesShown = 40

// hunted are the canaries with runs, controls apart.
func (n *night) hunted() []*progress {
	var list []*progress
	for _, c := range n.canaries {
		if !c.control() && c.row.Runs > 0 {
			list = append(list, c)
		}
	}
	return list
}

// catchesNote says what catches draws.
func (n *night) catchesNote() string {
	if len(n.hunted()) > catchesShown {
		return "share of the canaries caught within a number of operations of their configuration; | marks those that were not caught"
	}
	return "of the configuration of each canary; × marks those that were not caught"
}

// catches draws how many operations it took to catch each canary: a line for
// each, or a curve for all where they are many. Controls do not count.
func (n *night) catches() template.HTML {
	list := n.hunted()
	all := series{name: "canaries"}
	for _, c := range list {
		all.trials = append(all.trials, c.trial())
	}
	about := "Operations until each canary was caught. " + describe([]series{all}) + "."
	switch {
	case len(list) == 0:
		return ""
	case len(list) > catchesShown:
		return figure(about, func(c *canvas) float64 { return c.detection([]series{all}, catchesAxis) })
	}
	slices.SortStableFunc(list, func(a, b *progress) int {
		x, y := a.trial(), b.trial()
		return cmp.Or(btoi(y.caught)-btoi(x.caught), x.ops-y.ops)
	})
	return figure(about, func(c *canvas) float64 { return c.catches(list) })
}

const catchesAxis = "operations of the canary's configuration, logarithmic"

// trial is how many operations the canary took.
func (p *progress) trial() trial {
	if p.first != nil {
		return trial{p.first.operations, true}
	}
	return trial{p.operations, false}
}

func (c *canvas) catches(list []*progress) float64 {
	low, high := float64(max(list[0].trial().ops, 1)), 1.0
	for _, k := range list {
		low, high = min(low, float64(max(k.trial().ops, 1))), max(high, float64(k.trial().ops))
	}
	left, top, row := 250.0, 8.0, 24.0
	if c.narrow {
		left, row = 8, 40
	}
	f := &frame{left: left, top: top, right: c.width - 22, bottom: top + row*float64(len(list)) + 6}
	var xs []tick
	f.x, xs = logarithmic(low, high, f.left, f.right)
	for _, t := range xs {
		c.line("grid", f.x.at(t.value), f.top, f.x.at(t.value), f.bottom)
	}
	c.axes(f, xs, nil, catchesAxis, "")
	for i, k := range list {
		t := k.trial()
		y := top + row*float64(i) + 16
		name := clip(k.row.Config, nameShown)
		if c.narrow {
			c.text("label", "start", left, y, clip(name, 44))
			y += 14
		} else {
			c.text("label", "end", left-14, y+4, clip(name, 32))
		}
		x := f.x.at(float64(max(t.ops, 1)))
		if t.caught {
			c.line("hunt", f.left, y, x, y)
			c.dot("caught", x, y, 5, fmt.Sprintf("%s: caught after %s operations, by run %d", name, messages.Comma(t.ops), k.first.number))
			continue
		}
		c.line("hunt missed", f.left, y, x, y)
		fmt.Fprintf(&c.out, `<path class="cross" d="M%s %sl8 8m0 -8l-8 8"%s`, num(x-4), num(y-4), tip(fmt.Sprintf("%s: missed in %s operations", name, messages.Comma(t.ops)), "path"))
		label := "missed"
		if x > f.right-60 {
			c.text("lost", "end", x-10, y-5, label)
		} else {
			c.text("lost", "start", x+10, y+4, label)
		}
	}
	return f.bottom + 46
}
