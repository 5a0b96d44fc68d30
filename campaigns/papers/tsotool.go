package papers

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"

	"ordeal/campaigns"
	"ordeal/check"
	"ordeal/check/model"
)

const (
	noteTSOMachine = "The paper runs its programs on 24 UltraSPARC-III+ processors of 1.2 GHz and analyses there; here cores of kinds tso and ooo on the four embedded protocols, with a few lines of cache each, so that misses and with them races are more frequent."
	noteTSORounds  = "Programs of 1024 operations are executed round after round until there are n operations, by cores that proceed freely; the paper's are n operations long."
	noteScaled     = "A scale s below 1 shortens histories, too: n is the published one times the square root of s."
)

// tsotool lists the experiments of Manovit and Hangal, SPAA 2005.
func tsotool() []Experiment {
	return []Experiment{
		{
			Name: "tsotool-grid", Paper: TSOtool, Place: "Figs. 6, 7 and 8", File: "tsotool-grid.yaml", run: grid,
			Title: "TSOtool's analysis: how often it finds a total order, and how long it takes, by n, p processors and a locations",
			Published: []Quote{
				{What: "programs of each tuple", Value: "32"},
				{What: "total order found, n = 128K", Value: "less often \"when the number of locations is relatively small compared to the number of processors\""},
				{What: "longest mean time (Fig. 8, top of the axis)", Value: "25 s"},
				{What: "growth with n, p and a", Value: "\"almost linearly with all these variables\""},
			},
			Notes: []string{
				"The values of Fig. 6 (a surface) and Figs. 7 and 8 are not in the text of the paper; the axes are: 2 to 16 processors, 4 to 256 locations, 64K to 256K nodes.",
				noteTSOMachine, noteTSORounds, noteScaled,
				"Instruction mix as published but for 1.7 % \"others\": 33.3 % loads, 33.3 % stores, 30 % atomics, 1.7 % fences.",
			},
		},
		{
			Name: "tsotool-variants", Paper: TSOtool, Place: "Sect. 5", File: "tsotool-variants.yaml", run: variants,
			Title: "TSOtool's variants: tracing the graph, vector clocks, and the heuristic for a total order",
			Published: []Quote{
				{What: "vector clocks against the original", Value: "about 30 times faster"},
				{What: "the heuristic, where it ends the iteration early, against vector clocks", Value: "approximately another 2 times"},
				{What: "at n = 64K", Value: "\"in the order of seconds while the original algorithm runs in minutes\""},
			},
			Notes: []string{
				noteTSOMachine, noteTSORounds, noteScaled,
				"The original is a plain implementation of the paper's Fig. 1 that adds no edge which is implied already (campaigns/papers/naive.go). Its time grows with n², so that the factor depends on n.",
				"Iterations of our vector clocks start from clocks computed afresh (check/search/vc), each in O(np).",
			},
		},
	}
}

// tuple is a point of the grid.
type tuple struct{ n, p, a int }

// cell is what was measured of a tuple.
type cell struct {
	tuple
	too       Seconds // of tsotool
	auto      Seconds // of the default procedure
	found     int     // total orders
	measured  int     // operations of a history, at this scale
	histories int
}

// grid measures TSOtool's analysis.
func grid(ctx context.Context, b *bench, c *campaigns.Campaign) (finding, error) {
	s := newSource(c)
	var tuples []tuple
	of := map[tuple][]int{}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		t := tuple{historyOps(cfg), cfg.Threads, cfg.Locations}
		if len(of[t]) == 0 {
			tuples = append(tuples, t)
		}
		of[t] = append(of[t], i)
	}
	var cells []cell
	for i, t := range tuples {
		b.tell("n %d, p %d, a %d", t.n, t.p, t.a)
		runs, err := b.deal(ctx, s, point{configs: of[t]}, 1, i)
		if err != nil {
			return finding{}, err
		}
		k := cell{tuple: t}
		if err := b.cell(ctx, runs, &k); err != nil {
			return finding{}, err
		}
		cells = append(cells, k)
	}
	f := finding{ours: map[int]string{0: fmt.Sprint(cells[0].histories)}}
	longest := 0.0
	for i := range cells {
		longest = max(longest, cells[i].too.Mean)
	}
	f.ours[2] = shortTime(longest)
	f.tables = gridTables(cells)
	f.charts = gridCharts(cells)
	return f, nil
}

// cell measures a tuple.
func (b *bench) cell(ctx context.Context, runs []run, k *cell) error {
	runtime.GC()
	k.too.Of, k.auto.Of = len(runs), len(runs)
	for i := range runs {
		k.measured = len(runs[i].history.Ops)
		for _, m := range []struct {
			procedure string
			t         *Seconds
		}{{"tsotool", &k.too}, {"auto", &k.auto}} {
			v, cpu, err := b.check(ctx, runs[i].history, model.TSO, m.procedure)
			if err != nil {
				return err
			}
			m.t.note(cpu.Seconds(), gaveUp(&v))
			if m.procedure == "tsotool" && v.Answer == check.Allowed {
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

// gridCharts are the three plots of Fig. 8.
func gridCharts(cells []cell) []Chart {
	y := func(log bool) Axis { return Axis{Label: "mean time of the analysis", Unit: "s", Log: log} }
	chart := func(title string, x Axis, y Axis, of, line func(*cell) int, name func(int) string) Chart {
		c := Chart{Title: title, X: x, Y: y}
		for _, l := range distinct(cells, line) {
			s := Series{Name: name(l)}
			for _, v := range distinct(cells, of) {
				sum, count, bound := 0.0, 0, false
				for i := range cells {
					if k := &cells[i]; line(k) == l && of(k) == v && k.too.Histories > 0 {
						sum, count, bound = sum+k.too.Mean, count+1, bound || k.too.GaveUp > 0
					}
				}
				if count > 0 {
					s.Points = append(s.Points, Point{X: float64(v), Y: sum / float64(count), Bound: bound})
				}
			}
			c.Series = append(c.Series, s)
		}
		return c
	}
	byN := func(n int) string { return "n=" + nodes(n) }
	return []Chart{
		chart("Fig. 8: effect of the number of nodes, averaged over a", Axis{Label: "nodes n at full size", Base: 2}, y(false),
			cellN, cellP, func(p int) string { return fmt.Sprintf("%d procs", p) }),
		chart("Fig. 8: effect of the number of processors, averaged over a", Axis{Label: "processors p", Log: true, Base: 2}, y(true), cellP, cellN, byN),
		chart("Fig. 8: effect of the number of locations, averaged over p", Axis{Label: "locations a", Log: true, Base: 2}, y(true), cellA, cellN, byN),
	}
}

// variants measures the three variants on the same histories.
func variants(ctx context.Context, b *bench, c *campaigns.Campaign) (finding, error) {
	s := newSource(c)
	table := Table{Columns: []Column{
		{Name: "n"}, {Name: "measured n"}, {Name: "histories"}, {Name: "original"}, {Name: "vector clocks"}, {Name: "with heuristic"},
		{Name: "total order found", Unit: "%", Digits: 0}, {Name: "clocks : original"}, {Name: "heuristic : clocks", Digits: 1}, {Name: "Ordeal"},
	}, Note: "The last factor is of the histories for which the heuristic finds an order."}
	names := []string{"original", "vector clocks", "with heuristic", "Ordeal"}
	chart := Chart{X: Axis{Label: "operations", Log: true}, Y: Axis{Label: "mean time of the analysis", Unit: "s", Log: true}}
	for _, name := range names {
		chart.Series = append(chart.Series, Series{Name: name})
	}
	f := finding{ours: map[int]string{}}
	for _, p := range points(c, byOps) {
		b.tell("n %d", p.x)
		runs, err := b.deal(ctx, s, p, 4, 0)
		if err != nil {
			return f, err
		}
		v, err := b.variant(ctx, runs)
		if err != nil {
			return f, err
		}
		n := 0
		for i := range runs {
			n = len(runs[i].history.Ops)
		}
		times := []Seconds{v.original, v.clocks, v.heuristic, v.auto}
		for i, t := range times {
			chart.Series[i].add(float64(n), t)
		}
		var first, second any = "–", "–"
		if v.clocks.Mean > 0 {
			bound := ""
			if v.original.GaveUp > 0 {
				bound = "≥ "
			}
			factor := v.original.Mean / v.clocks.Mean
			first = bound + significant(factor)
			f.ours[0] = fmt.Sprintf("%s%.0f times at n = %d", bound, factor, n)
		}
		if v.foundToo > 0 {
			second = v.foundClocks / v.foundToo
			f.ours[1] = fmt.Sprintf("%.1f times at n = %d", v.foundClocks/v.foundToo, n)
		}
		f.ours[2] = fmt.Sprintf("%s, original %s at n = %d", v.heuristic, v.original, n)
		table.Rows = append(table.Rows, []any{
			nodes(p.x), n, len(runs), v.original, v.clocks, v.heuristic, percent(v.found, len(runs)), first, second, v.auto,
		})
	}
	f.tables, f.charts = []Table{table}, []Chart{chart}
	return f, nil
}

// variant is what was measured of the variants.
type variant struct {
	original, clocks, heuristic, auto Seconds
	found                             int
	// Of the histories for which an order was found: seconds, added up.
	foundClocks, foundToo float64
}

// variant measures the variants.
func (b *bench) variant(ctx context.Context, runs []run) (variant, error) {
	runtime.GC()
	k := variant{original: Seconds{Of: len(runs)}, clocks: Seconds{Of: len(runs)}, heuristic: Seconds{Of: len(runs)}, auto: Seconds{Of: len(runs)}}
	for i := range runs {
		h := runs[i].history
		if !b.enough(&k.original) {
			seconds, out, err := b.original(ctx, &runs[i])
			if err != nil {
				return k, err
			}
			k.original.note(seconds, out)
		}
		var clocks float64
		for _, m := range []struct {
			procedure string
			t         *Seconds
		}{{"vc", &k.clocks}, {"tsotool", &k.heuristic}, {"auto", &k.auto}} {
			v, cpu, err := b.check(ctx, h, model.TSO, m.procedure)
			if err != nil {
				return k, err
			}
			m.t.note(cpu.Seconds(), gaveUp(&v))
			switch {
			case m.procedure == "vc":
				clocks = cpu.Seconds()
			case m.procedure == "tsotool" && v.Answer == check.Allowed:
				k.found++
				k.foundClocks += clocks
				k.foundToo += cpu.Seconds()
			}
		}
	}
	return k, nil
}

// original measures the baseline. It reports whether that reached the limit.
func (b *bench) original(ctx context.Context, r *run) (seconds float64, out bool, err error) {
	spent, err := measure(func() error {
		limited, cancel := withCPU(ctx, b.limit())
		defer cancel()
		refuted, err := refutes(limited, r.history)
		out = errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil
		switch {
		case out:
			return nil
		case err == nil && refuted:
			return fmt.Errorf("%s: the cores keep TSO, but the original analysis refutes it", configName(r))
		}
		return err
	})
	return spent.Seconds(), out, err
}
