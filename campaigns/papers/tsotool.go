package papers

import (
	"context"
	"errors"
	"fmt"
	"runtime"

	"ordeal/check"
	"ordeal/check/model"

	"ordeal/campaigns/config"
	"ordeal/campaigns/report/plot"
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
				{What: "total order found", Value: "less often \"when the number of locations is relatively small compared to the number of processors\""},
				{What: "longest mean time (Fig. 8, top of the axis)", Value: "25 s"},
				{What: "growth with n, p and a", Value: "\"almost linearly with all these variables\""},
			},
			Notes: []string{
				"The values of Fig. 6 (a surface) and Figs. 7 and 8 are not in the text of the paper; the axes are: 2 to 16 processors, 4 to 256 locations, 64K to 256K nodes.",
				noteTSOMachine, noteTSORounds, noteScaled,
				"In the paper time grows with the number of locations, here it falls: fewer locations mean more races, so that fewer orders are found early and the rules are applied until nothing more follows.",
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
				"Iterations of our vector clocks start from clocks computed afresh (check/search/vectorclock), each in O(np).",
			},
		},
	}
}

// variants measures the three variants on the same histories.
func variants(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	table := Table{Columns: []Column{
		{Name: "n"}, {Name: "measured n"}, {Name: "histories"}, {Name: "original"}, {Name: "vector clocks"}, {Name: "with heuristic"},
		{Name: "total order found", Unit: "%", Digits: 0}, {Name: "clocks : original"}, {Name: "heuristic : clocks", Digits: 1}, {Name: "Ordeal"},
	}, Note: "The last factor is of the histories for which the heuristic finds an order."}
	names := []string{"original", "vector clocks", "with heuristic", "Ordeal"}
	chart := plot.Chart{X: plot.Axis{Label: "operations", Log: true}, Y: plot.Axis{Label: "mean time of the analysis", Unit: "s", Log: true}}
	for _, name := range names {
		chart.Series = append(chart.Series, plot.Series{Name: name})
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
			addTime(&chart.Series[i], float64(n), t)
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
	f.tables, f.charts = []Table{table}, []plot.Chart{chart}
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
