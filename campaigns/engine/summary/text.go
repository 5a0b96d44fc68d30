package summary

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ordeal/campaigns/config"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/sim"
)

// Text is the closing report: tables of the configurations and canaries, what they
// mean, and what to do about findings.
func (s *Summary) Text() string { return s.Fit(0) }

// Fit is Text with tables that fit a number of columns; 0 means any number.
func (s *Summary) Fit(columns int) string {
	var b strings.Builder
	shard := ""
	if !s.Shard.Whole() {
		shard = ", shard " + s.Shard.String()
	}
	fmt.Fprintf(&b, "campaign %s%s, seed %d\n%s\n", s.Campaign, shard, s.Seed, s.simulators())
	for _, table := range []*messages.Table{s.table(), s.canaryTable()} {
		if len(table.Rows) > 0 {
			b.WriteString(table.Fit(columns) + "\n")
		}
	}
	for _, line := range s.lines() {
		b.WriteString(line + "\n")
	}
	for _, apart := range []bool{false, true} { // what makes the campaign fail comes first
		for i := range s.Findings {
			if f := &s.Findings[i]; s.apart(f) == apart {
				b.WriteString(f.text(s))
			}
		}
	}
	return b.String()
}

// simulatorsShown is the number of machines of a simulator that are named.
const simulatorsShown = 4

// parts keeps what stands between semicolons, recorded versions, unbroken.
func parts(text string) string {
	list := strings.Split(text, "; ")
	for i, part := range list {
		list[i] = messages.Unbroken(part)
	}
	return strings.Join(list, "; ")
}

// simulators has a line for each simulator and the first of its machines.
func (s *Summary) simulators() string {
	var b strings.Builder
	for line := range strings.SplitSeq(s.Simulator, "\n") {
		machines := strings.Split(line, "; ")
		text := strings.Join(machines[:min(len(machines), simulatorsShown)], "; ")
		if n := len(machines) - simulatorsShown; n > 0 {
			text += fmt.Sprintf(" and %d more", n)
		}
		b.WriteString(wrapped(parts(text)) + "\n")
	}
	return b.String()
}

// table has a line for each configuration without an injected bug and one for
// all of them. ✓ counts the runs that a model
// allows, ✗ those it forbids.
func (s *Summary) table() *messages.Table {
	models := s.Models()
	t := &messages.Table{Header: []any{"configuration", "runs", "operations", "passed", "findings"}}
	for _, m := range models {
		t.Header = append(t.Header, m+" ✓", m+" ✗")
	}
	t.Header = append(t.Header, "tso, not sc")
	cells := func(r *Row) []any {
		cells := []any{
			r.Config, messages.Comma(r.Runs), messages.Comma(r.Operations), messages.Comma(r.Outcomes[sim.Passed]), messages.Comma(r.findings()),
		}
		for _, m := range models {
			cells = append(cells, messages.Comma(r.Answers[m][check.Allowed.String()]), messages.Comma(r.Answers[m][check.Forbidden.String()]))
		}
		return append(cells, messages.Comma(r.Weak))
	}
	for i := range s.Rows {
		if s.Rows[i].Canary == nil {
			t.Rows = append(t.Rows, cells(&s.Rows[i]))
		}
	}
	tested := s.Tested()
	t.Total = cells(&tested)
	return t
}

// Models lists the models with answers: those expected first.
func (s *Summary) Models() []string {
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
	total := s.Tested()
	for _, m := range config.ModelNames() {
		if len(total.Answers[m]) > 0 {
			add(m)
		}
	}
	return models
}

func (r *Row) findings() int {
	return r.Runs - r.Outcomes[sim.Passed] - r.Outcomes[sim.Infra]
}

func seconds(d time.Duration) string { return fmt.Sprintf("%.1f s", d.Seconds()) }
