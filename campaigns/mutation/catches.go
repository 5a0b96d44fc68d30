package mutation

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"
)

// catchColumns are the columns of tables of catches.
var catchColumns = []string{"bug", "in", "caught", "by", "median", "most", "known as"}

// columns are a catch's cells: where the bug is, how many seeds caught it, by
// what, after how many operations, and what it is known as.
func (c *Catch) columns() []string {
	var s Score
	var outcomes []string
	for _, t := range c.Seeds {
		if !t.Killed {
			s.Censored++
			continue
		}
		s.Ops = append(s.Ops, t.Ops)
		outcomes = append(outcomes, t.By)
	}
	slices.Sort(s.Ops)
	slices.Sort(outcomes)
	by := strings.Join(slices.Compact(outcomes), ", ")
	if c.Bug.Equivalent != "" {
		by = "never, as it should: " + c.Bug.Equivalent
	}
	if c.Bug.Budget > 0 {
		by += fmt.Sprintf(" (rare: within %d)", c.Bug.Budget)
	}
	return []string{
		c.Name, c.Machine.Protocol + ", " + c.Machine.Core, fmt.Sprintf("%d of %d", c.Hits(), len(c.Seeds)), by,
		s.quantile(0.5), s.quantile(1), c.Bug.Known,
	}
}

// WriteCatches writes a table of bugs for people.
func WriteCatches(w io.Writer, catches []*Catch) error {
	tw := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(tw, strings.Join(catchColumns, "\t"))
	for _, c := range catches {
		fmt.Fprintln(tw, strings.Join(c.columns(), "\t"))
	}
	return tw.Flush()
}

// WriteMarkdown writes the same table in Markdown.
func WriteMarkdown(w io.Writer, catches []*Catch) error {
	row := func(cells []string) string { return "| " + strings.Join(cells, " | ") + " |\n" }
	text := row(catchColumns) + "|" + strings.Repeat("---|", len(catchColumns)) + "\n"
	for _, c := range catches {
		text += row(c.columns())
	}
	_, err := io.WriteString(w, text)
	return err
}
