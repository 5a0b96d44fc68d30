package main

import (
	"encoding/json"
	"os"
	"strings"
	"testing"
)

// TestPage requires the page to be what its data says.
func TestPage(t *testing.T) {
	text, err := os.ReadFile("../../campaigns/lab/results/tests.json")
	if err != nil {
		t.Fatal(err)
	}
	var d data
	if err := json.Unmarshal(text, &d); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile("../../campaigns/lab/results/tests.md")
	if err != nil {
		t.Fatal(err)
	}
	if want := string(page(d)); string(got) != want {
		t.Errorf("tests.md is not generated from tests.json: make mutation\n%s", want)
	}
}

// TestApply replaces the longest token at a place: <= is not < and =.
func TestApply(t *testing.T) {
	const source = "if é <= b {\n\tx = -a\n\tbreak\n"
	for _, c := range []struct {
		line, column int
		typ, want    string
	}{
		{1, 7, "CONDITIONALS_NEGATION", "if é > b {\n\tx = -a\n\tbreak\n"},
		{1, 7, "CONDITIONALS_BOUNDARY", "if é < b {\n\tx = -a\n\tbreak\n"},
		{2, 6, "INVERT_NEGATIVES", "if é <= b {\n\tx = +a\n\tbreak\n"},
		{3, 2, "INVERT_LOOPCTRL", "if é <= b {\n\tx = -a\n\tcontinue\n"},
	} {
		got, err := apply([]byte(source), mutant{Line: c.line, Column: c.column, Type: c.typ})
		if err != nil || string(got) != c.want {
			t.Errorf("%v: %q, %v", c, got, err)
		}
	}
	if _, err := apply([]byte(source), mutant{Line: 3, Column: 1, Type: "INVERT_LOGICAL"}); err == nil {
		t.Error("a place without the token is no error")
	}
}

// TestChanged reads which lines a diff adds or changes.
func TestChanged(t *testing.T) {
	const diff = `diff --git a/gen/a.go b/gen/a.go
--- a/gen/a.go
+++ b/gen/a.go
@@ -3 +3 @@ func a() {
-	x--
+	x++
@@ -10,0 +11,2 @@ func b() {
+	y++
+	z++
@@ -20,2 +22,0 @@ func c() {
-	y++
-	z++
`
	is := changedIn(diff)
	var got []int
	for line := range 30 {
		if is("gen/a.go", line) {
			got = append(got, line)
		}
	}
	if want := []int{3, 11, 12}; len(got) != 3 || got[0] != want[0] || got[1] != want[1] || got[2] != want[2] {
		t.Errorf("lines %v, want %v", got, want)
	}
	if is("gen/b.go", 3) {
		t.Error("a file that did not change")
	}
}

// TestShare counts what callers kill, and nothing that no test reaches.
func TestShare(t *testing.T) {
	text := string(page(data{[]measured{{Packages: map[string]map[string]count{
		"a": {"X_Y": {Killed: 5, Callers: 4, Lived: 1, NotCovered: 90}, "Z": {NotCovered: 1}},
	}}}}))
	for _, want := range []string{"| a | 5 | 4 | 1 | 91 | 90 % |", "| x y | 5 | 4 | 1 | 90 | 90 % |", "| z | 0 | 0 | 0 | 1 | – |"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
}
