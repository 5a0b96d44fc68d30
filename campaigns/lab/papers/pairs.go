package papers

import (
	"context"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/check"
	"ordeal/check/model"
	"ordeal/parse"
)

// pairs counts pairs of two different writes to one location of a history
// that SC allows, and those that the criteria order.
type pairs struct {
	check.KernelReport
	Initial int // pairs of an initial write and another one, which are always ordered
}

func countPairs(ctx context.Context, h *parse.History) (p pairs, err error) {
	p.KernelReport, err = check.Kernel(ctx, h, check.Options{})
	for _, writes := range h.Writes(nil) {
		p.Initial += len(writes)
	}
	return p, err
}

func percent(part, whole int) float64 {
	if whole == 0 {
		return 100
	}
	return 100 * float64(part) / float64(whole)
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

// group is what histories share that are one row of a table: of names, their values.
type group [2]any

// ordered measures how many pairs wSC and CCM order of those that all orders of SC share: of
// each group of configurations, and of all. From each point there are so many histories at least.
func ordered(ctx context.Context, b *bench, c *config.Campaign, least int, names [2]string, of func(*config.Config) group) (Table, map[group]*kernelSums, error) {
	s := newSource(c)
	table := Table{Columns: []Column{
		{Name: names[0]}, {Name: names[1]}, {Name: "histories"},
		{Name: "kernel by wSC", Unit: "% of histories", Digits: 2}, {Name: "by CCM", Unit: "%", Digits: 2},
		{Name: "found otherwise by wSC", Unit: "% of kernel", Digits: 3},
		{Name: "pairs in the SC-kernel", Unit: "%", Digits: 2}, {Name: "ordered by wSC", Unit: "%", Digits: 2}, {Name: "by CCM", Unit: "%", Digits: 2},
		{Name: "by CCM, initial", Unit: "%", Digits: 2},
	}, Note: "Means over histories; \"initial\": pairs with initial writes counted, too."}
	all := group{"all", ""}
	sums := map[group]*kernelSums{all: {}}
	row := func(g group) {
		k := sums[g]
		var rest any = "–"
		if k.rest > 0 {
			rest = k.restShare / float64(k.rest)
		}
		table.Rows = append(table.Rows, []any{g[0], g[1], k.histories, percent(k.wsc, k.histories), percent(k.ccm, k.histories), rest,
			k.mean(k.kernel), k.mean(k.wscPairs), k.mean(k.ccmPairs), k.mean(k.ccmInitial)})
	}
	for _, p := range pointsBy(c, of) {
		b.progress("%v %s, %v %s", p.x[0], names[0], p.x[1], names[1])
		sums[p.x] = &kernelSums{}
		runs, err := b.valid(ctx, s, p.configs, least)
		if err != nil {
			return table, nil, err
		}
		for i := range runs {
			n, err := countPairs(ctx, runs[i].history)
			if err != nil {
				return table, nil, fmt.Errorf("%s: %w", configName(&runs[i]), err)
			}
			sums[p.x].add(&n)
			sums[all].add(&n)
		}
		row(p.x)
	}
	row(all)
	return table, sums, nil
}

// closest is the program whose shares come closest to the published ones: the paper does not say
// how many locations its clients use, nor which share of the operations are writes.
var closest = group{4, "load=50,store=50"}

// unordered measures how many pairs of writes CCM leaves unordered.
func unordered(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	table, sums, err := ordered(ctx, b, c, 8, [2]string{"locations", "mix"}, func(cfg *config.Config) group { return group{cfg.Locations, cfg.Mix.String()} })
	f := finding{tables: []Table{table}, measured: map[string]string{}}
	if k := sums[closest]; k != nil {
		f.measured["ccm"] = fmt.Sprintf("%.2f %%", 100-k.mean(k.ccmInitial))
	}
	return f, err
}

// kernels measures how much of the kernel wSC and CCM find.
func kernels(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	table, sums, err := ordered(ctx, b, c, 4, [2]string{"threads", "operations"}, func(cfg *config.Config) group { return group{cfg.Threads, cfg.Operations()} })
	if err != nil {
		return finding{}, err
	}
	total := sums[group{"all", ""}]
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
