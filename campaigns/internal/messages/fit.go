package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/jedib0t/go-pretty/v6/table"
	"github.com/jedib0t/go-pretty/v6/text"
)

// leastText is the width to which a column of text is wrapped before columns go
// below each other, and gap that between columns.
const (
	leastText = 20
	gap       = 2
)

// Fit is String for a terminal of a number of columns; 0 means any number. A table
// that is wider has its texts wrapped, and columns for which there is no place
// follow in a further table, each with the first column.
func (t *Table) Fit(columns int) string {
	whole := t.String()
	if columns <= 0 || widestLine(whole) <= columns {
		return whole
	}
	natural := t.widths()
	first := min(natural[0], max(columns/2, 1))
	var parts []string
	for at := 1; at < len(natural) || at == 1; {
		part, used := []int{0}, first
		for ; at < len(natural); at++ {
			next := gap + t.least(at, natural[at])
			if len(part) > 1 && used+next > columns {
				break
			}
			part, used = append(part, at), used+next
		}
		parts = append(parts, t.part(part, natural, columns))
		if at == 1 {
			break // there is only the first column
		}
	}
	return strings.Join(parts, "\n")
}

// least is the width that a column needs.
func (t *Table) least(column, natural int) int {
	if slices.Contains(t.Left, column) {
		return min(natural, leastText)
	}
	return natural
}

// part renders some columns, wrapped to fit.
func (t *Table) part(columns, natural []int, width int) string {
	pick := func(row []any) []any {
		var cells []any
		for _, c := range columns {
			if c < len(row) {
				cells = append(cells, row[c])
			}
		}
		return cells
	}
	p := Table{}
	if t.Header != nil {
		p.Header = pick(t.Header)
	}
	if t.Total != nil {
		p.Total = pick(t.Total)
	}
	for _, row := range t.Rows {
		p.Rows = append(p.Rows, pick(row))
	}
	left := width - gap*(len(columns)-1)
	limits := make([]int, len(columns))
	for i, c := range columns {
		limits[i] = t.least(c, natural[c])
		if i == 0 {
			limits[i] = min(natural[c], max(width/2, 1))
		}
		left -= limits[i]
		if i > 0 && slices.Contains(t.Left, c) {
			p.Left = append(p.Left, i)
		}
	}
	for i, c := range columns { // texts share what is left
		more := min(max(left, 0), natural[c]-limits[i])
		limits[i], left = limits[i]+more, left-more
	}
	if left < 0 { // one column that is too wide
		last := len(limits) - 1
		limits[last] = max(limits[last]+left, 1)
	}
	w := p.writer()
	configs := p.columns(len(columns))
	for i := range configs {
		configs[i].WidthMax, configs[i].WidthMaxEnforcer = limits[i], text.WrapSoft
	}
	w.SetColumnConfigs(configs)
	return w.Render() + "\n"
}

// widths are those of the columns.
func (t *Table) widths() []int {
	var widths []int
	for _, row := range slices.Concat([][]any{t.Header, t.Total}, t.Rows) {
		for i, cell := range cells(row) {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], widestLine(fmt.Sprint(cell)))
		}
	}
	return widths
}

// widestLine is the width of the widest line of a text.
func widestLine(s string) int {
	widest := 0
	for line := range strings.Lines(s) {
		widest = max(widest, text.StringWidthWithoutEscSequences(strings.TrimSuffix(line, "\n")))
	}
	return widest
}

// columns are the alignments of a number of columns.
func (t *Table) columns(n int) []table.ColumnConfig {
	configs := make([]table.ColumnConfig, n)
	for i := range configs {
		align := text.AlignRight
		if i == 0 || slices.Contains(t.Left, i) {
			align = text.AlignLeft
		}
		configs[i] = table.ColumnConfig{Number: i + 1, Align: align, AlignHeader: align, AlignFooter: align}
	}
	return configs
}
