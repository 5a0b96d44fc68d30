package campaigns

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"ordeal/campaigns/wording"
	"ordeal/check"
	"ordeal/sim"
)

// Text is the closing report: a table of the configurations, what it means,
// and what to do about findings.
func (s *Summary) Text() string {
	var b strings.Builder
	shard := ""
	if !s.Shard.whole() {
		shard = ", shard " + s.Shard.String()
	}
	fmt.Fprintf(&b, "campaign %s%s, seed %d\n%s\n", s.Campaign, shard, s.Seed, s.simulators())
	for _, table := range []string{s.table(), s.canaryTable()} {
		if table != "" {
			b.WriteString(table + "\n")
		}
	}
	for _, sentence := range s.sentences() {
		b.WriteString(sentence + "\n")
	}
	for i := range s.Findings {
		b.WriteString(s.Findings[i].text(s))
	}
	return b.String()
}

// simulatorsShown is the number of machines of a simulator that are named.
const simulatorsShown = 4

// simulators has a line for each simulator and the first of its machines.
func (s *Summary) simulators() string {
	var b strings.Builder
	for line := range strings.SplitSeq(s.Simulator, "\n") {
		machines := strings.Split(line, "; ")
		b.WriteString(strings.Join(machines[:min(len(machines), simulatorsShown)], "; "))
		if n := len(machines) - simulatorsShown; n > 0 {
			fmt.Fprintf(&b, " and %d more", n)
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// table has a line for each configuration without a planted fault and one for
// all of them; it is empty if there is none. ✓ counts the runs that a model
// allows, ✗ those it forbids.
func (s *Summary) table() string {
	models := s.models()
	header := []string{"configuration", "runs", "operations", "passed", "findings"}
	for _, m := range models {
		header = append(header, m+" ✓", m+" ✗")
	}
	header = append(header, "tso, not sc")
	rows := [][]string{header}
	add := func(r *Row) {
		cells := []string{
			r.Config, wording.Group(r.Runs), wording.Group(r.Operations), wording.Group(r.Outcomes[sim.Passed]), wording.Group(r.findings()),
		}
		for _, m := range models {
			cells = append(cells, wording.Group(r.Answers[m][check.Allowed.String()]), wording.Group(r.Answers[m][check.Forbidden.String()]))
		}
		rows = append(rows, append(cells, wording.Group(r.Weak)))
	}
	for i := range s.Rows {
		if s.Rows[i].Canary == nil {
			add(&s.Rows[i])
		}
	}
	if len(rows) == 1 {
		return ""
	}
	tested := s.tested()
	add(&tested)
	return align(rows, columns{total: true})
}

// models lists the models with answers: those expected first.
func (s *Summary) models() []string {
	var models []string
	add := func(m string) {
		if !slices.Contains(models, m) {
			models = append(models, m)
		}
	}
	for _, r := range s.Rows {
		if r.Canary == nil {
			add(r.Expect)
		}
	}
	total := s.tested()
	for _, m := range ModelNames() {
		if len(total.Answers[m]) > 0 {
			add(m)
		}
	}
	return models
}

func (r *Row) findings() int {
	return r.Runs - r.Outcomes[sim.Passed] - r.Outcomes[sim.Infra]
}

// columns says how to lay out a table.
type columns struct {
	// left lists columns aligned to the left beside the first; the others are
	// to the right.
	left []int
	// total says that the last row adds the others up.
	total bool
}

// align lays out rows in columns, under a rule below the header and, where
// there is one, above the total.
func align(rows [][]string, how columns) string {
	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			width[i] = max(width[i], utf8.RuneCountInString(cell))
		}
	}
	var b strings.Builder
	rule := func() {
		total := 2 * (len(width) - 1)
		for _, w := range width {
			total += w
		}
		b.WriteString(strings.Repeat("─", total) + "\n")
	}
	for i, r := range rows {
		if i == 1 || how.total && i == len(rows)-1 {
			rule()
		}
		for j, cell := range r {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			if j > 0 {
				b.WriteString("  ")
			}
			switch {
			case j > 0 && !slices.Contains(how.left, j):
				b.WriteString(pad + cell)
			case j == len(r)-1:
				b.WriteString(cell)
			default:
				b.WriteString(cell + pad)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
