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
	violations int
	by         [5]int // of criteria
	early      int    // by CC or CCv
}

// add checks a violation under every criterion.
func (k *catches) add(ctx context.Context, r *sample) error {
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
	k.violations += other.violations
	k.early += other.early
	for i, n := range other.by {
		k.by[i] += n
	}
}

func (k *catches) row(first ...any) []any {
	row := append(first, k.violations)
	for i := range criteria {
		if k.violations == 0 {
			row = append(row, nil)
			continue
		}
		row = append(row, percent(k.by[i], k.violations))
	}
	return row
}

func catchTable(first ...Column) Table {
	t := Table{Columns: append(first, Column{Name: "violations"})}
	for _, m := range criteria {
		t.Columns = append(t.Columns, Column{Name: m.Name, Unit: "%", Digits: 2})
	}
	return t
}

// caught measures which violations of injected bugs the criteria catch.
func caught(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	table := catchTable(Column{Name: "bug"}, Column{Name: "protocol"}, Column{Name: "histories"})
	var total catches
	all := 0
	for _, p := range pointsBy(c, func(cfg *config.Config) string { return cfg.Bug.Known }) {
		b.progress("%s", p.x)
		runs, err := b.deal(ctx, s, p.configs, len(p.configs), 0)
		if err != nil {
			return finding{}, err
		}
		var k catches
		for i := range runs {
			v, err := answer(ctx, &runs[i], model.SC)
			if err != nil {
				return finding{}, err
			}
			if v.Answer != check.Forbidden {
				continue
			}
			if err := k.add(ctx, &runs[i]); err != nil {
				return finding{}, err
			}
		}
		table.Rows = append(table.Rows, k.row(p.x, c.Configs[p.configs[0]].Protocol, len(runs)))
		all += len(runs)
		total.plus(&k)
	}
	table.Rows = append(table.Rows, total.row("all", "", all))
	return finding{tables: []Table{table}, measured: map[string]string{
		"ccm":   fmt.Sprintf("%.2f %% of %d", percent(total.by[3], total.violations), total.violations),
		"early": fmt.Sprintf("%.2f %%", percent(total.early, total.violations)),
	}}, nil
}

// caughtRewired measures which violations of rewired histories the criteria
// catch.
func caughtRewired(ctx context.Context, b *bench, c *config.Campaign) (finding, error) {
	s := newSource(c)
	f := &sweep{axis: byThreads, model: model.SC, rewired: 1, valid: check.Forbidden, least: 16}
	table := catchTable(Column{Name: "threads"})
	var total catches
	for _, p := range points(c, f.axis) {
		runs, err := f.histories(ctx, b, s, p, 0)
		if err != nil {
			return finding{}, err
		}
		var k catches
		for i := range runs {
			if err := k.add(ctx, &runs[i]); err != nil {
				return finding{}, err
			}
		}
		table.Rows = append(table.Rows, k.row(p.x))
		total.plus(&k)
	}
	table.Rows = append(table.Rows, total.row("all"))
	return finding{tables: []Table{table}, measured: map[string]string{
		"wsc":    fmt.Sprintf("%.2f %% of %d", percent(total.by[4], total.violations), total.violations),
		"missed": fmt.Sprintf("%.2f %%", 100-percent(total.by[3], total.violations)),
	}}, nil
}
