package cases

import (
	"fmt"
	"strings"

	"ordeal/parse"
)

// Compact reads a small history: threads are separated by "|", "x=1"
// writes 1 to x, "y?0" reads 0 from y, "x?1=2" is an RMW, "f" a full fence.
// Values are unique for each location, and 0 is the initial one.
func Compact(text string) *parse.History {
	var lines strings.Builder
	for t, thread := range strings.Split(text, "|") {
		for _, word := range strings.Fields(thread) {
			op := "sync"
			if end := strings.IndexAny(word, "?="); end >= 0 {
				read, write, writes := strings.Cut(word[end:], "=")
				loc := "M[" + word[:end] + "]"
				switch value, reads := strings.CutPrefix(read, "?"); {
				case reads && writes:
					op = fmt.Sprintf("{ %s == %s; %s := %s }", loc, value, loc, write)
				case reads:
					op = loc + " == " + value
				default:
					op = loc + " := " + write
				}
			}
			fmt.Fprintf(&lines, "%d: %s\n", t, op)
		}
	}
	return Parse(lines.String())
}
