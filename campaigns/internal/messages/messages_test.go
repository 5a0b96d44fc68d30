package messages

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNumbers(t *testing.T) {
	for got, want := range map[string]string{
		Comma(0): "0", Comma(999): "999", Comma(1000): "1,000", Comma(-100): "-100", Comma(-1234567): "-1,234,567",
		Plural(1, "run"): "1 run", Plural(0, "run"): "0 runs", Plural(12345, "run"): "12,345 runs", Plural(2, "canary"): "2 canaries",
		Short(0): "0", Short(7): "7", Short(0.5): "0.5", Short(999): "999", Short(1000): "1k", Short(1234): "1.2k", Short(12_345): "12k",
		Short(999_499): "999k", Short(999_600): "1.0M", Short(5.12e9): "5.1G",
		Rate(0.25): "0.2", Rate(9.96): "10.0", Rate(99.94): "99.9", Rate(100): "100", Rate(1234.5): "1,235",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestWrap(t *testing.T) {
	for _, c := range []struct{ text, first, rest, want string }{
		{"one  two\nthree four", "", "", "one two\nthree four"},
		{"one two three four", "- ", "  ", "- one two\n  three four"},
		{"one two three four", "→ ours: ", "  ", "→ ours: one\n  two three\n  four"},
		{"averyveryverylongword x", "", "    ", "averyveryverylongword\n    x"},
		{"one " + Unbroken("two three four"), "", "", "one\ntwo three four"},
		{"one " + Unbroken("two\nthree\x00 4"), "", "", "one\n" + `two\nthree\u0000 4`},
	} {
		if diff := cmp.Diff(c.want, Wrap(c.text, c.first, c.rest, 12)); diff != "" {
			t.Errorf("%q behind %q: -want +got\n%s", c.text, c.first, diff)
		}
	}
}

func TestClosest(t *testing.T) {
	known := []string{"ops", "seed", "threads", "mi", "mesi-two-level", "moesi-hammer", "moesi-amd-base"}
	for name, want := range map[string]string{"sede": "seed", "treads": "threads", "Threads": "threads", "op": "ops", "abc": "", "": "",
		"mesi": "mesi-two-level", "amd": "moesi-amd-base", "moesi": "", "moesi-hamer": "moesi-hammer"} {
		if got, ok := Closest(name, known); got != want || ok != (want != "") {
			t.Errorf("%q: %q, %v; want %q", name, got, ok, want)
		}
	}
}

func TestTable(t *testing.T) {
	table := Table{
		Header: []any{"name", "runs", "about"}, Left: []int{2},
		Rows:  [][]any{{"é", 5, "left"}, {"longer", "1,000", ""}},
		Total: []any{"all", "1,005"},
	}
	want := "" +
		"name     runs  about\n" +
		"────────────────────\n" +
		"é           5  left\n" +
		"longer  1,000\n" +
		"────────────────────\n" +
		"all     1,005\n"
	if diff := cmp.Diff(want, table.String()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

// TestQuoted requires words to come out of a shell as they are, and quoted ones to
// be harmless on a terminal, on one line.
func TestQuoted(t *testing.T) {
	shell := map[bool]string{false: "sh"}
	if bash, err := exec.LookPath("bash"); err == nil {
		shell[true] = bash
	}
	for _, word := range []string{
		"", "plain/word-1.yaml", "a b", "it's", "$HOME", "*", "`id`", "-n", "~", "ü", `\`, "#", "a;b", "=x",
		"a\nb\n", "\t", "it's\x1b[31m7\\", "\u202ex", "\x9b\xff1",
	} {
		quoted := Quoted(word)
		if EscapeLine(quoted) != quoted {
			t.Errorf("%q is written %q", word, quoted)
		}
		sh, ok := shell[strings.HasPrefix(quoted, "$")]
		if !ok {
			continue
		}
		out, err := exec.Command(sh, "-c", "printf %s. "+quoted).Output()
		if err != nil || string(out) != word+"." {
			t.Errorf("%q is written %s, which a shell takes for %q (%v)", word, quoted, out, err)
		}
	}
	for path, want := range map[string]string{"-rf/0": "./-rf/0", "-": "./-", "a": "a", "- b": "'./- b'"} {
		if got := QuotedPath(path); got != want {
			t.Errorf("%q is written %s, want %s", path, got, want)
		}
	}
}
