package mutation

import (
	"strings"
	"testing"
)

// TestParseResults parses results as a list and as stored lines, also with an
// incomplete last one, and rejects what is neither.
func TestParseResults(t *testing.T) {
	const a, b = `{"protocol":"mi","mutant":"a","core":"tso"}`, `{"protocol":"mi","mutant":"b","core":"tso"}`
	line := func(result string) string { return `{"case":"x","key":"1","result":` + result + "}\n" }
	for text, want := range map[string]int{
		"[" + a + "," + b + "]": 2, "[]": 0, "": 0, line(a) + line(b): 2, line(a) + line(b)[:20]: 1,
		line(a)[:20] + "\n" + line(b): -1, "nonsense": -1, "{}\n": -1, a + "\n": -1, "[" + a: -1,
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
