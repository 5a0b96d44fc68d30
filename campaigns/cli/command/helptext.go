package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/internal/messages"
)

// The width of help texts in columns: that of the terminal within bounds.
const (
	leastHelpWidth = 60
	helpWidth      = 100
)

// helpWidthOf is the width of help texts where columns is the room, 0 for any.
func helpWidthOf(columns int) int {
	if columns == 0 {
		return helpWidth
	}
	return min(max(columns, leastHelpWidth), helpWidth)
}

// paragraphs breaks the paragraphs of a text into lines of a width. One with an
// indented line is a list or an example and stays.
func paragraphs(text string, width int) string {
	list := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range list {
		if !strings.Contains(p, "\n ") && !strings.Contains(p, "\n\t") {
			list[i] = strings.TrimRight(messages.Wrap(strings.ReplaceAll(p, "\n", " "), "", "", width), "\n")
		}
	}
	return strings.Join(list, "\n\n") + "\n"
}

// firstParagraph returns the first paragraph of a text, without an end that announces a list.
func firstParagraph(text string) string {
	first, _, _ := strings.Cut(strings.TrimSpace(text), "\n\n")
	if strings.HasSuffix(first, " are") {
		first = first[:strings.LastIndex(first, ".")+1]
	}
	return first
}

// clause returns the first clause of a flag's description, and its default if it is short.
func clause(usage string) string {
	text, value := usage, ""
	if at := strings.LastIndex(usage, " (default "); at >= 0 && strings.HasSuffix(usage, ")") {
		text, value = usage[:at], usage[at:]
	}
	for _, mark := range []string{"; ", ": ", ", which ", ", in which "} {
		if at := strings.Index(text, mark); at > len("builtin, gem5") {
			text = text[:at]
		}
	}
	if len(value) > 30 {
		value = ""
	}
	return text + value
}

// flagsTable describes flags in two columns: the flag with the word for its
// value, and what it does with its default. A long first column has a line alone.
// In a short table each description is one clause.
func flagsTable(set *pflag.FlagSet, width int, short bool) string {
	const nameColumn = 26
	var b strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		if short {
			usage = clause(usage)
		}
		name := "      --" + f.Name
		if f.Shorthand != "" {
			name = fmt.Sprintf("  -%s, --%s", f.Shorthand, f.Name)
		}
		if value != "" {
			name += " " + value
		}
		switch zero := f.DefValue; {
		case zero == "", zero == "false", zero == "0", zero == "0s", zero == "0B", zero == "[]", strings.Contains(usage, "(default "):
		default:
			usage += fmt.Sprintf(" (default %s)", f.DefValue)
		}
		indent := strings.Repeat(" ", nameColumn+2)
		if len(name) > nameColumn {
			b.WriteString(name + "\n")
			name = ""
		}
		b.WriteString(strings.TrimRight(messages.Wrap(usage, fmt.Sprintf("%-*s", len(indent), name), indent, width), "\n") + "\n")
	})
	return b.String()
}
