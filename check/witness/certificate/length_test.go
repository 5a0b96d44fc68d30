package certificate_test

import (
	"os"
	"strings"
	"testing"
	"unicode/utf8"
)

// The README of package witness promises a checker of at most 100 lines.
func TestCheckerIsShort(t *testing.T) {
	program, err := os.ReadFile("verify.py")
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(program), "\n"), "\n")
	if len(lines) > 100 {
		t.Errorf("verify.py has %d lines, more than 100", len(lines))
	}
	for n, line := range lines {
		if columns := utf8.RuneCountInString(line); columns > 100 {
			t.Errorf("verify.py:%d: %d columns, more than 100", n+1, columns)
		}
	}
}
