package messages

import (
	"fmt"

	"github.com/jedib0t/go-pretty/v6/table"
)

// Table is text in aligned columns, with a rule below its header and above its
// total. The first column is aligned to the left, the others to the right. Each
// cell is EscapeLine of what it says: one of several lines could pass for
// something else than a part of the table.
type Table struct {
	Header []any // column names; nil for none
	Rows   [][]any
	Total  []any // the last row; nil for none
	Left   []int // further columns aligned to the left, from 0
}

// String returns the table; each line ends in a newline.
func (t *Table) String() string { return t.writer().Render() + "\n" }

// Markdown returns the table in Markdown.
func (t *Table) Markdown() string { return t.writer().RenderMarkdown() + "\n" }

func (t *Table) writer() table.Writer {
	w := table.NewWriter()
	w.SetStyle(table.Style{
		Box:     table.BoxStyle{MiddleVertical: "  ", MiddleSeparator: "──", MiddleHorizontal: "─"},
		Options: table.Options{SeparateColumns: true, SeparateHeader: true, SeparateFooter: true},
	})
	w.SuppressTrailingSpaces()
	columns := len(t.Header)
	for _, row := range t.Rows {
		w.AppendRow(cells(row))
		columns = max(columns, len(row))
	}
	if t.Header != nil {
		w.AppendHeader(cells(t.Header))
	}
	if t.Total != nil {
		w.AppendFooter(cells(t.Total))
	}
	w.SetColumnConfigs(t.columns(columns))
	return w
}

// cells are the texts of a row.
func cells(row []any) table.Row {
	texts := make(table.Row, len(row))
	for i, cell := range row {
		texts[i] = EscapeLine(fmt.Sprint(cell))
	}
	return texts
}
