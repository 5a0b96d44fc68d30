package papers

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"ordeal/check"
	"ordeal/check/model"

	"ordeal/campaigns/config"
)

// axis is the parameter that a figure varies along x.
type axis struct {
	label string
	of    func(c *config.Config) int
}

// The axes of the papers.
var (
	byOps     = axis{"operations", (*config.Config).Operations}
	byThreads = axis{"threads", func(c *config.Config) int { return c.Threads }}
)

// axes are the axes by the names that experiments.yaml has for them.
var axes = map[string]axis{byOps.label: byOps, byThreads.label: byThreads}

// figures are the figures that a sweep can measure, by name.
var figures = map[string]func(*swept) string{"histories": counts, "total": total, "order": speedOrder, "slower": slower, "longest": longest}

// method is a procedure of package check, under the name that a figure has
// for it.
type method struct{ Label, Procedure string }

// sweep is a figure that shows the mean running time of several methods while
// one parameter of the histories grows.
type sweep struct {
	axis    axis
	model   model.Model
	methods []method
	// valid says whether histories have to be allowed or forbidden by the
	// model; other runs are left out.
	valid check.Answer
	// rewired is the share of histories that are made violations (see
	// violate): the k-th of two where it is 2.
	rewired int
	// least is how many runs a point makes at least: see deal.
	least int
	says  []string // names of the figures to measure: see figures
}

// swept are the results of a sweep: by point, then by method. Where Histories
// is 0 a method was not tried.
type swept struct {
	f     *sweep
	x     []int
	times [][]Seconds
}

// point is the configurations of a campaign that share a parameter.
type point[K comparable] struct {
	x       K
	configs []int
}

// pointsBy groups the configurations of a campaign, in order of appearance.
func pointsBy[K comparable](c *config.Campaign, x func(*config.Config) K) []point[K] {
	var list []point[K]
	for i := range c.Configs {
		v := x(&c.Configs[i])
		at := slices.IndexFunc(list, func(p point[K]) bool { return p.x == v })
		if at < 0 {
			at = len(list)
			list = append(list, point[K]{x: v})
		}
		list[at].configs = append(list[at].configs, i)
	}
	return list
}

// points groups the configurations of a campaign along an axis.
func points(c *config.Campaign, x axis) []point[int] {
	list := pointsBy(c, x.of)
	slices.SortFunc(list, func(p, q point[int]) int { return p.x - q.x })
	return list
}

// deal makes the histories of configurations at the bench's scale: by turns from each
// configuration, beginning with that of the given index. From the default scale
// on there are so many at least, below it that share of them.
func (b *bench) deal(ctx context.Context, s *source, configs []int, least, begin int) ([]sample, error) {
	total := 0
	for _, i := range configs {
		total += len(s.runs[i])
	}
	least = max(1, int(math.Ceil(float64(least)*min(1, b.Scale/DefaultScale))))
	want := min(total, max(least, int(math.Ceil(b.Scale*float64(total)))))
	take := make([]int, len(configs))
	for k, at := 0, begin; k < want; at++ {
		i := at % len(configs)
		if take[i] < len(s.runs[configs[i]]) {
			take[i]++
			k++
		}
	}
	var all []sample
	for i, n := range take {
		config := configs[i]
		runs, err := s.make(ctx, config, 0, n, b.rounds(&s.campaign.Configs[config]))
		if err != nil {
			return nil, err
		}
		all = append(all, runs...)
	}
	return all, nil
}

// rounds is how often a program is executed at this scale: the square root of
// it, so that both the number and the length of histories shrink.
func (b *bench) rounds(c *config.Config) int {
	return max(1, int(math.Round(float64(c.Rounds)*math.Sqrt(b.Scale))))
}

func (f *sweep) run(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	table := Table{Columns: []Column{{Name: f.axis.label}, {Name: "histories"}}, Note: noteCells}
	for _, m := range f.methods {
		table.Columns = append(table.Columns, Column{Name: m.Label})
	}
	all := &swept{f: f}
	lost := make([]bool, len(f.methods)) // gave up at all histories of a point
	for at, p := range points(c, f.axis) {
		runs, err := f.histories(ctx, b, s, p, at*f.least)
		if err != nil {
			return finding{}, err
		}
		row := []any{p.x, len(runs)}
		times := make([]Seconds, len(f.methods))
		for i := range times {
			times[i].Of = len(runs)
		}
		for i, m := range f.methods {
			if lost[i] {
				row = append(row, "not tried")
				continue
			}
			b.progress("%s %d: %s", f.axis.label, p.x, m.Label)
			t, err := b.mean(ctx, runs, f.model, m.Procedure)
			if err != nil {
				return finding{}, err
			}
			times[i] = t
			row = append(row, t)
			lost[i] = t.Histories > 0 && t.GaveUp == t.Histories
		}
		all.x, all.times = append(all.x, p.x), append(all.times, times)
		table.Rows = append(table.Rows, row)
	}
	measured := make(map[string]string)
	for _, name := range f.says {
		if figure, ok := figures[name]; ok {
			measured[name] = figure(all)
		}
	}
	return finding{tables: []Table{table}, measured: measured}, nil
}

// noteCells explains the cells of a sweep.
const noteCells = "≥: some checks gave up at the limit of time or memory; (k): of the first k histories, which took long enough; not tried: no check of the point before ended."

func counts(r *swept) string {
	low, high := math.MaxInt, 0
	for _, times := range r.times {
		low, high = min(low, times[0].Of), max(high, times[0].Of)
	}
	if low == high {
		return fmt.Sprint(low)
	}
	return fmt.Sprintf("%d to %d", low, high)
}

func total(r *swept) string {
	n := 0
	for _, times := range r.times {
		n += times[0].Of
	}
	return fmt.Sprint(n)
}

// speedOrder says which method is how fast at the last point at which all were
// measured, the slowest first.
func speedOrder(r *swept) string {
	for at := len(r.x) - 1; at >= 0; at-- {
		if slices.ContainsFunc(r.times[at], func(t Seconds) bool { return t.Histories == 0 }) {
			continue
		}
		order := make([]int, len(r.f.methods))
		for i := range order {
			order[i] = i
		}
		slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(r.times[at][j].Mean, r.times[at][i].Mean) })
		var names []string
		for _, i := range order {
			names = append(names, fmt.Sprintf("%s (%s)", r.f.methods[i].Label, r.times[at][i]))
		}
		return fmt.Sprintf("at %d %s: %s", r.x[at], r.f.axis.label, strings.Join(names, ", "))
	}
	return ""
}

// histories makes the histories of a point, beginning with the configuration
// of an index.
func (f *sweep) histories(ctx context.Context, b *bench, s *source, p point[int], begin int) ([]sample, error) {
	b.progress("%s %d: histories", f.axis.label, p.x)
	runs, err := b.deal(ctx, s, p.configs, f.least, begin)
	if err != nil {
		return nil, err
	}
	kept := runs[:0]
	for i := range runs {
		v, err := answer(ctx, &runs[i], f.model)
		if err != nil {
			return nil, err
		}
		switch {
		case f.rewired > 0 && v.Answer == check.Allowed && i%f.rewired == 0:
			r, ok, err := violate(ctx, &runs[i], v.Order.Ops)
			if err != nil {
				return nil, err
			}
			if ok {
				kept = append(kept, r)
			}
		case v.Answer == f.valid:
			kept = append(kept, runs[i])
		}
	}
	return kept, nil
}

// slower says how much slower the third method, DBCOP, is than the second,
// wSC, from 8 threads on.
func slower(r *swept) string {
	var parts []string
	for i, x := range r.x {
		wsc, dbcop := r.times[i][1], r.times[i][2]
		if x < 8 || dbcop.Histories == 0 || wsc.Mean == 0 {
			continue
		}
		bound := ""
		if dbcop.GaveUp > 0 {
			bound = "≥ "
		}
		parts = append(parts, fmt.Sprintf("%s%s times at %d", bound, significant(dbcop.Mean/wsc.Mean), x))
	}
	return strings.Join(parts, ", ")
}

// longest says the longest mean time of the second method, wSC.
func longest(r *swept) string {
	worst := 0.0
	for _, times := range r.times {
		worst = max(worst, times[1].Mean)
	}
	return "mean at most " + shortTime(worst)
}
