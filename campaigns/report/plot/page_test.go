package plot

import (
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
)

// TestPrint has pages show on paper what scrolls or opens on a screen.
func TestPrint(t *testing.T) {
	files := fstest.MapFS{"page.tmpl": {Data: []byte("<style>{{style}}</style>")}, "page.css": {Data: []byte(".scroll { overflow-x: auto; }")}}
	var out strings.Builder
	if err := Page(files, nil)().Execute(&out, nil); err != nil {
		t.Fatal(err)
	}
	_, printed, ok := strings.Cut(out.String(), "@media print {")
	if !ok {
		t.Fatal("there is no style for paper")
	}
	for _, rule := range []string{"body .scroll { overflow: visible;", "body pre { white-space: pre-wrap; overflow: visible;", "img, .plot.wide { display: block; max-width: 100%;", "details::details-content { content-visibility: visible;"} {
		if !strings.Contains(printed, rule) {
			t.Errorf("no %q in the style for paper", rule)
		}
	}
}

// TestCount has ticks of counts at whole numbers.
func TestCount(t *testing.T) {
	for high, want := range map[int]string{0: "0 1", 1: "0 1", 3: "0 1 2 3", 9: "0 2 4 6 8 10"} {
		var ticks []string
		for _, tick := range Count("", high, func(v float64) string { return strconv.FormatFloat(v, 'g', -1, 64) }).ticks {
			ticks = append(ticks, tick.label)
		}
		if got := strings.Join(ticks, " "); got != want {
			t.Errorf("up to %d: %s, want %s", high, got, want)
		}
	}
}
