package audit

import "strings"

// TitleMatches reports whether a title is of a pattern, in which * stands for any
// text.
func TitleMatches(pattern, title string) bool {
	parts := strings.Split(pattern, "*")
	rest, ok := strings.CutPrefix(title, parts[0])
	if !ok {
		return false
	}
	if len(parts) == 1 {
		return rest == ""
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}
