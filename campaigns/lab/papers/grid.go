package papers

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strings"

	"ordeal/check"
	"ordeal/check/model"

	"ordeal/campaigns/config"
	"ordeal/campaigns/report/plot"
)

type tuple struct{ n, p, a int }

type cell struct {
	tuple
	too       Seconds // of tsotool
	auto      Seconds // of the default procedure
	found     int     // total orders
	measured  int     // operations of a history, at this scale
	histories int
}

func grid(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	var cells []cell
	for i, p := range pointsBy(c, func(cfg *config.Config) tuple { return tuple{historyOps(cfg), cfg.Threads, cfg.Locations} }) {
		t := p.x
		b.progress("n %d, p %d, a %d", t.n, t.p, t.a)
		runs, err := b.deal(ctx, s, p.configs, 1, i)
		if err != nil {
			return finding{}, err
		}
		k := cell{tuple: t}
		if err := b.cell(ctx, runs, &k); err != nil {
			return finding{}, err
		}
		cells = append(cells, k)
	}
	f := finding{measured: map[string]string{"histories": fmt.Sprint(cells[0].histories)}}
	longest := 0.0
	for i := range cells {
		longest = max(longest, cells[i].too.Mean)
	}
	f.measured["contention"] = contention(cells)
	f.measured["longest"] = shortTime(longest)
	f.measured["growth"] = exponents(cells)
	f.tables = gridTables(cells)
	f.charts = gridCharts(cells)
	return f, nil
}

// contention says how often an order was found where locations are few and
// where they are many.
func contention(cells []cell) string {
	var found, all [2]int
	for i := range cells {
		k := &cells[i]
		switch {
		case k.a <= 2*k.p:
			found[0], all[0] = found[0]+k.found, all[0]+k.histories
		case k.a >= 8*k.p:
			found[1], all[1] = found[1]+k.found, all[1]+k.histories
		}
	}
	return fmt.Sprintf("all n: %.0f %% where a ≤ 2p, %.0f %% where a ≥ 8p", percent(found[0], all[0]), percent(found[1], all[1]))
}

// exponents says how the mean time grows with each parameter, by the slope of
// a line through logarithms.
func exponents(cells []cell) string {
	var parts []string
	for _, v := range []struct {
		name string
		of   func(*cell) int
	}{{"n", func(c *cell) int { return c.measured }}, {"p", cellP}, {"a", cellA}} {
		var xs, ys []float64
		for i := range cells {
			if k := &cells[i]; k.too.Mean > 0 {
				xs, ys = append(xs, math.Log(float64(v.of(k)))), append(ys, math.Log(k.too.Mean))
			}
		}
		if len(distinct(cells, v.of)) > 1 {
			parts = append(parts, fmt.Sprintf("%s^%.2f", v.name, slope(xs, ys)))
		}
	}
	return "as " + strings.Join(parts, " · ")
}

func (b *bench) cell(ctx context.Context, runs []sample, k *cell) error {
	runtime.GC()
	k.too.Of, k.auto.Of = len(runs), len(runs)
	for i := range runs {
		k.measured = len(runs[i].history.Ops)
		for _, m := range []struct {
			procedure string
			t         *Seconds
		}{{"tsotool", &k.too}, {"auto", &k.auto}} {
			c, err := b.check(ctx, runs[i].history, model.TSO, m.procedure)
			if err != nil {
				return err
			}
			m.t.note(c)
			if m.procedure == "tsotool" && c.answer == check.Allowed {
				k.found++
			}
		}
	}
	k.histories = len(runs)
	return nil
}

// distinct lists the values of a component, ascending.
func distinct(cells []cell, of func(*cell) int) []int {
	var list []int
	for i := range cells {
		list = append(list, of(&cells[i]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

func cellN(c *cell) int { return c.n }
func cellP(c *cell) int { return c.p }
func cellA(c *cell) int { return c.a }

// nodes is a number of nodes as the paper writes it.
func nodes(n int) string { return fmt.Sprintf("%dK", n/1024) }

// gridTables are Figs. 6 and 7 for every n, and the same for the default
// procedure.
func gridTables(cells []cell) []Table {
	as := distinct(cells, cellA)
	table := func(title string, value func(*cell) any, unit string) Table {
		t := Table{Title: title, Columns: []Column{{Name: "n"}, {Name: "measured n"}, {Name: "processors"}}}
		for _, a := range as {
			t.Columns = append(t.Columns, Column{Name: fmt.Sprintf("a=%d", a), Unit: unit, Digits: 0})
		}
		for _, n := range distinct(cells, cellN) {
			for _, p := range distinct(cells, cellP) {
				row := []any{nodes(n), nil, p}
				for _, a := range as {
					var v any
					if i := slices.IndexFunc(cells, func(c cell) bool { return c.tuple == tuple{n, p, a} }); i >= 0 {
						v, row[1] = value(&cells[i]), cells[i].measured
					}
					row = append(row, v)
				}
				t.Rows = append(t.Rows, row)
			}
		}
		return t
	}
	return []Table{
		table("Fig. 6: total orders found", func(c *cell) any { return percent(c.found, c.histories) }, "%"),
		table("Fig. 7: mean time of the analysis", func(c *cell) any { return c.too }, ""),
		table("The default procedure on the same histories", func(c *cell) any { return c.auto }, ""),
	}
}

// figure is how a chart shows the grid: the mean of y over the cells with one
// value of x and one of line.
type figure struct {
	title   string
	x, y    plot.Axis
	of      func(*cell) int // the value of x
	line    func(*cell) int
	name    func(int) string
	value   func(*cell) float64
	only    func(*cell) bool // nil: all cells
	bounded bool             // y is a time that may be too small
}

// gridFigures are Figs. 6 to 8, the surfaces of 6 and 7 by their lines.
func gridFigures() []figure {
	const surface = 128 << 10 // n of Figs. 6 and 7
	byN := func(n int) string { return "n=" + nodes(n) }
	byP := func(p int) string { return fmt.Sprintf("%d procs", p) }
	seconds := func(c *cell) float64 { return c.too.Mean }
	of128K := func(c *cell) bool { return c.n == surface }
	locations := plot.Axis{Label: "locations a", Log: true}
	processors := plot.Axis{Label: "processors p", Log: true}
	size := plot.Axis{Label: "nodes n at full size"}
	time := func(log bool) plot.Axis { return plot.Axis{Label: "mean time of the analysis", Unit: "s", Log: log} }
	return []figure{
		{title: "Fig. 6: total orders found, n=128K", x: locations, y: plot.Axis{Label: "total orders found", Unit: "%"}, of: cellA, line: cellP, name: byP,
			value: func(c *cell) float64 { return percent(c.found, c.histories) }, only: of128K},
		{title: "Fig. 7: analysis time, n=128K", x: locations, y: time(true), of: cellA, line: cellP, name: byP, value: seconds, only: of128K, bounded: true},
		{title: "Fig. 8: effect of the number of nodes, averaged over a", x: size, y: time(false), of: cellN, line: cellP, name: byP, value: seconds, bounded: true},
		{title: "Fig. 8: effect of the number of processors, averaged over a", x: processors, y: time(true), of: cellP, line: cellN, name: byN, value: seconds, bounded: true},
		{title: "Fig. 8: effect of the number of locations, averaged over p", x: locations, y: time(true), of: cellA, line: cellN, name: byN, value: seconds, bounded: true},
	}
}

// gridCharts draws the figures for which there are cells.
func gridCharts(cells []cell) []plot.Chart {
	var charts []plot.Chart
	for _, f := range gridFigures() {
		if c := f.chart(cells); len(c.Series) > 0 {
			charts = append(charts, c)
		}
	}
	return charts
}

func (f *figure) chart(cells []cell) plot.Chart {
	c := plot.Chart{Title: f.title, X: f.x, Y: f.y}
	for _, line := range distinct(cells, f.line) {
		s := plot.Series{Name: f.name(line)}
		for _, x := range distinct(cells, f.of) {
			sum, count, bound := 0.0, 0, false
			for i := range cells {
				if k := &cells[i]; f.line(k) == line && f.of(k) == x && k.histories > 0 && (f.only == nil || f.only(k)) {
					sum, count, bound = sum+f.value(k), count+1, bound || f.bounded && k.too.GaveUp > 0
				}
			}
			if count > 0 {
				s.Points = append(s.Points, plot.Value{X: float64(x), Y: sum / float64(count), Bound: bound})
			}
		}
		if len(s.Points) > 0 {
			c.Series = append(c.Series, s)
		}
	}
	return c
}
