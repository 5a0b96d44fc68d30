package html

import (
	"fmt"
	"strings"
	"unicode"
)

// Visible makes a page show what browsers would hide or obey: control and
// format characters, among them those that turn the direction of text, become
// their numbers, and what is no UTF-8 becomes U+FFFD. No markup has such
// characters, so that it does not matter where in the page they stand.
func Visible(page string) string {
	hidden := func(r rune) bool {
		return r != '\n' && r != '\t' && (unicode.Is(unicode.Cc, r) || unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Co, r) || r == '\u2028' || r == '\u2029')
	}
	page = strings.ToValidUTF8(page, "\ufffd")
	if strings.IndexFunc(page, hidden) < 0 {
		return page
	}
	var b strings.Builder
	for _, r := range page {
		if hidden(r) {
			fmt.Fprintf(&b, "\\u%04x", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}
