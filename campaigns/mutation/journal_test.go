package mutation

import (
	"strings"
	"testing"
)

// TestParseResults parses results as a list and as a journal, also one with an
// incomplete last line, and rejects what is neither.
func TestParseResults(t *testing.T) {
	const head, a, b = `{"version":1}` + "\n", `{"protocol":"mi","mutant":"a","core":"tso"}`, `{"protocol":"mi","mutant":"b","core":"tso"}`
	for text, want := range map[string]int{
		"[" + a + "," + b + "]": 2, "[]": 0, "": 0, head + a + "\n" + b + "\n": 2, head + a + "\n" + b[:20]: 1, head: 0,
		head + a[:20] + "\n" + b + "\n": -1, head + a[:20] + "\n": -1, "nonsense": -1, "{}\n": -1, "[" + a: -1,
	} {
		results, err := ParseResults("m", []byte(text))
		if (err != nil) != (want < 0) {
			t.Errorf("%q: error %v, want one: %v", text, err, want < 0)
		}
		if got := len(results); want >= 0 && got != want {
			t.Errorf("%q: %d results, want %d", text, got, want)
		}
		if err != nil && !strings.Contains(err.Error(), "read m:") {
			t.Errorf("%q: the error %q does not name the file", text, err)
		}
	}
}
