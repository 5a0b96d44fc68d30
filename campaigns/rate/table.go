package rate

import (
	"fmt"
	"math"
	"time"

	"ordeal/campaigns/internal/messages"
)

// Table has a row for each cell, and a last part with a row for each setting: what
// all configurations did together, the number of those in which something was
// found, and both rates beside those of the first setting.
func Table(cells []Cell, settings []Setting) *messages.Table {
	t := &messages.Table{
		Header: []any{"configuration", "setting", "runs", "failed", "operations", "CPU s", "operations a CPU s", "failed a CPU minute", "first after"},
		Left:   []int{1},
	}
	for i := range cells {
		c := &cells[i]
		t.Rows = append(t.Rows, append([]any{c.Config, c.Setting}, c.columns()...))
	}
	for _, s := range Sums(cells, settings) {
		name := fmt.Sprintf("all: found in %d, %.2f times as fast", s.Found, s.Faster)
		t.Rows = append(t.Rows, append([]any{name, s.Setting}, s.columns()...))
	}
	return t
}

func (c *Cell) columns() []any {
	first := "–"
	if c.First > 0 {
		first = seconds(c.First) + " s"
	}
	runs := fmt.Sprint(c.Runs)
	if c.Infra > 0 {
		runs += fmt.Sprintf(" (%d not made)", c.Infra)
	}
	return []any{
		runs, c.Failed, messages.Comma(c.Operations), seconds(c.CPU),
		messages.Comma(int(c.Rate() + 0.5)), fmt.Sprintf("%.1f", c.Findings()), first,
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f", d.Seconds()) }

// Sum is what all configurations did under a setting.
type Sum struct {
	Cell
	// Found counts the configurations of which a run failed.
	Found int `json:"found"`
	// Faster is how many times the operations of the first setting were done in a
	// second of CPU time, in the geometric mean of the configurations.
	Faster float64 `json:"faster"`
}

// Sums has the sum of each setting.
func Sums(cells []Cell, settings []Setting) []Sum {
	sums := make([]Sum, len(settings))
	for k, s := range settings {
		sum := &sums[k]
		sum.Setting = s.Name
		logarithms, compared := 0.0, 0
		for i := k; i < len(cells); i += len(settings) {
			c, base := &cells[i], &cells[i-k]
			sum.Runs, sum.Infra, sum.Failed = sum.Runs+c.Runs, sum.Infra+c.Infra, sum.Failed+c.Failed
			sum.Operations, sum.CPU = sum.Operations+c.Operations, sum.CPU+c.CPU
			if c.Failed > 0 {
				sum.Found++
			}
			if c.Rate() > 0 && base.Rate() > 0 {
				logarithms, compared = logarithms+math.Log(c.Rate()/base.Rate()), compared+1
			}
		}
		if compared > 0 {
			sum.Faster = math.Exp(logarithms / float64(compared))
		}
	}
	return sums
}
