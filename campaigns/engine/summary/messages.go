package summary

import (
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"ordeal/campaigns/engine/journal"
	"ordeal/campaigns/internal/messages"
	"ordeal/check"
	"ordeal/sim"
)

// reductionsShown is the least time of reductions after the last run that is said.
const reductionsShown = 100 * time.Millisecond

// lines summarise the tables.
func (s *Summary) lines() []string {
	all, t := s.Total(), s.Tested()
	spent := s.Spent()
	speed := fmt.Sprintf("%s and %s in %s: %s runs/s, %s operations/s",
		messages.Plural(all.Runs, "run"), messages.Plural(all.Operations, "operation"), seconds(spent),
		messages.Rate(float64(all.Runs)/spent.Seconds()), messages.Rate(float64(all.Operations)/spent.Seconds()))
	if more := s.Elapsed - spent; more >= reductionsShown && slices.ContainsFunc(s.Findings, func(f Finding) bool { return f.Reduction != nil }) {
		speed += fmt.Sprintf("; %s more for reductions", seconds(more))
	}
	out := []string{speed + "."}
	if text := s.ending(all.Runs); text != "" {
		out = append(out, text)
	}
	if t.Answers["sc"] != nil && t.Answers["tso"] != nil {
		text := fmt.Sprintf("%s of %s are TSO but not SC.", messages.Comma(t.Weak), messages.Plural(t.Runs, "run"))
		if t.Answers["tso"][check.Allowed.String()] == t.Runs {
			text = fmt.Sprintf("%s of %s are not SC; every run is TSO.", messages.Comma(t.Weak), messages.Plural(t.Runs, "run"))
		}
		out = append(out, text)
	}
	decided := 0
	for _, m := range s.Models() {
		decided += t.Answers[m][check.Allowed.String()] + t.Answers[m][check.Forbidden.String()]
		if n := t.Answers[m][check.Unknown.String()]; n > 0 {
			out = append(out, fmt.Sprintf("%s undecided under %s.", messages.Plural(n, "run"), m))
		}
	}
	if decided -= s.exploredAnswers; decided > 0 {
		out = append(out, fmt.Sprintf("The evidence of all %s was accepted by the independent checkers.", messages.Plural(decided, "verdict")))
	}
	for i := range s.Rows {
		if text := s.Rows[i].coverage(); text != "" && s.Rows[i].Canary == nil {
			out = append(out, wrapped(text))
		}
	}
	for _, text := range s.canaryMessages() {
		out = append(out, wrapped(text))
	}
	out = append(out, s.infraMessages(all.Outcomes[sim.Infra])...)
	out = append(out, s.damageMessages()...)
	if s.Example != "" {
		out = append(out, "", "To see why a run is not SC:  "+s.Argv0+" check --model sc --explain "+messages.QuotedPath(s.Example))
	}
	return out
}

// textWidth is the width of the lines of the summary, in columns: tables and
// commands may be wider.
const textWidth = 120

// wrapped breaks a message into lines.
func wrapped(text string) string { return messages.Wrap(text, "", "  ", textWidth) }

// ending says why not all runs ended; empty where they did.
func (s *Summary) ending(runs int) string {
	why := "Ended early"
	switch {
	case s.Stopped != "":
		why = "Stopped at " + s.Stopped
	case s.Interrupted && runs == s.Planned:
		return "Interrupted before all findings were reduced."
	case s.Interrupted:
		why = "Interrupted"
	case runs == s.Planned, s.Planned == 0 && !s.BudgetSpent:
		return ""
	case s.BudgetSpent:
		why = "Budget spent"
	}
	if s.Planned == 0 { // an audit
		return why + "."
	}
	return fmt.Sprintf("%s: %d of %d planned runs ended.", why, runs, s.Planned)
}

// infraMessages list the first runs that could not be executed or checked.
func (s *Summary) infraMessages(n int) []string {
	if n == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("%s could not be executed or checked and do not count; campaign resume repeats them:", messages.Plural(n, "run"))}
	for _, t := range s.InfraErrors[:min(len(s.InfraErrors), infraErrorsShown)] {
		out = append(out, fmt.Sprintf("  run %d of %s: %s, in %s", t.Number, t.Config, messages.EscapeLine(t.Title), t.Dir))
	}
	if n > infraErrorsShown {
		out = append(out, fmt.Sprintf("  and %d more in %s", n-infraErrorsShown, filepath.Join(s.Dir, journal.QuarantineDir)))
	}
	return out
}

// damageMessages list failed runs whose files have become corrupt.
func (s *Summary) damageMessages() []string {
	if len(s.Damaged) == 0 {
		return nil
	}
	out := []string{fmt.Sprintf("The files of %s are corrupt; their lines in %s count:", messages.Plural(len(s.Damaged), "failed run"), journal.RunsFile)}
	for _, t := range s.Damaged[:min(len(s.Damaged), infraErrorsShown)] {
		out = append(out, fmt.Sprintf("  run %d of %s: %s, in %s", t.Number, t.Config, messages.EscapeLine(t.Title), t.Dir))
	}
	return out
}

// infraErrorsShown bounds the runs that infraMessages lists.
const infraErrorsShown = 5
