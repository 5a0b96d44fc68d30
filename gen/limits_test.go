package gen

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// TestParseBounds requires that a text with a fault in every line, or with lines
// or words without end, takes little memory to refuse, and that the error is
// short.
func TestParseBounds(t *testing.T) {
	const head = "ordeal-program 1\nlayout packed\nlocations"
	const size = 2 << 20
	many := func(text string) string { return strings.Repeat(text, size/len(text)) }
	var names bytes.Buffer
	for i := range size / 8 {
		fmt.Fprintf(&names, " v%d", i)
	}
	for name, text := range map[string]string{
		"one name again and again": head + many(" ab"),
		"many names":               head + names.String() + "\nthread 0\n",
		"unknown operations":       head + " x\nthread 0\n" + many("lod x\n"),
		"threads out of order":     head + " x\n" + many("thread 1\n"),
		"transactions":             head + " x\nthread 0\n" + many("begin\n"),
		"a line without end":       head + " x\nthread 0\nload" + many(" x"),
		"a word without end":       head + " x\nthread 0\nload " + many("x"),
		"words without end":        head + " x\nthread 0\n" + strings.Repeat(strings.Repeat("\x01", size/40)+"\n", 40),
	} {
		data := []byte(text)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse("p", data)
		runtime.ReadMemStats(&after)
		if err == nil {
			t.Errorf("%s: no error", name)
		} else if n := len(err.Error()); n > 8<<10 {
			t.Errorf("%s: an error of %d bytes: %.300s", name, n, err)
		}
		if n := after.TotalAlloc - before.TotalAlloc; n > 5*size { // of which 8 MB for the words of the longest line
			t.Errorf("%s: %d bytes allocated for a text of %d", name, n, len(text))
		}
	}
}
