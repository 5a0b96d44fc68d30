package papers

import (
	"context"
	"fmt"
	"math"

	"ordeal/campaigns/config"
	"ordeal/check"
	"ordeal/check/model"
)

// frameworkMethods are the dynamic programme under the models for which the
// paper has lower bounds, and others for comparison.
var frameworkMethods = []struct {
	method
	m model.Model
}{
	{method{"2^k", "subset"}, model.SC}, {method{"2^k, TSO", "subset"}, model.TSO}, {method{"2^k, PSO", "subset"}, model.PSO},
	{method{"X-SAT", "x-sat"}, model.SC}, {method{"DBCOP", "dbcop"}, model.SC}, {method{"Ordeal", "auto"}, model.SC},
}

// free is the formula with a contradiction about the last variable, and the
// others free.
func free(variables int) [][3]int {
	x := variables
	return [][3]int{{x, x, x}, {-x, -x, -x}}
}

// mostFree is the number of variables at full size: 24 writes, the most that
// procedure subset takes.
const mostFree = 6

func growth(ctx context.Context, b *bench, _ *config.Campaign) (finding, error) {
	most := mostFree
	switch {
	case b.Scale < 0.001:
		most = 2
	case b.Scale < 0.1:
		most = 4
	}
	table := Table{Columns: []Column{{Name: "writes k"}, {Name: "operations n"}, {Name: "threads"}}}
	for _, m := range frameworkMethods {
		table.Columns = append(table.Columns, Column{Name: m.Label})
	}
	var xs, ys []float64 // of the dynamic programme
	lost := make([]bool, len(frameworkMethods))
	for v := 1; v <= most; v++ {
		h := check.FromFormula(free(v))
		k := 0
		for _, writes := range h.Writes(nil) {
			k += len(writes)
		}
		row := []any{k, len(h.Ops), h.Threads()}
		for i, m := range frameworkMethods {
			if lost[i] {
				row = append(row, "not tried")
				continue
			}
			b.progress("%d writes: %s", k, m.Label)
			t, err := b.mean(ctx, []sample{{history: h, config: &config.Config{Name: "reduction"}, number: v}}, m.m, m.Procedure)
			if err != nil {
				return finding{}, err
			}
			row = append(row, t)
			lost[i] = t.GaveUp > 0
			if i == 0 && t.GaveUp == 0 && t.Mean > 0 {
				xs, ys = append(xs, float64(k)), append(ys, math.Log2(t.Mean))
			}
		}
		table.Rows = append(table.Rows, row)
	}
	f := finding{tables: []Table{table}}
	if len(xs) > 1 {
		f.measured = map[string]string{"growth": fmt.Sprintf("time grows as 2^(%.2f·k) from k = %.0f to %.0f (least squares)", slope(xs, ys), xs[0], xs[len(xs)-1])}
	}
	return f, nil
}

// slope returns the slope of the line through points by least squares.
func slope(xs, ys []float64) float64 {
	var mx, my float64
	for i := range xs {
		mx += xs[i] / float64(len(xs))
		my += ys[i] / float64(len(xs))
	}
	var up, down float64
	for i := range xs {
		up += (xs[i] - mx) * (ys[i] - my)
		down += (xs[i] - mx) * (xs[i] - mx)
	}
	return up / down
}
