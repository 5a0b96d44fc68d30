package papers

import (
	"context"
	"fmt"

	"ordeal/campaigns/config"
	"ordeal/check"
	"ordeal/check/model"
)

// criteria are the polynomial criteria that catch violations of SC, from weak
// to strong.
var criteria = []model.Model{model.CC, model.CCv, model.CM, model.CCM, model.WSC}

// catches counts the violations of SC that each criterion catches.
type catches struct {
	histories, violations int
	by                    [5]int // of criteria
	early                 int    // by CC or CCv
}

// add checks a history, and a violation under every criterion.
func (k *catches) add(ctx context.Context, r *sample) error {
	k.histories++
	if v, err := answer(ctx, r, model.SC); err != nil || v.Answer != check.Forbidden {
		return err
	}
	k.violations++
	early := false
	for i, m := range criteria {
		v, err := answer(ctx, r, m)
		if err != nil {
			return err
		}
		if v.Answer == check.Forbidden {
			k.by[i]++
			early = early || m.Name == model.CC.Name || m.Name == model.CCv.Name
		}
	}
	if early {
		k.early++
	}
	return nil
}

func (k *catches) plus(other *catches) {
	k.histories += other.histories
	k.violations += other.violations
	k.early += other.early
	for i, n := range other.by {
		k.by[i] += n
	}
}

func (k *catches) row(first ...any) []any {
	row := append(first, k.histories, k.violations)
	for i := range criteria {
		if k.violations == 0 {
			row = append(row, nil)
			continue
		}
		row = append(row, percent(k.by[i], k.violations))
	}
	return row
}

// caughtBy measures which violations the criteria catch, of the histories of each point.
func caughtBy[K comparable](ctx context.Context, name string, points []point[K], histories func(point[K]) ([]sample, error)) (finding, error) {
	t := Table{Columns: []Column{{Name: name}, {Name: "histories"}, {Name: "violations"}}}
	for _, m := range criteria {
		t.Columns = append(t.Columns, Column{Name: m.Name, Unit: "%", Digits: 2})
	}
	var total catches
	for _, p := range points {
		runs, err := histories(p)
		if err != nil {
			return finding{}, err
		}
		var k catches
		for i := range runs {
			if err := k.add(ctx, &runs[i]); err != nil {
				return finding{}, err
			}
		}
		total.plus(&k)
		t.Rows = append(t.Rows, k.row(p.x))
	}
	t.Rows = append(t.Rows, total.row("all"))
	ccm, wsc := percent(total.by[3], total.violations), percent(total.by[4], total.violations)
	return finding{tables: []Table{t}, measured: map[string]string{
		"ccm":    fmt.Sprintf("%.2f %% of %d", ccm, total.violations),
		"missed": fmt.Sprintf("%.2f %%", 100-ccm),
		"wsc":    fmt.Sprintf("%.2f %% of %d", wsc, total.violations),
		"early":  fmt.Sprintf("%.2f %%", percent(total.early, total.violations)),
	}}, nil
}

// caught measures which violations of injected bugs the criteria catch.
func caught(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	return caughtBy(ctx, "bug", pointsBy(c, func(cfg *config.Config) string { return cfg.Bug.Known }), func(p point[string]) ([]sample, error) {
		b.progress("%s", p.x)
		return b.deal(ctx, s, p.configs, len(p.configs), 0)
	})
}

// caughtRewired measures which violations of rewired histories the criteria
// catch.
func caughtRewired(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	f := &sweep{axis: byThreads, model: model.SC, rewired: 1, valid: check.Forbidden, least: 16}
	return caughtBy(ctx, "threads", points(c, f.axis), func(p point[int]) ([]sample, error) { return f.histories(ctx, b, s, p, 0) })
}
