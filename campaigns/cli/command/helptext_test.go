package command

import (
	"bytes"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
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
	if got := flagsTable(set, 100, false); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestParagraphs requires paragraphs to fill lines, and lists and examples to stay.
func TestParagraphs(t *testing.T) {
	const list = "Names:\n  a  first\n  b  second"
	got := paragraphs("One\nline.\n\n"+list+"\n\n"+strings.Repeat("word ", 30)+"\n", 100)
	lines := strings.Repeat("word ", 20)
	want := "One line.\n\n" + list + "\n\n" + strings.TrimSpace(lines) + "\n" + strings.TrimSpace(lines[:50]) + "\n"
	if got != want {
		t.Errorf("got\n%q\nwant\n%q", got, want)
	}
}

// TestHelpWidth requires help to fit the terminal, within bounds.
func TestHelpWidth(t *testing.T) {
	for columns, want := range map[int]int{0: 100, 20: 60, 80: 80, 200: 100} {
		if got := helpWidthOf(columns); got != want {
			t.Errorf("%d columns: width %d, want %d", columns, got, want)
		}
		e := NewEnv(nil, nil, io.Discard, io.Discard)
		long := strings.Repeat("word ", 60)
		root := &cobra.Command{Use: "root"}
		cmd := &cobra.Command{Use: "cmd", Long: long, Short: long, Run: func(*cobra.Command, []string) {}}
		for i := range 30 {
			cmd.Flags().String(fmt.Sprintf("flag-%d", i), "", long)
		}
		root.AddCommand(cmd)
		t.Setenv("COLUMNS", strconv.Itoa(columns))
		for _, all := range []bool{false, true} {
			for _, args := range [][]string{{"--help"}, {"cmd", "--help"}} {
				var out bytes.Buffer
				e.GroupFlags(root, all)
				root.SetOut(&out)
				root.SetArgs(args)
				if err := root.Execute(); err != nil {
					t.Fatal(err)
				}
				widest := 0
				for line := range strings.Lines(out.String()) {
					widest = max(widest, len(strings.TrimRight(line, "\n")))
				}
				if widest > want || widest < want-10 {
					t.Errorf("%d columns: %v has a line of %d", columns, args, widest)
				}
			}
		}
	}
}
