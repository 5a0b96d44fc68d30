package html

import (
	"testing"
	"time"
)

// TestNumbers checks how numbers are written.
func TestNumbers(t *testing.T) {
	for _, c := range []struct{ got, want string }{
		{percent(1, 3), "33.3 %"}, {percent(2, 3), "66.7 %"}, {percent(99_999, 100_000), "99.9 %"}, {percent(5, 5), "100.0 %"}, {percent(0, 0), "–"},
		{span(1500 * time.Microsecond), "1.5 ms"}, {span(900 * time.Millisecond), "0.9 s"}, {span(61 * time.Second), "1 min 01 s"}, {span(8*time.Hour + 2*time.Minute), "8 h 02 min"}, {span(59960 * time.Millisecond), "1 min 00 s"},
		{clip("äöü", 3), "äöü"}, {clip("äöüx", 3), "äöü …"},
	} {
		if c.got != c.want {
			t.Errorf("%q, want %q", c.got, c.want)
		}
	}
}
