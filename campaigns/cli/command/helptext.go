package command

import (
	"fmt"
	"strings"

	"github.com/spf13/pflag"

	"ordeal/campaigns/internal/messages"
)

// helpWidth is the width of help texts in columns.
const helpWidth = 100

// paragraphs breaks the paragraphs of a text into lines of helpWidth. One with an
// indented line is a list or an example and stays.
func paragraphs(text string) string {
	list := strings.Split(strings.TrimSpace(text), "\n\n")
	for i, p := range list {
		if !strings.Contains(p, "\n ") && !strings.Contains(p, "\n\t") {
			list[i] = strings.TrimRight(messages.Wrap(strings.ReplaceAll(p, "\n", " "), "", "", helpWidth), "\n")
		}
	}
	return strings.Join(list, "\n\n") + "\n"
}

// flagsTable describes flags in two columns: the flag with the word for its
// value, and what it does with its default. A long first column has a line alone.
func flagsTable(set *pflag.FlagSet) string {
	const nameColumn = 26
	var b strings.Builder
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
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
		b.WriteString(strings.TrimRight(messages.Wrap(usage, fmt.Sprintf("%-*s", len(indent), name), indent, helpWidth), "\n") + "\n")
	})
	return b.String()
}
