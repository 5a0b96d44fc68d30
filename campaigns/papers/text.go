package papers

import (
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"ordeal/campaigns/internal/messages"
)

// textWidth is where paragraphs wrap.
const textWidth = 100

// WriteText writes the report for people, experiment by experiment.
func (r *Report) WriteText(w io.Writer) error {
	var b strings.Builder
	b.WriteString(r.head())
	for i := range r.Results {
		b.WriteByte('\n')
		r.Results[i].text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// head says what was measured where.
func (r *Report) head() string {
	return fmt.Sprintf("The papers' experiments at scale %v\nmachine  %s\nordeal   %s\ntimes    user CPU of one check, evidence included; limit %s and %d GiB\n",
		r.Scale, r.Machine, r.Version, r.Limit, memoryLimit>>30)
}

// heading names an experiment.
func (r *Result) heading() string { return fmt.Sprintf("%s: %s, %s", r.Name, r.Paper.Cite, r.Place) }

// source says where the histories come from.
func (r *Result) source() string {
	if r.Campaign == "" {
		return "constructed histories"
	}
	return fmt.Sprintf("campaigns/papers/%s, %s", r.Campaign, r.Simulator)
}

func (r *Result) text(b *strings.Builder) {
	head := r.heading()
	fmt.Fprintf(b, "%s\n%s\n%s\n%s\n", head, strings.Repeat("═", utf8.RuneCountInString(head)), r.Title, r.source())
	if len(r.Published) > 0 {
		b.WriteByte('\n')
		for _, q := range r.Published {
			b.WriteString(messages.Wrap(fmt.Sprintf("%s: %s", q.What, q.Value), "  ", "    ", textWidth) + "\n")
			if q.Ours != "" {
				b.WriteString(messages.Wrap(q.Ours, "    → ours: ", "      ", textWidth) + "\n")
			}
		}
	}
	for i := range r.Tables {
		b.WriteByte('\n')
		b.WriteString(r.Tables[i].Text())
	}
	if len(r.Notes) > 0 {
		b.WriteByte('\n')
	}
	for _, n := range r.Notes {
		b.WriteString(messages.Wrap(n, "- ", "  ", textWidth) + "\n")
	}
}
