package audit

import (
	"strings"

	"ordeal/campaigns/place"
)

// Same reports whether two titles are the same but for the lines of places: an edit of a
// protocol moves them.
func Same(a, b string) bool {
	return place.Unnumbered(a) == place.Unnumbered(b)
}

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
