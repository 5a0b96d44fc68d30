package bugs

import (
	"context"
	"fmt"
	"html/template"
	"slices"
	"strings"

	"ordeal/campaigns/audit"
	"ordeal/campaigns/internal/messages"
	"ordeal/campaigns/report/plot"
)

// Comparison is what engines find alone, each with the CPU time or the steps that all
// together have.
type Comparison struct {
	// Strategies are the engines, and last all of an audit, which share the budget.
	Strategies []Strategy `json:"strategies"`
	// Searched counts the bugs that each strategy searched for.
	Searched int `json:"searched"`
	_        struct{}
}

// Strategy is what an engine, or the default of audits, has found.
type Strategy struct {
	Name  string   `json:"name"`
	Found []string `json:"found"` // IDs of bugs, in the order of Times
	// Times are CPU seconds until each was found, in order.
	Times []float64 `json:"times"`
	// Only are bugs that no other engine has found alone.
	Only []string `json:"only,omitempty"`
	_    struct{}
}

// mixture is the name of what an audit does by default.
const mixture = "all together"

// Compare searches for bugs with each engine alone, and with the default. Findings that the
// protocol with the fix has, too, are those of whole audits for all of them. The report
// is that of the default, with the comparison.
func (b *Bench) Compare(ctx context.Context, list []*Bug) (*Report, error) {
	reports := map[string]*Report{}
	var names []string
	for _, e := range audit.Engines() {
		names = append(names, string(e))
	}
	names = append(names, mixture)
	for _, name := range names {
		one := &Bench{Maker: b.Maker, Dir: b.Dir, Audit: b.Audit, Workers: b.Workers, OnResult: b.OnResult, unreduced: true}
		one.Audit.Engines = audit.Engines()
		if name != mixture {
			one.Audit.Engines = []audit.Engine{audit.Engine(name)}
		}
		results, err := one.Run(ctx, list)
		if err != nil {
			return nil, err
		}
		reports[name] = NewReport(results)
	}
	return compared(names, reports), nil
}

// compared compares the reports of strategies, the last of which is that of the default.
func compared(names []string, reports map[string]*Report) *Report {
	all := reports[names[len(names)-1]]
	c := &Comparison{}
	searched := map[string]int{} // strategies that searched for a bug
	alone := map[string]int{}    // engines that found it alone
	for _, name := range names {
		for _, r := range reports[name].Results {
			if r.Status == Found || r.Status == Missed {
				searched[r.Bug.ID]++
			}
			if r.Status == Found && name != mixture {
				alone[r.Bug.ID]++
			}
		}
	}
	for _, n := range searched {
		if n == len(names) {
			c.Searched++
		}
	}
	for _, name := range names {
		s := Strategy{Name: name, Found: []string{}}
		found := slices.DeleteFunc(slices.Clone(reports[name].Results), func(r *Result) bool { return r.Status != Found || searched[r.Bug.ID] < len(names) })
		slices.SortStableFunc(found, func(a, b *Result) int { return int(a.Finding.CPU - b.Finding.CPU) })
		for _, r := range found {
			s.Found, s.Times = append(s.Found, r.Bug.ID), append(s.Times, r.Finding.CPU.Seconds())
			if name != mixture && alone[r.Bug.ID] == 1 {
				s.Only = append(s.Only, r.Bug.ID)
			}
		}
		c.Strategies = append(c.Strategies, s)
	}
	all.Compared = c
	return all
}

// table has a line for each strategy, with what it had found by some times.
func (c *Comparison) table() *messages.Table {
	t := &messages.Table{Header: []any{"engine", "found", "of"}, Left: []int{6}}
	limits := []float64{0.1, 1, 10}
	for _, limit := range limits {
		t.Header = append(t.Header, fmt.Sprintf("by %g s", limit))
	}
	t.Header = append(t.Header, "only by this engine")
	for _, s := range c.Strategies {
		row := []any{s.Name, len(s.Found), c.Searched}
		for _, limit := range limits {
			n, _ := slices.BinarySearch(s.Times, limit)
			row = append(row, n)
		}
		t.Rows = append(t.Rows, append(row, strings.Join(s.Only, ", ")))
	}
	return t
}

// Curves is how many bugs each strategy had found by each time, as SVG.
func (c *Comparison) Curves() template.HTML {
	return plot.Figure("bugs found by CPU time, by engine", func(canvas *plot.Canvas) float64 {
		var names []string
		last := shortest * 10
		for _, s := range c.Strategies {
			names = append(names, s.Name)
			if len(s.Times) > 0 {
				last = max(last, s.Times[len(s.Times)-1])
			}
		}
		top := 40 + canvas.Legend(names, 14)
		frame := canvas.Frame(plot.Frame{Left: 62, Top: top, Right: canvas.Width - 14, Bottom: top + curveHeight},
			plot.Logarithmic("CPU time in seconds, logarithmic", shortest, last, func(v float64) string { return fmt.Sprintf("%g", v) }),
			plot.Linear("bugs found", float64(c.Searched), func(v float64) string { return fmt.Sprintf("%g", v) }), false)
		for i, s := range c.Strategies {
			points := []plot.Point{{X: frame.X(shortest), Y: frame.Y(0)}}
			for n, t := range s.Times {
				points = append(points, plot.Point{X: frame.X(max(t, shortest)), Y: frame.Y(float64(n + 1))})
			}
			points = append(points, plot.Point{X: frame.X(last), Y: points[len(points)-1].Y})
			canvas.Steps("curve "+plot.Style(i), points)
		}
		return frame.Bottom + plot.Under
	})
}
