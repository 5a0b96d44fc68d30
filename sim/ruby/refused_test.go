package ruby

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"ordeal/sim/ruby/code"
	"ordeal/sim/slicc/types"
)

// TestRefusedBuiltins finds each builtin of gem5's that the compiler knows and the
// simulator does not have in sim/slicc/unsupported.txt, and no other.
func TestRefusedBuiltins(t *testing.T) {
	table, err := os.ReadFile("../slicc/types/builtin_table.go")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile("../slicc/unsupported.txt")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "Built-ins without an implementation: ")
	text, _, _ = strings.Cut(text, "\n\n")
	listed := map[string]bool{}
	for _, name := range regexp.MustCompile("`([^`]+)`").FindAllStringSubmatch(text, -1) {
		listed[name[1]] = true
	}
	signature := regexp.MustCompile(`(?m)^\t[^ \n]+ (?:(\w+)\.)?(\w+)\(`)
	for _, m := range signature.FindAllStringSubmatch(string(table), -1) {
		for _, b := range types.Builtins(m[1], m[2]) {
			if code.Handles(b, natives) {
				continue
			}
			if !listed[b.Key] {
				t.Errorf("%s is not listed", b.Key)
			}
			delete(listed, b.Key)
			listed[b.Key+" found"] = true
		}
	}
	for name := range listed {
		if !strings.HasSuffix(name, " found") {
			t.Errorf("%s is listed, and simulated", name)
		}
	}
}

// TestRefusedMessages finds each message of a refused construct in sim/slicc/unsupported.txt or
// the table of sim/slicc/README.md,
// with … for what varies.
func TestRefusedMessages(t *testing.T) {
	page, err := os.ReadFile("../slicc/unsupported.txt")
	if err != nil {
		t.Fatal(err)
	}
	table, err := os.ReadFile("../slicc/README.md")
	if err != nil {
		t.Fatal(err)
	}
	page = append(page, table...)
	files, err := filepath.Glob("code/*.go")
	if err != nil {
		t.Fatal(err)
	}
	// Names are capital letters there.
	text := regexp.MustCompile(`\b[A-Z]\b|mandatoryQueue`).ReplaceAllString(string(page), "…")
	message, verb := regexp.MustCompile(`\.unsupported\([^"\n]*, "((?:[^"\\]|\\.)*)"`), regexp.MustCompile(`%[a-z]`)
	found := 0
	for _, file := range files {
		source, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range message.FindAllStringSubmatch(string(source), -1) {
			found++
			want := "`" + verb.ReplaceAllString(m[1], "…") + "`"
			if !strings.Contains(text, want) {
				t.Errorf("%s: %s is not listed", file, want)
			}
		}
	}
	if found < 37 {
		t.Errorf("only %d messages", found)
	}
}
