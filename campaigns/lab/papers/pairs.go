package papers

import (
	"context"
	"fmt"
	"slices"

	"ordeal/campaigns/config"
	"ordeal/check"
	"ordeal/check/model"
)

// program has what the paper does not say of its clients.
type program struct {
	locations int
	mix       string
}

// closest is the program whose shares come closest to the published ones.
var closest = program{4, "load=50,store=50"}

// unordered measures how many pairs of writes the criteria leave unordered.
func unordered(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	f := finding{measured: make(map[string]string)}
	table := Table{Columns: []Column{
		{Name: "locations"}, {Name: "mix"}, {Name: "histories"}, {Name: "pairs", Digits: 0},
		{Name: "cf", Unit: "%", Digits: 2}, {Name: "CCv", Unit: "%", Digits: 2}, {Name: "wCCM", Unit: "%", Digits: 2}, {Name: "CCM", Unit: "%", Digits: 2},
		{Name: "wSC", Unit: "%", Digits: 2}, {Name: "SC-kernel", Unit: "%", Digits: 2},
		{Name: "CCv, initial", Unit: "%", Digits: 2}, {Name: "CCM, initial", Unit: "%", Digits: 2},
	}, Note: "Means over histories of the share of pairs that is left unordered; \"initial\": pairs with initial writes counted, too."}
	for _, point := range pointsBy(c, func(cfg *config.Config) program { return program{cfg.Locations, cfg.Mix.String()} }) {
		p := point.x
		b.progress("%d locations, %s", p.locations, p.mix)
		runs, err := b.valid(ctx, s, point.configs, 8)
		if err != nil {
			return f, err
		}
		var sums [9]float64
		for i := range runs {
			n, err := countPairs(ctx, runs[i].history)
			if err != nil {
				return f, fmt.Errorf("%s: %w", configName(&runs[i]), err)
			}
			sums[0] += float64(n.Pairs)
			for k, ordered := range []int{n.CF, n.CCv, n.WCCM, n.CCM, n.WSC, n.Kernel} {
				sums[k+1] += 100 - percent(ordered, n.Pairs)
			}
			sums[7] += 100 - percent(n.CCv+n.Initial, n.Pairs+n.Initial)
			sums[8] += 100 - percent(n.CCM+n.Initial, n.Pairs+n.Initial)
		}
		row := []any{p.locations, p.mix, len(runs)}
		for k := range sums {
			sums[k] /= max(1, float64(len(runs)))
			row = append(row, sums[k])
		}
		table.Rows = append(table.Rows, row)
		if p == closest {
			f.measured["ccm"] = fmt.Sprintf("%.2f %%", sums[8])
			f.measured["ccv"] = fmt.Sprintf("%.2f %% (cf alone: %.2f %%)", sums[7], sums[1])
		}
	}
	f.tables = []Table{table}
	return f, nil
}

// valid makes the histories of configurations that SC allows.
func (b *bench) valid(ctx context.Context, s *source, configs []int, least int) ([]sample, error) {
	runs, err := b.deal(ctx, s, configs, least, 0)
	if err != nil {
		return nil, err
	}
	kept := runs[:0]
	for i := range runs {
		v, err := answer(ctx, &runs[i], model.SC)
		if err != nil {
			return nil, err
		}
		if v.Answer == check.Allowed {
			kept = append(kept, runs[i])
		}
	}
	return kept, nil
}

// group are the histories of one size.
type group struct{ threads, ops int }

// kernelSums adds up what wSC and CCM find of kernels.
type kernelSums struct {
	histories, wsc, ccm            int     // all, and those whose kernel is found
	rest                           int     // those whose kernel wSC does not find
	restShare                      float64 // of it found there, in percent, added up
	wscPairs, ccmPairs             float64 // shares of ordered pairs, in percent
	wscInitial, ccmInitial, kernel float64
}

func (k *kernelSums) add(p *pairs) {
	k.histories++
	if p.CCM == p.Kernel {
		k.ccm++
	}
	if p.WSC == p.Kernel {
		k.wsc++
	} else {
		k.rest++
		k.restShare += percent(p.WSC, p.Kernel)
	}
	k.kernel += percent(p.Kernel, p.Pairs)
	k.wscPairs += percent(p.WSC, p.Pairs)
	k.ccmPairs += percent(p.CCM, p.Pairs)
	k.wscInitial += percent(p.WSC+p.Initial, p.Pairs+p.Initial)
	k.ccmInitial += percent(p.CCM+p.Initial, p.Pairs+p.Initial)
}

func (k *kernelSums) mean(sum float64) float64 { return sum / max(1, float64(k.histories)) }

// kernels measures how much of the kernel wSC and CCM find.
func kernels(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	var groups []group
	sums := map[group]*kernelSums{}
	total := &kernelSums{}
	for i := range c.Configs {
		cfg := &c.Configs[i]
		b.progress("%s", cfg.Name)
		g := group{cfg.Threads, historyOps(cfg)}
		if sums[g] == nil {
			groups = append(groups, g)
			sums[g] = &kernelSums{}
		}
		runs, err := b.valid(ctx, s, []int{i}, 1)
		if err != nil {
			return finding{}, err
		}
		for r := range runs {
			p, err := countPairs(ctx, runs[r].history)
			if err != nil {
				return finding{}, fmt.Errorf("%s: %w", configName(&runs[r]), err)
			}
			sums[g].add(&p)
			total.add(&p)
		}
	}
	slices.SortFunc(groups, func(a, b group) int {
		if a.threads != b.threads {
			return a.threads - b.threads
		}
		return a.ops - b.ops
	})
	table := Table{Columns: []Column{
		{Name: "threads"}, {Name: "operations"}, {Name: "histories"},
		{Name: "kernel by wSC", Unit: "% of histories", Digits: 2}, {Name: "by CCM", Unit: "%", Digits: 2},
		{Name: "found otherwise by wSC", Unit: "% of kernel", Digits: 3},
		{Name: "pairs in the kernel", Unit: "%", Digits: 2}, {Name: "ordered by wSC", Unit: "%", Digits: 2}, {Name: "by CCM", Unit: "%", Digits: 2},
	}}
	row := func(threads, ops any, k *kernelSums) []any {
		var rest any = "–"
		if k.rest > 0 {
			rest = k.restShare / float64(k.rest)
		}
		return []any{threads, ops, k.histories, percent(k.wsc, k.histories), percent(k.ccm, k.histories), rest,
			k.mean(k.kernel), k.mean(k.wscPairs), k.mean(k.ccmPairs)}
	}
	for _, g := range groups {
		table.Rows = append(table.Rows, row(g.threads, g.ops, sums[g]))
	}
	table.Rows = append(table.Rows, row("all", "", total))
	rest := "–"
	if total.rest > 0 {
		rest = fmt.Sprintf("%.2f %%", total.restShare/float64(total.rest))
	}
	return finding{tables: []Table{table}, measured: map[string]string{
		"histories":  fmt.Sprint(total.histories),
		"wsc-kernel": fmt.Sprintf("%.2f %% of histories", percent(total.wsc, total.histories)),
		"wsc-rest":   rest,
		"ccm-kernel": fmt.Sprintf("%.2f %% of histories", percent(total.ccm, total.histories)),
		"wsc-pairs":  fmt.Sprintf("%.2f %% (%.2f %%)", total.mean(total.wscPairs), total.mean(total.wscInitial)),
		"ccm-pairs":  fmt.Sprintf("%.2f %% (%.2f %%)", total.mean(total.ccmPairs), total.mean(total.ccmInitial)),
	}}, nil
}
