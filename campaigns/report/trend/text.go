package trend

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"

	"ordeal/campaigns/engine/summary"
	"ordeal/campaigns/internal/messages"
)

// WriteText writes the trends as tables that fit a number of columns; 0 means any number.
func (t *Trends) WriteText(w io.Writer, columns int) error {
	var b strings.Builder
	for i, one := range t.Trends {
		if i > 0 {
			b.WriteByte('\n')
		}
		one.text(&b, columns)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func (t *Trend) text(b *strings.Builder, columns int) {
	first, last := t.Points[0].Started, t.Points[len(t.Points)-1].Started
	fmt.Fprintf(b, "%s: %s, %s to %s\n\n", messages.EscapeLine(t.Campaign), messages.Plural(len(t.Points), "campaign"), first.Format("2006-01-02"), last.Format("2006-01-02"))
	table := messages.Table{Header: []any{"", "started", "runs", "operations/s", "findings", "new", "gone", "known", "canaries", "coverage", "directory"}, Left: []int{1, 10}}
	for i := range t.Points {
		p := &t.Points[i]
		runs := messages.Comma(p.Runs)
		if p.Runs < p.Planned {
			runs += " of " + messages.Comma(p.Planned)
		}
		table.Rows = append(table.Rows, []any{
			strconv.Itoa(i + 1), p.Started.Format("2006-01-02 15:04"), runs, messages.Short(p.Rate), p.Findings, p.New, p.Gone, p.Known,
			p.canaries(), p.coverage(), messages.EscapeLine(p.Dir),
		})
	}
	b.WriteString(table.Fit(columns))
	if len(t.Findings) > 0 {
		b.WriteString("\nFindings: in which campaigns, ■ seen, · not\n")
		for i := range t.Findings {
			f := &t.Findings[i]
			fmt.Fprintf(b, "  %s  %s\n", f.marks(), messages.EscapeLine(f.text()))
			for _, line := range f.Since.lines() {
				fmt.Fprintf(b, "  %*s    %s\n", len(f.Runs), "", messages.EscapeLine(line))
			}
		}
	}
	if len(t.Canaries) > 0 {
		b.WriteString("\nCanaries: ■ caught, ! missed, · neither yet\n")
		for _, k := range t.Canaries {
			fmt.Fprintf(b, "  %s  %s\n", k.marks(), messages.EscapeLine(k.Config))
		}
	}
}

func (p *Point) canaries() string {
	if p.Canaries == 0 {
		return "–"
	}
	return fmt.Sprintf("%d of %d", p.Caught, p.Canaries)
}

func (p *Point) coverage() string {
	switch {
	case p.Taken == 0:
		return "–"
	case p.Transitions == 0:
		return messages.Comma(p.Taken)
	}
	return fmt.Sprintf("%.1f %%", 100*float64(p.Taken)/float64(p.Transitions))
}

// text describes a finding, and what it is at the end.
func (f *Finding) text() string {
	text := f.Outcome.Titled(f.Title) + " (" + f.System + ")"
	if f.Known {
		text += ", known"
	}
	if f.gone() {
		text += ", not in the last one"
	}
	return text
}

// lines say what is new since the campaign before the first that has a finding.
func (s *Since) lines() (list []string) {
	if s == nil {
		return nil
	}
	for _, t := range s.Tools {
		list = append(list, fmt.Sprintf("since %s %s, before %s", t.Name, cmp.Or(t.New, "none"), cmp.Or(t.Old, "none")))
		list = append(list, t.Between()...)
	}
	return list
}

// marks has a mark for each campaign.
func (f *Finding) marks() string {
	var b strings.Builder
	for _, n := range f.Runs {
		if n > 0 {
			b.WriteString("■")
		} else {
			b.WriteString("·")
		}
	}
	return b.String()
}

// marks has a mark for each campaign; a blank where it does not have the canary.
func (k *Canary) marks() string {
	var b strings.Builder
	for _, s := range k.Status {
		switch s {
		case "":
			b.WriteString(" ")
		case summary.StatusCaught, summary.StatusSurvived:
			b.WriteString("■")
		case summary.StatusMissed, summary.StatusKilled:
			b.WriteString("!")
		default:
			b.WriteString("·")
		}
	}
	return b.String()
}
