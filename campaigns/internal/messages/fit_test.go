package messages

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFit(t *testing.T) {
	table := Table{
		Header: []any{"bug", "in", "caught", "operations", "known as"},
		Rows: [][]any{
			{"mi-swap-store", "mi, inorder", "10 of 10", "1,200", "a swap of CAV 2019 that matters"},
			{"b", "mi, tso", "9 of 10", "800", ""},
		},
		Total: []any{"total", "", "19 of 20", "2,000", ""},
		Left:  []int{1, 4},
	}
	if diff := cmp.Diff(table.String(), table.Fit(0)); diff != "" {
		t.Errorf("unbounded (-string +fit):\n%s", diff)
	}
	for columns, want := range map[int]string{
		79: `
bug            in             caught  operations  known as
───────────────────────────────────────────────────────────────────────────────
mi-swap-store  mi, inorder  10 of 10       1,200  a swap of CAV 2019 that
                                                  matters
b              mi, tso       9 of 10         800
───────────────────────────────────────────────────────────────────────────────
total                       19 of 20       2,000
`,
		40: `
bug            in             caught
────────────────────────────────────
mi-swap-store  mi, inorder  10 of 10
b              mi, tso       9 of 10
────────────────────────────────────
total                       19 of 20

bug            operations
─────────────────────────
mi-swap-store       1,200
b                     800
─────────────────────────
total               2,000

bug            known as
────────────────────────────────────────
mi-swap-store  a swap of CAV 2019 that
               matters
b
────────────────────────────────────────
total
`,
	} {
		if diff := cmp.Diff(strings.TrimPrefix(want, "\n"), table.Fit(columns)); diff != "" {
			t.Errorf("%d columns (-want +got):\n%s", columns, diff)
		}
	}
}

// TestFitAny has tables at random: no line is wider than the terminal, no character
// is lost, and the order of columns stays.
func TestFitAny(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 1))
	cell := func() string {
		words := make([]string, rng.IntN(4))
		for i := range words {
			words[i] = strings.Repeat(string(rune('a'+rng.IntN(26))), 1+rng.IntN(9))
		}
		return strings.Join(words, " ")
	}
	for range 300 {
		var table Table
		n := 1 + rng.IntN(7)
		for range 1 + rng.IntN(4) {
			row := make([]any, n)
			for i := range row {
				row[i] = cell()
			}
			table.Rows = append(table.Rows, row)
		}
		table.Header = append([]any{}, table.Rows[0]...)
		for i := 1; i < n; i++ {
			if rng.IntN(2) == 0 {
				table.Left = append(table.Left, i)
			}
		}
		columns := 8 + rng.IntN(120)
		got := table.Fit(columns)
		if w := widestLine(got); w > columns {
			t.Fatalf("%d columns, not %d:\n%s", w, columns, got)
		}
		for _, row := range table.Rows {
			for _, c := range row {
				for _, r := range strings.ReplaceAll(c.(string), " ", "") {
					if strings.Count(got, string(r)) < strings.Count(c.(string), string(r)) {
						t.Fatalf("%q is lost in %d columns:\n%s", c, columns, got)
					}
				}
			}
		}
	}
}

// TestTableLines has texts of others in cells: each row stays one line.
func TestTableLines(t *testing.T) {
	type name string
	const hostile = "a\r\nFORGED\x1b[2J\tx"
	table := Table{
		Header: []any{"what", hostile}, Rows: [][]any{{hostile, 1}, {name(hostile), hostile}}, Total: []any{hostile, "2"}, Left: []int{1},
	}
	const want = `a\u000d\nFORGED\u001b[2J\tx`
	for what, text := range map[string]string{"string": table.String(), "markdown": table.Markdown(), "narrow": table.Fit(30)} {
		if strings.Contains(text, "\x1b") || strings.Contains(text, "\t") || strings.Contains(text, "\nFORGED") {
			t.Errorf("%s:\n%q", what, text)
		}
		if what == "string" && strings.Count(text, want) != 5 {
			t.Errorf("want %q five times:\n%s", want, text)
		}
	}
	if lines := strings.Count(table.String(), "\n"); lines != 6 { // two are rules
		t.Errorf("%d lines, want 6:\n%s", lines, table.String())
	}
}
