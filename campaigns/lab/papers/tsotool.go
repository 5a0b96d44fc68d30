package papers

import (
	"context"
	"fmt"
	"runtime"

	"ordeal/check"
	"ordeal/check/model"

	"ordeal/campaigns/config"
)

// variants measures vector clocks without and with the heuristic on the same histories.
func variants(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	table := Table{Columns: []Column{
		{Name: "n"}, {Name: "measured n"}, {Name: "histories"}, {Name: "vector clocks"}, {Name: "with heuristic"},
		{Name: "total order found", Unit: "%", Digits: 0}, {Name: "heuristic : clocks", Digits: 1}, {Name: "Ordeal"},
	}, Note: "The last factor is of the histories for which the heuristic finds an order."}
	f := finding{measured: make(map[string]string)}
	for _, p := range points(c, byOps) {
		b.progress("n %d", p.x)
		runs, err := b.deal(ctx, s, p.configs, 4, 0)
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
		var factor any = "–"
		if v.foundToo > 0 {
			factor = v.foundClocks / v.foundToo
			f.measured["heuristic"] = fmt.Sprintf("%.1f times at n = %d", v.foundClocks/v.foundToo, n)
		}
		f.measured["times"] = fmt.Sprintf("%s at n = %d", v.heuristic, n)
		table.Rows = append(table.Rows, []any{
			nodes(p.x), n, len(runs), v.clocks, v.heuristic, percent(v.found, len(runs)), factor, v.auto,
		})
	}
	f.tables = []Table{table}
	return f, nil
}

type variant struct {
	clocks, heuristic, auto Seconds
	found                   int
	// Of the histories for which an order was found: factors, added up.
	foundClocks, foundToo float64
}

func (b *bench) variant(ctx context.Context, runs []sample) (variant, error) {
	runtime.GC()
	k := variant{clocks: Seconds{Of: len(runs)}, heuristic: Seconds{Of: len(runs)}, auto: Seconds{Of: len(runs)}}
	for i := range runs {
		h := runs[i].history
		var clocks float64
		for _, m := range []struct {
			procedure string
			t         *Seconds
		}{{"vc", &k.clocks}, {"tsotool", &k.heuristic}, {"auto", &k.auto}} {
			c, err := b.check(ctx, h, model.TSO, m.procedure)
			if err != nil {
				return k, err
			}
			m.t.note(c)
			switch {
			case m.procedure == "vc":
				clocks = c.spent.Seconds()
			case m.procedure == "tsotool" && c.answer == check.Allowed:
				k.found++
				k.foundClocks += clocks
				k.foundToo += c.spent.Seconds()
			}
		}
	}
	return k, nil
}
