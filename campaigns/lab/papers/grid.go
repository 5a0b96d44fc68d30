package papers

import (
	"context"
	"fmt"
	"runtime"
	"slices"

	"ordeal/check"
	"ordeal/check/model"

	"ordeal/campaigns/config"
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
	for i, p := range pointsBy(c, func(cfg *config.Config) tuple { return tuple{cfg.Operations(), cfg.Threads, cfg.Locations} }) {
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
	f.tables = gridTables(cells)
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
