package campaigns

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	b.WriteString(s.table())
	b.WriteByte('\n')
	for _, sentence := range s.sentences() {
		b.WriteString(sentence + "\n")
	}
	for _, f := range s.Findings {
		fmt.Fprintf(&b, "\nfinding: %s (%s, %s)\n", f.Title, f.Outcome, plural(f.Runs, "run"))
		fmt.Fprintf(&b, "  first    run %d of seed %d, in %s\n", f.First, s.Seed, f.Dir)
		if f.Alone > 0 {
			fmt.Fprintf(&b, "  alone    recurs in %d of %s made again outside their batch\n", f.Recurred, plural(f.Alone, "run"))
		}
		fmt.Fprintf(&b, "  look     %s check --explain %s\n", s.Program, f.Dir)
		fmt.Fprintf(&b, "  shrink   %s reduce %s\n", s.Program, f.Dir)
		fmt.Fprintf(&b, "  repeat   %s repro %s\n", s.Program, f.Dir)
		if s.Again != "" {
			fmt.Fprintf(&b, "  anywhere %s --run %d\n", s.Again, f.First)
		}
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

// table has a line for each configuration and one for all. ✓ counts the runs
// that a model allows, ✗ those it forbids.
func (s *Summary) table() string {
	total := s.Total()
	models := s.models()
	header := []string{"configuration", "runs", "operations", "passed", "findings"}
	for _, m := range models {
		header = append(header, m+" ✓", m+" ✗")
	}
	header = append(header, "tso, not sc")
	rows := [][]string{header}
	for _, r := range append(slices.Clone(s.Rows), total) {
		cells := []string{
			r.Config, group(r.Runs), group(r.Operations), group(r.Outcomes[sim.Passed]), group(r.findings()),
		}
		for _, m := range models {
			cells = append(cells, group(r.Answers[m][check.Allowed.String()]), group(r.Answers[m][check.Forbidden.String()]))
		}
		cells = append(cells, group(r.Weak))
		rows = append(rows, cells)
	}
	return align(rows)
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
		add(r.Expect)
	}
	total := s.Total()
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

// sentences say what the table means.
func (s *Summary) sentences() []string {
	t := s.Total()
	elapsed := max(s.Elapsed.Seconds(), 1e-9)
	out := []string{fmt.Sprintf("%s and %s in %s: %s runs/s, %s operations/s.",
		plural(t.Runs, "run"), plural(t.Operations, "operation"), seconds(s.Elapsed),
		rate(float64(t.Runs)/elapsed), rate(float64(t.Operations)/elapsed))}
	if s.Interrupted {
		out = append(out, fmt.Sprintf("Interrupted: %d of %d planned runs ended.", t.Runs, s.Planned))
	} else if t.Runs < s.Planned {
		why := "Stopped"
		if s.BudgetSpent {
			why = "Budget spent"
		}
		out = append(out, fmt.Sprintf("%s: %d of %d planned runs ended.", why, t.Runs, s.Planned))
	}
	if t.Answers["sc"] != nil && t.Answers["tso"] != nil {
		text := fmt.Sprintf("%s of %s are TSO but not SC.", group(t.Weak), plural(t.Runs, "run"))
		if t.Answers["tso"][check.Allowed.String()] == t.Runs {
			text = fmt.Sprintf("%s of %s are not SC; every run is TSO.", group(t.Weak), plural(t.Runs, "run"))
		}
		out = append(out, text)
	}
	decided := 0
	for _, m := range s.models() {
		decided += t.Answers[m][check.Allowed.String()] + t.Answers[m][check.Forbidden.String()]
		if n := t.Answers[m][check.Unknown.String()]; n > 0 {
			out = append(out, fmt.Sprintf("%s undecided under %s.", plural(n, "run"), m))
		}
	}
	if decided > 0 {
		out = append(out, fmt.Sprintf("The evidence of all %s was accepted by the independent checkers.", plural(decided, "verdict")))
	}
	for i := range s.Rows {
		if text := s.Rows[i].coverage(); text != "" {
			out = append(out, text)
		}
	}
	if n := t.Outcomes[sim.Infra]; n > 0 {
		out = append(out, fmt.Sprintf("%s could not be made and say nothing.", plural(n, "run")))
	}
	if s.Example != "" {
		out = append(out, "", "To see why a run is not SC:  "+s.Program+" check --model sc --explain "+s.Example)
	}
	return out
}

// align lays out rows in columns: the first to the left, others to the right,
// under a rule below the header and above the last row.
func align(rows [][]string) string {
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
		if i == 1 || i == len(rows)-1 {
			rule()
		}
		for j, cell := range r {
			pad := strings.Repeat(" ", width[j]-utf8.RuneCountInString(cell))
			switch {
			case j == 0 && len(r) > 1:
				b.WriteString(cell + pad)
			default:
				b.WriteString("  " + pad + cell)
			}
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// group writes a number with commas between thousands.
func group(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}

// rate writes a rate with three digits or thousands grouped.
func rate(r float64) string {
	if r >= 100 {
		return group(int(r + 0.5))
	}
	return strconv.FormatFloat(r, 'f', 1, 64)
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }

// plural writes a number and its noun.
func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return group(n) + " " + noun + "s"
}
