package html

import (
	"strings"
	"testing"
)

// TestShorten bounds texts in every direction.
func TestShorten(t *testing.T) {
	if got := shorten("\na\nb\n\n"); got != "a\nb" {
		t.Errorf("%q", got)
	}
	if got := shorten(strings.Repeat("x\n", linesShown+5)); strings.Count(got, "\n") != linesShown || !strings.HasSuffix(got, "\n…") {
		t.Errorf("%d lines", strings.Count(got, "\n"))
	}
	if got := shorten(strings.Repeat("x", 1_000_000)); len(got) > lineShown+10 {
		t.Errorf("%d characters in a line", len(got))
	}
	if got := shorten(strings.Repeat(strings.Repeat("x", 200)+"\n", 59)); len(got) > textShown+10 {
		t.Errorf("%d characters", len(got))
	}
}
