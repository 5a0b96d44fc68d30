package witness

import (
	"bytes"
	"fmt"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"ordeal/parse"
	"ordeal/parse/formats/axe"
)

// opText is operation id without its thread, in the notation of package axe.
func opText(h *parse.History, id parse.OpID) string { return string(axe.AppendOp(nil, h, id)) }

// name is an operation with its thread, or the initial value of location x:
// "thread 1: M[x] == 0". Anything that is no operation of h is named by its
// number.
func name(h *parse.History, id parse.OpID, x int32) string {
	switch {
	case id == parse.Init && x >= 0 && int(x) < len(h.Locations):
		return fmt.Sprintf("the initial M[%s]", h.Locations[x])
	case id < 0 || int(id) >= len(h.Ops):
		return fmt.Sprintf("operation %d", id)
	default:
		return fmt.Sprintf("thread %s: %s", h.ThreadNames[h.Thread(id)], opText(h, id))
	}
}

// width is how wide the columns of threads may be together.
const width = 100

// Columns prints lists of short texts side by side, each headed by its first,
// or one below the other where they are too wide.
func Columns(out *bytes.Buffer, columns [][]string) {
	total, rows := 0, 0
	wide := make([]int, len(columns))
	for i, column := range columns {
		for _, text := range column {
			wide[i] = max(wide[i], utf8.RuneCountInString(text)+3)
		}
		total += wide[i]
		rows = max(rows, len(column))
	}
	if total > width {
		for _, column := range columns {
			fmt.Fprintf(out, "%s\n", strings.Join(column, "\n  "))
		}
		return
	}
	for row := range rows {
		var line strings.Builder
		for i, column := range columns {
			text := ""
			if row < len(column) {
				text = column[row]
			}
			line.WriteString(text + strings.Repeat(" ", wide[i]-utf8.RuneCountInString(text)))
		}
		fmt.Fprintln(out, strings.TrimRight(line.String(), " "))
	}
}

// Reasons prints edges and why they hold, one to a line, with the reasons
// aligned.
func Reasons(out *bytes.Buffer, indent string, lines [][2]string) {
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	for _, l := range lines {
		fmt.Fprintf(w, "%s%s\t%s\n", indent, l[0], l[1])
	}
	_ = w.Flush() // a buffer does not fail
}

// Letters is the name of the i-th event of an explanation, from 0: a, b, …, z,
// aa, ab and so on.
func Letters(i int) string {
	if i < 26 {
		return string(rune('a' + i))
	}
	return Letters(i/26-1) + Letters(i%26)
}
