package command

import (
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"
)

// TestFlagsTable requires lines within helpWidth, booleans without a value, and a
// default to be printed once.
func TestFlagsTable(t *testing.T) {
	set := pflag.NewFlagSet("x", pflag.ContinueOnError)
	set.Bool("quiet", false, "say nothing")
	set.StringP("out", "o", "", "file `NAME` to write to; default standard output")
	set.Duration("time", time.Minute, strings.TrimSpace(strings.Repeat("long ", 30)))
	set.Int("none", 0, "nothing by default")
	set.String("a-name-that-is-too-long-for-it", "x", "below (default y)")
	const want = `      --a-name-that-is-too-long-for-it string
                            below (default y)
      --none int            nothing by default
  -o, --out NAME            file NAME to write to; default standard output
      --quiet               say nothing
      --time duration       long long long long long long long long long long long long long long
                            long long long long long long long long long long long long long long
                            long long (default 1m0s)
`
	if got := flagsTable(set); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestParagraphs requires paragraphs to fill lines, and lists and examples to stay.
func TestParagraphs(t *testing.T) {
	const list = "Names:\n  a  first\n  b  second"
	got := paragraphs("One\nline.\n\n" + list + "\n\n" + strings.Repeat("word ", 30) + "\n")
	lines := strings.Repeat("word ", 20)
	want := "One line.\n\n" + list + "\n\n" + strings.TrimSpace(lines) + "\n" + strings.TrimSpace(lines[:50]) + "\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}
